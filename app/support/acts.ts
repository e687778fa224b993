import * as z from "zod/mini";
import { type Agent, NOTE_MAX_CHARS, TAG_MAX_CHARS, TAGS_MAX } from "./console-protocol.ts";

/** What the team does with a conversation, as a console asks for it. */

const tag = z
  .string()
  .check(z.trim(), z.minLength(1), z.maxLength(TAG_MAX_CHARS), z.regex(/^[\p{L}\p{N}][\p{L}\p{N} _-]*$/u));

export const actSchema = z.discriminatedUnion("act", [
  z.strictObject({ act: z.literal("status"), status: z.enum(["open", "closed"]) }),
  z.strictObject({ act: z.literal("assign"), agentId: z.nullable(z.string().check(z.maxLength(64))) }),
  z.strictObject({ act: z.literal("tags"), tags: z.array(tag).check(z.maxLength(TAGS_MAX)) }),
  z.strictObject({ act: z.literal("block"), blocked: z.boolean() }),
  z.strictObject({
    act: z.literal("note"),
    clientId: z.string().check(
      z.minLength(1),
      z.maxLength(64),
      z.refine((id) => id.isWellFormed()),
    ),
    body: z.string().check(
      z.maxLength(NOTE_MAX_CHARS),
      z.refine((text) => text.isWellFormed() && text.trim() !== ""),
    ),
  }),
]);
export type Act = z.infer<typeof actSchema>;

/** The same as the room is asked for it: it knows nobody of the team. */
export type RoomAct = Exclude<Act, { act: "assign" }> | { act: "assign"; assignee: Agent | null };
