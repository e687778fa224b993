import { z } from "zod";

/** The form of a mass order: its lines are typed, or in the file `upload`. `charge` is what the preview showed. */
export const massOrderInput = z.object({
  intent: z.enum(["check", "place"]),
  upload: z.string().default(""),
  lines: z.string().default(""),
  which: z.enum(["all", "valid"]).default("valid"),
  /** The number of lines that may be wrong and are ordered anyway. */
  doubts: z
    .string()
    .regex(/^\d{1,4}$/)
    .default("0")
    .transform(Number),
  /** Micro-units. */
  charge: z
    .string()
    .regex(/^\d{1,16}$/)
    .default("0")
    .transform(Number),
});
