import * as z from "zod/mini";
import { NAME_MAX_CHARS } from "./protocol.ts";

export const NAME_NEEDED = "Please enter your name";
const EMAIL_MAX_CHARS = 254;

/** What `POST /support/session` takes. A `session_id` in it is not read: the cookies say whose conversation it is. */
const startSchema = z.object({
  name: z.string(NAME_NEEDED).check(
    z.trim(),
    z.minLength(1, NAME_NEEDED),
    z.maxLength(NAME_MAX_CHARS, `Please use a name of at most ${NAME_MAX_CHARS} characters`),
    z.overwrite((name) => name.toWellFormed()),
  ),
  email: z.nullish(
    z
      .string()
      .check(z.trim(), z.maxLength(EMAIL_MAX_CHARS), z.regex(/^$|^[^\s@]+@[^\s@]+$/, "Please check your email")),
  ),
});

export type StartRequest = z.infer<typeof startSchema>;

export function parseStart(value: unknown): { ok: true; start: StartRequest } | { ok: false; error: string } {
  const parsed = startSchema.safeParse(value);
  if (parsed.success) return { ok: true, start: parsed.data };
  return { ok: false, error: parsed.error.issues[0]?.message ?? "Failed to start chat session" };
}
