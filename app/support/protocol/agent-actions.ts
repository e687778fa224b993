import * as z from "zod/mini";
import { type Agent, NOTE_MAX_CHARS, TAG, TAG_MAX_CHARS } from "./console-frames.ts";

/** What the team does with a conversation, as a console asks for it. */

export const agentActionSchema = z.discriminatedUnion("action", [
  z.strictObject({ action: z.literal("status"), status: z.enum(["open", "closed"]) }),
  z.strictObject({ action: z.literal("assign"), agentId: z.nullable(z.string().check(z.maxLength(64))) }),
  // One at a time: two who tag at once, or one who is quick, must not undo each other.
  z.strictObject({
    action: z.literal("tag"),
    tag: z.string().check(z.trim(), z.maxLength(TAG_MAX_CHARS), z.regex(TAG)),
    isOn: z.boolean(),
  }),
  z.strictObject({ action: z.literal("block"), blocked: z.boolean() }),
  z.strictObject({
    action: z.literal("note"),
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
export type AgentAction = z.infer<typeof agentActionSchema>;

/** The same as the room is asked for it: it knows nobody of the team. */
export type RoomAction = Exclude<AgentAction, { action: "assign" }> | { action: "assign"; assignee: Agent | null };
