import * as v from "valibot";
import { parseJsonAs } from "./frames.ts";

/** Frames that a room sends to agents only. Apart from frames.ts, so that the visitor's panel does not load them. */

export const NOTE_MAX_CHARS = 4000;
/** Teammates whom one note may notify. */
export const MENTIONS_MAX = 20;
export const TAG_MAX_CHARS = 30;
export const TAGS_MAX = 40;
/** One or more words that start with a letter or a digit. */
export const TAG = /^[\p{L}\p{N}][\p{L}\p{N} _-]*$/u;

const agent = v.object({ id: v.string(), name: v.string() });
/** A snooze until the visitor writes, however long that takes: a time in ms that is never reached. */
export const UNTIL_ANSWER_MS = Date.UTC(9999, 0);

const triage = v.object({
  assignee: v.nullable(agent),
  tags: v.array(v.string()),
  blocked: v.boolean(),
  /** Hidden from the open list until this time in ms, or until the visitor writes. 0: not snoozed. */
  snoozedUntil: v.number(),
});
const note = v.object({
  /** Counted per room, from 1. */
  no: v.number(),
  author_id: v.string(),
  author_name: v.string(),
  body: v.string(),
  /** The teammates whose `@name` is in the text. `isRead`: read before a log-in moved the note here. */
  mentions: v.array(v.object({ ...agent.entries, isRead: v.optional(v.literal(true)) })),
  created_at: v.number(),
});
const page = v.object({ path: v.string(), title: v.string() });
/** What is known of the visitor's browser. `language`: a tag. `pages`: newest first, only while the conversation is open. */
const visitor = v.object({
  language: v.nullable(v.string()),
  pages: v.array(v.object({ ...page.entries, at: v.number() })),
});
const consoleFrame = v.variant("type", [
  v.object({ type: v.literal("triage"), triage }),
  v.object({ type: v.literal("notes"), notes: v.array(note) }),
  v.object({ type: v.literal("note"), note }),
  v.object({ type: v.literal("agents"), agents: v.array(agent) }),
  v.object({ type: v.literal("agent_typing"), agent }),
  v.object({ type: v.literal("page"), page: v.nullable(page) }),
  v.object({ type: v.literal("visitor"), visitor }),
]);

export type Agent = v.InferOutput<typeof agent>;
export type Triage = v.InferOutput<typeof triage>;
export type Note = v.InferOutput<typeof note>;
export type VisitedPage = v.InferOutput<typeof page>;
export type VisitorDetails = v.InferOutput<typeof visitor>;
export type SeenPage = VisitorDetails["pages"][number];
export type ConsoleFrame = v.InferOutput<typeof consoleFrame>;

/** Returns null for any other frame. */
export function parseConsoleFrame(json: string): ConsoleFrame | null {
  return parseJsonAs(consoleFrame, json);
}
