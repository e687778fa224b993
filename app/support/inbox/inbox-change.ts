import * as v from "valibot";
import { parseJsonAs } from "#app/support/protocol/frames.ts";
import {
  countsOf,
  type InboxPage,
  type InboxRow,
  type InboxView,
  type ListFilter,
  MENTIONS_COUNTED,
  withChanges,
} from "./inbox-view.ts";

/** A hint that tells consoles about a conversation, so that none of them has to ask. The same for all agents. */

const row = v.object({
  id: v.number(),
  sessionId: v.string(),
  userName: v.string(),
  userEmail: v.nullable(v.string()),
  status: v.picklist(["open", "closed"]),
  blocked: v.boolean(),
  assigneeId: v.nullable(v.string()),
  assigneeName: v.nullable(v.string()),
  tags: v.array(v.string()),
  lastMessage: v.string(),
  updatedAt: v.number(),
  snoozedUntil: v.number(),
  respondBy: v.number(),
  unread: v.boolean(),
});
const total = v.object({
  status: v.picklist(["open", "closed"]),
  assigneeId: v.string(),
  conversations: v.number(),
  unread: v.number(),
  isSnoozed: v.boolean(),
});
const mention = v.object({
  agentId: v.string(),
  sessionId: v.string(),
  noteNo: v.number(),
  userName: v.string(),
  authorName: v.string(),
  createdAt: v.number(),
});
const change = v.object({
  /** The conversation's row, or null if it was deleted. */
  row: v.nullable(row),
  totals: v.array(total),
  changesAt: v.nullable(v.number()),
  /** The unread ones in the conversation, of all agents. */
  mentions: v.array(mention),
  readAt: v.number(),
});
/** Without `change`, or with one of a newer server, the console asks for the conversation. */
const hint = v.object({ session_id: v.string(), change: v.fallback(v.nullable(change), null) });

export type InboxChange = v.InferOutput<typeof change>;

/** Returns null for any other frame. */
export function parseInboxHint(json: string): v.InferOutput<typeof hint> | null {
  return parseJsonAs(hint, json);
}

/**
 * Returns the inbox with the change, or null if it has to be read again: of many unread mentions, it has only the newest,
 * and can't tell which one follows.
 */
export function withInboxChange(
  page: InboxPage,
  sessionId: string,
  { row, totals, changesAt, mentions, readAt }: InboxChange,
  shown: { view: InboxView; filter: ListFilter | null; agentId: string },
): InboxPage | null {
  if (page.mentions.length > MENTIONS_COUNTED) return null;
  const changed: InboxRow[] = row ? [row] : [];
  const own = mentions.filter(({ agentId }) => agentId === shown.agentId).map(({ agentId: _, ...one }) => one);
  const others = page.mentions.filter((one) => one.sessionId !== sessionId);
  return {
    ...page,
    rows: withChanges(page, { asked: [sessionId], changed, ...shown, now: readAt }),
    counts: countsOf(totals, shown.agentId),
    changesAt,
    mentions: [...others, ...own].sort((one, other) => other.createdAt - one.createdAt).slice(0, MENTIONS_COUNTED + 1),
    readAt,
  };
}
