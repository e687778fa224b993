import * as z from "zod/mini";
import { type Agent, NOTE_MAX_CHARS, TAG, TAG_MAX_CHARS, UNTIL_ANSWER_MS } from "./console-frames.ts";

/** An action of an agent on a conversation, as the console posts it. */
export const agentActionSchema = z.discriminatedUnion("action", [
  z.strictObject({ action: z.literal("status"), status: z.enum(["open", "closed"]) }),
  z.strictObject({ action: z.literal("assign"), agentId: z.nullable(z.string().check(z.maxLength(64))) }),
  // One tag at a time, so that concurrent changes do not undo each other.
  z.strictObject({
    action: z.literal("tag"),
    tag: z.string().check(z.trim(), z.maxLength(TAG_MAX_CHARS), z.regex(TAG)),
    isOn: z.boolean(),
  }),
  // A time in ms, or 0 to wake it.
  z.strictObject({
    action: z.literal("snooze"),
    until: z.int().check(z.minimum(0), z.maximum(UNTIL_ANSWER_MS)),
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

/** The same with the assignee resolved, because a room does not know the team. */
export type RoomAction = Exclude<AgentAction, { action: "assign" }> | { action: "assign"; assignee: Agent | null };
