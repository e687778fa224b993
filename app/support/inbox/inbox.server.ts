import { and, count, desc, eq, gt, inArray, isNull, type SQL, sql } from "drizzle-orm";
import type { SupportDb } from "#app/db/db.server.ts";
import { supportCounts, supportSessions } from "#app/db/schema/support-tables.server.ts";
import { UNTIL_ANSWER_MS } from "#app/support/protocol/console-frames.ts";
import {
  cursorOf,
  type InboxCounts,
  type InboxPage,
  type InboxRow,
  type InboxView,
  parseCursor,
} from "./inbox-view.ts";
import { selectUnreadMentions } from "./mentions.server.ts";

export const INBOX_PAGE = 50;
/** Rows per response. */
const ROWS_MAX = 500;

const ROW = {
  id: supportSessions.id,
  sessionId: supportSessions.sessionId,
  userName: supportSessions.userName,
  userEmail: supportSessions.userEmail,
  status: supportSessions.status,
  blocked: supportSessions.blocked,
  assigneeId: supportSessions.assigneeId,
  assigneeName: supportSessions.assigneeName,
  tags: supportSessions.tags,
  lastMessage: supportSessions.lastMessage,
  updatedAt: supportSessions.updatedAt,
  snoozedUntil: supportSessions.snoozedUntil,
  unread: sql<number>`${supportSessions.lastSeq} > ${supportSessions.agentReadSeq}`,
};

type Page = { view: InboxView; agentId: string; now: number; after: ReturnType<typeof parseCursor>; limit: number };

/** Reads one page, newest activity first, after the cursor `after`. Each list of open conversations is a range of one index. */
export async function readInbox(
  supportDb: SupportDb,
  { view, agentId, after, limit }: { view: InboxView; agentId: string; after: string | null; limit: number },
): Promise<InboxPage> {
  const readAt = Date.now();
  const shown = Math.min(Math.max(limit, 1), ROWS_MAX);
  const [rows, counted] = await Promise.all([
    readRows(supportDb, { view, agentId, now: readAt, after: parseCursor(after), limit: shown + 1 }),
    countInbox(supportDb, agentId, readAt),
  ]);
  const page = rows.slice(0, shown).map(toRow);
  const last = page.at(-1);
  return { rows: page, next: rows.length > shown && last ? cursorOf(last) : null, ...counted, readAt };
}

function readRows(supportDb: SupportDb, page: Page) {
  switch (page.view) {
    case "open":
      return readOpen(supportDb, page);
    case "closed":
      return select(supportDb, IS_CLOSED, page);
    case "mine":
      return select(supportDb, isOpenOf(page.agentId, page.now), page);
    case "unassigned":
      return select(supportDb, isOpenOf("", page.now), page);
    case "snoozed":
      return select(supportDb, isSnoozed(page.now), page);
    default:
      throw new Error(`unknown view ${page.view satisfies never}`);
  }
}

/**
 * Merges the newest open conversations of each assignee. An index of all open conversations by time would cost a written
 * row per message; this costs a page of reads per member of the team.
 */
async function readOpen(supportDb: SupportDb, page: Page) {
  const assignees = await supportDb
    .select({ id: supportCounts.assigneeId })
    .from(supportCounts)
    .where(and(eq(supportCounts.status, "open"), gt(supportCounts.conversations, 0)));
  const [first, ...others] = assignees.map(({ id }) => select(supportDb, isOpenOf(id, page.now), page));
  if (!first) return [];
  const lists = await supportDb.batch([first, ...others]);
  return lists
    .flat()
    .sort((one, other) => other.updatedAt - one.updatedAt || other.id - one.id)
    .slice(0, page.limit);
}

function select(supportDb: SupportDb, condition: SQL | undefined, { after, limit }: Page) {
  const { updatedAt, id } = supportSessions;
  return supportDb
    .select(ROW)
    .from(supportSessions)
    .where(and(condition, after ? sql`(${updatedAt}, ${id}) < (${after.updatedAt}, ${after.id})` : undefined))
    .orderBy(desc(updatedAt), desc(id))
    .limit(limit);
}

// Literal, because SQLite uses a partial index only if the query repeats its condition.
const IS_CLOSED = sql`${supportSessions.status} = 'closed'`;

/** `assigneeId` is empty for unassigned, as in the counts. */
function isOpenOf(assigneeId: string, now: number): SQL | undefined {
  const isTheirs = assigneeId === "" ? isNull(supportSessions.assigneeId) : eq(supportSessions.assigneeId, assigneeId);
  return and(isTheirs, eq(supportSessions.status, "open"), sql`${supportSessions.snoozedUntil} <= ${now}`);
}

/** A range of the index of snoozed ones. Those whose time has passed are awake, though their row still names it. */
function isSnoozed(now: number): SQL {
  return sql`${supportSessions.status} = 'open' and ${supportSessions.snoozedUntil} > 0 and ${supportSessions.snoozedUntil} > ${now}`;
}

/** Reads the given conversations, whatever their view. Deleted ones are missing from the result. */
export async function readInboxRows(supportDb: SupportDb, sessionIds: string[]): Promise<InboxRow[]> {
  const ids = sql`(select value from json_each(${JSON.stringify(sessionIds)}))`;
  const rows = await supportDb.select(ROW).from(supportSessions).where(inArray(supportSessions.sessionId, ids));
  return rows.map(toRow);
}

/**
 * Counts from the counter table, whose rows grow with the team and not with the conversations, and takes off those that
 * are snoozed now. Reads the unread mentions in the same round trip.
 */
export async function countInbox(
  supportDb: SupportDb,
  agentId: string,
  now: number,
): Promise<Pick<InboxPage, "counts" | "wakesAt" | "mentions">> {
  const { assigneeId: assignee, lastSeq, agentReadSeq, snoozedUntil } = supportSessions;
  const [rows, snoozed, mentions] = await supportDb.batch([
    supportDb.select().from(supportCounts),
    supportDb
      .select({
        assigneeId: sql<string>`coalesce(${assignee}, '')`,
        conversations: count(),
        unread: sql<number>`sum(${lastSeq} > ${agentReadSeq})`,
        wakesAt: sql<number>`min(${snoozedUntil})`,
      })
      .from(supportSessions)
      .where(isSnoozed(now))
      // The plus keeps SQLite from walking the index of all conversations, which is in this order already.
      .groupBy(sql`+${assignee}`),
    selectUnreadMentions(supportDb, agentId),
  ]);
  const counts: InboxCounts = { open: 0, mine: 0, unassigned: 0, closed: 0, snoozed: 0, unread: 0 };
  const hidden = snoozed.map((one) => ({
    ...one,
    status: "open" as const,
    conversations: -one.conversations,
    unread: -one.unread,
  }));
  for (const { status, assigneeId, conversations, unread } of [...rows, ...hidden]) {
    counts[status] += conversations;
    if (status === "closed") continue;
    if (assigneeId === agentId) counts.mine += conversations;
    if (assigneeId === "") counts.unassigned += conversations;
    if (assigneeId === agentId || assigneeId === "") counts.unread += unread;
  }
  counts.snoozed = snoozed.reduce((sum, { conversations }) => sum + conversations, 0);
  const next = Math.min(...snoozed.map(({ wakesAt }) => wakesAt));
  return { counts, wakesAt: next < UNTIL_ANSWER_MS ? next : null, mentions };
}

function toRow<T extends { unread: number }>(row: T): Omit<T, "unread"> & { unread: boolean } {
  return { ...row, unread: row.unread === 1 };
}
