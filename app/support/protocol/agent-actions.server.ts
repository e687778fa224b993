import * as z from "zod/mini";
import { cleanMessage } from "./clean-text.ts";
import { type Agent, NOTE_MAX_CHARS, TAG, TAG_MAX_CHARS, UNTIL_ANSWER_MS } from "./console-frames.ts";
import { BODY_MAX_CHARS } from "./frames.ts";
import { EFFECT_TAGS_MAX } from "./reply-effects.ts";

const clientId = z.string().check(
  z.minLength(1),
  z.maxLength(64),
  z.refine((id) => id.isWellFormed()),
);
const agentId = z.nullable(z.string().check(z.maxLength(64)));
const tag = z.string().check(z.trim(), z.maxLength(TAG_MAX_CHARS), z.regex(TAG));
// A time in ms, or 0 to wake it.
const until = z.int().check(z.minimum(0), z.maximum(UNTIL_ANSWER_MS));
const text = (maxChars: number) =>
  z.string().check(
    z.maxLength(maxChars),
    z.refine((value) => value.isWellFormed()),
  );

/** An action of an agent on a conversation, as the console posts it. */
export const agentActionSchema = z.discriminatedUnion("action", [
  z.strictObject({ action: z.literal("status"), status: z.enum(["open", "closed"]) }),
  z.strictObject({ action: z.literal("assign"), agentId }),
  // One tag at a time, so that concurrent changes do not undo each other.
  z.strictObject({
    action: z.literal("tag"),
    tag,
    isOn: z.boolean(),
  }),
  z.strictObject({ action: z.literal("snooze"), until }),
  z.strictObject({ action: z.literal("block"), blocked: z.boolean() }),
  z.strictObject({
    action: z.literal("note"),
    clientId,
    body: text(NOTE_MAX_CHARS).check(z.refine((note) => note.trim() !== "")),
  }),
  // Everything a saved reply does, at once. Empty texts, null and 0 stand for nothing to do.
  z.strictObject({
    action: z.literal("reply"),
    clientId,
    body: z.pipe(text(BODY_MAX_CHARS), z.transform(cleanMessage)),
    note: text(NOTE_MAX_CHARS),
    tags: z.array(tag).check(z.maxLength(EFFECT_TAGS_MAX)),
    agentId,
    closes: z.boolean(),
    snoozeUntil: until,
  }),
]);
export type AgentAction = z.infer<typeof agentActionSchema>;

/** The same with the assignee resolved, because a room does not know the team. */
export type RoomAction =
  | Exclude<AgentAction, { agentId: string | null }>
  | WithAssignee<Extract<AgentAction, { agentId: string | null }>>;
export type ReplyAction = Extract<RoomAction, { action: "reply" }>;

type WithAssignee<A> = A extends unknown ? Omit<A, "agentId"> & { assignee: Agent | null } : never;
