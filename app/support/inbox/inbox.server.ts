import { and, desc, eq, inArray, isNull, type SQL, sql } from "drizzle-orm";
import type { SupportDb } from "#app/db/db.server.ts";
import { supportCounts, supportSessions } from "#app/db/schema/support-tables.server.ts";
import {
  cursorOf,
  type InboxCounts,
  type InboxPage,
  type InboxRow,
  type InboxView,
  parseCursor,
} from "./inbox-view.ts";

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
  unread: sql<number>`${supportSessions.lastSeq} > ${supportSessions.agentReadSeq}`,
};

/** Reads one page, newest activity first, after the cursor `after`. Each view is a range of one index. */
export async function readInbox(
  supportDb: SupportDb,
  { view, agentId, after, limit }: { view: InboxView; agentId: string; after: string | null; limit: number },
): Promise<InboxPage> {
  const readAt = Date.now();
  const cursor = parseCursor(after);
  const shown = Math.min(Math.max(limit, 1), ROWS_MAX);
  const [rows, counts] = await Promise.all([
    supportDb
      .select(ROW)
      .from(supportSessions)
      .where(
        and(
          inView(view, agentId),
          cursor
            ? sql`(${supportSessions.updatedAt}, ${supportSessions.id}) < (${cursor.updatedAt}, ${cursor.id})`
            : undefined,
        ),
      )
      .orderBy(desc(supportSessions.updatedAt), desc(supportSessions.id))
      .limit(shown + 1),
    countInbox(supportDb, agentId),
  ]);
  const page = rows.slice(0, shown).map(toRow);
  const last = page.at(-1);
  return { rows: page, next: rows.length > shown && last ? cursorOf(last) : null, counts, readAt };
}

/** Reads the given conversations, whatever their view. Deleted ones are missing from the result. */
export async function readInboxRows(supportDb: SupportDb, sessionIds: string[]): Promise<InboxRow[]> {
  const ids = sql`(select value from json_each(${JSON.stringify(sessionIds)}))`;
  const rows = await supportDb.select(ROW).from(supportSessions).where(inArray(supportSessions.sessionId, ids));
  return rows.map(toRow);
}

/** Counts from the counter table, whose rows grow with the team and not with the conversations. */
export async function countInbox(supportDb: SupportDb, agentId: string): Promise<InboxCounts> {
  const rows = await supportDb.select().from(supportCounts);
  const counts: InboxCounts = { open: 0, mine: 0, unassigned: 0, closed: 0, unread: 0 };
  for (const { status, assigneeId, conversations, unread } of rows) {
    counts[status] += conversations;
    if (status === "closed") continue;
    if (assigneeId === agentId) counts.mine += conversations;
    if (assigneeId === "") counts.unassigned += conversations;
    if (assigneeId === agentId || assigneeId === "") counts.unread += unread;
  }
  return counts;
}

function inView(view: InboxView, agentId: string): SQL | undefined {
  const { status, assigneeId } = supportSessions;
  switch (view) {
    case "open":
    case "closed":
      return eq(status, view);
    case "mine":
      return and(eq(assigneeId, agentId), eq(status, "open"));
    case "unassigned":
      return and(isNull(assigneeId), eq(status, "open"));
    default:
      view satisfies never;
  }
}

function toRow<T extends { unread: number }>(row: T): Omit<T, "unread"> & { unread: boolean } {
  return { ...row, unread: row.unread === 1 };
}
