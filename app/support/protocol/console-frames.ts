import * as z from "zod/mini";

/** Frames that a room sends to the team's sockets only. Apart from protocol.ts, so that no visitor's panel carries them. */

export const NOTE_MAX_CHARS = 4000;
export const TAG_MAX_CHARS = 30;
export const TAGS_MAX = 40;
/** A word or several, begun by a letter or a digit. */
export const TAG = /^[\p{L}\p{N}][\p{L}\p{N} _-]*$/u;

const agent = z.object({ id: z.string(), name: z.string() });
const triage = z.object({
  assignee: z.nullable(agent),
  tags: z.array(z.string()),
  blocked: z.boolean(),
});
const note = z.object({
  /** The room's own number of it, from 1. */
  no: z.number(),
  author_id: z.string(),
  author_name: z.string(),
  body: z.string(),
  created_at: z.number(),
});
const page = z.object({ path: z.string(), title: z.string() });
const consoleFrame = z.discriminatedUnion("type", [
  z.object({ type: z.literal("triage"), triage }),
  z.object({ type: z.literal("notes"), notes: z.array(note) }),
  z.object({ type: z.literal("note"), note }),
  z.object({ type: z.literal("agents"), agents: z.array(agent) }),
  z.object({ type: z.literal("agent_typing"), agent }),
  z.object({ type: z.literal("page"), page: z.nullable(page) }),
]);

export type Agent = z.infer<typeof agent>;
export type Triage = z.infer<typeof triage>;
export type Note = z.infer<typeof note>;
export type VisitedPage = z.infer<typeof page>;
export type ConsoleFrame = z.infer<typeof consoleFrame>;

/** Null for any other frame. */
export function parseConsoleFrame(text: string): ConsoleFrame | null {
  try {
    return consoleFrame.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
}
