import * as z from "zod/mini";
import { cleanMessage } from "#app/http/clean-text.ts";
import {
  type Agent,
  MENTIONS_MAX,
  NOTE_MAX_CHARS,
  TAG,
  TAG_MAX_CHARS,
  TAGS_MAX,
  UNTIL_ANSWER_MS,
} from "./console-frames.ts";
import { BODY_MAX_CHARS } from "./frames.ts";

const clientId = z.string().check(
  z.minLength(1),
  z.maxLength(64),
  z.refine((id) => id.isWellFormed()),
);
const agentId = z.nullable(z.string().check(z.maxLength(64)));
// Agents whom the note names.
const mentions = z._default(z.array(z.string().check(z.maxLength(64))).check(z.maxLength(MENTIONS_MAX)), []);
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
    mentions,
  }),
  // Everything a saved reply does, at once. Empty texts, null and 0 stand for nothing to do.
  z.strictObject({
    action: z.literal("reply"),
    clientId,
    body: z.pipe(text(BODY_MAX_CHARS), z.transform(cleanMessage)),
    note: text(NOTE_MAX_CHARS),
    mentions,
    // Several saved replies may have been put into one.
    tags: z.array(tag).check(z.maxLength(TAGS_MAX)),
    agentId,
    closes: z.boolean(),
    snoozeUntil: until,
  }),
]);
export type AgentAction = z.input<typeof agentActionSchema>;
export type ParsedAction = z.output<typeof agentActionSchema>;

/** The same with agents instead of their ids, because a room does not know the team. */
export type RoomAction = Resolved<ParsedAction>;
export type ReplyAction = Extract<RoomAction, { action: "reply" }>;

type Resolved<A> = A extends unknown
  ? Omit<A, "agentId" | "mentions"> &
      (A extends { agentId: unknown } ? { assignee: Agent | null } : unknown) &
      (A extends { mentions: unknown } ? { mentions: Agent[] } : unknown)
  : never;
