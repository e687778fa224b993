import { and, asc, count, desc, eq, gt, inArray, isNull, type SQL, sql } from "drizzle-orm";
import type { BatchResponse } from "drizzle-orm/batch";
import type { SupportDb } from "#app/db/db.server.ts";
import { supportCounts, supportSessions } from "#app/db/schema/support-tables.server.ts";
import { UNTIL_ANSWER_MS } from "#app/support/protocol/console-frames.ts";
import type { InboxChange } from "./inbox-change.ts";
import {
  comparePlaces,
  countsOf,
  cursorOf,
  type InboxPage,
  type InboxRow,
  type InboxTotal,
  type InboxView,
  type ListFilter,
  type Place,
  parseCursor,
  placeOf,
  type SavedFilter,
} from "./inbox-view.ts";
import { selectUnreadMentions, selectUnreadMentionsIn } from "./mentions.server.ts";

export const INBOX_PAGE = 50;
/** Among so many of the newest conversations of a view, a tag is looked for. */
const TAG_SEARCHED_MAX = 2000;
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
  respondBy: supportSessions.respondBy,
  unread: sql<number>`${supportSessions.lastSeq} > ${supportSessions.agentReadSeq}`,
};

type OpenRow = Awaited<ReturnType<typeof select>>[number];
type Page = {
  view: InboxView;
  filter: ListFilter | null;
  agentId: string;
  now: number;
  after: Place | null;
  limit: number;
};

/** Reads one page after the cursor `after`, in the order of `Place`. Each list of open conversations is a range of one index. */
export async function readInbox(
  supportDb: SupportDb,
  {
    view,
    filter = null,
    agentId,
    after,
    limit,
  }: { view: InboxView; filter?: ListFilter | null; agentId: string; after: string | null; limit: number },
): Promise<InboxPage> {
  const readAt = Date.now();
  const shown = Math.min(Math.max(limit, 1), ROWS_MAX);
  const [rows, counted] = await Promise.all([
    readRows(supportDb, { view, filter, agentId, now: readAt, after: parseCursor(after), limit: shown + 1 }),
    countInbox(supportDb, agentId, readAt),
  ]);
  const page = rows.slice(0, shown).map(toRow);
  const last = page.at(-1);
  return { rows: page, next: rows.length > shown && last ? cursorOf(placeOf(last, readAt)) : null, ...counted, readAt };
}

function readRows(supportDb: SupportDb, page: Page) {
  switch (page.view) {
    case "open":
      return withOverdue(supportDb, page, undefined, (rest) => readOpen(supportDb, rest));
    case "closed":
      return select(supportDb, IS_CLOSED, page);
    case "mine":
      return readOpenOf(supportDb, page, page.agentId);
    case "unassigned":
      return readOpenOf(supportDb, page, "");
    case "snoozed":
      return select(supportDb, isSnoozed(page.now), page);
    default:
      throw new Error(`unknown view ${page.view satisfies never}`);
  }
}

/** Reads the open conversations of one assignee. `assigneeId` is empty for unassigned, as in the counts. */
function readOpenOf(supportDb: SupportDb, page: Page, assigneeId: string) {
  const { assigneeId: assignee } = supportSessions;
  // The plus keeps SQLite from reading all of theirs by another index.
  const isOverdueOf = assigneeId === "" ? sql`+${assignee} is null` : sql`+${assignee} = ${assigneeId}`;
  return withOverdue(supportDb, page, isOverdueOf, async (rest) =>
    select(supportDb, isOpenOf(assigneeId, page.now), rest),
  );
}

/** Reads those that are overdue, the longest first, and after them the others, which `readOthers` reads. */
async function withOverdue(
  supportDb: SupportDb,
  page: Page,
  condition: SQL | undefined,
  readOthers: (page: Page) => Promise<OpenRow[]>,
): Promise<OpenRow[]> {
  const { filter, after, limit, now } = page;
  if (after && !after.isOverdue) return readOthers(page);
  const { respondBy, snoozedUntil, id } = supportSessions;
  const [overdue, others] = await Promise.all([
    supportDb
      .select(ROW)
      .from(supportSessions)
      .where(
        and(
          // Literal, because SQLite uses a partial index only if the query repeats its condition.
          sql`${supportSessions.status} = 'open' and ${respondBy} > 0 and ${respondBy} <= ${now}`,
          sql`${snoozedUntil} <= ${now}`,
          condition,
          filter?.assigneeId ? sql`+${supportSessions.assigneeId} = ${filter.assigneeId}` : undefined,
          filter && filter.tag !== "" ? hasTag(filter.tag) : undefined,
          after ? sql`(${respondBy}, ${id}) > (${after.at}, ${after.id})` : undefined,
        ),
      )
      .orderBy(asc(respondBy), asc(id))
      .limit(limit),
    readOthers({ ...page, after: null }),
  ]);
  return [...overdue, ...others].slice(0, limit);
}

/**
 * Merges the newest open conversations of each assignee. An index of all open conversations by time would cost a written
 * row per message; this costs a page of reads per member of the team.
 */
async function readOpen(supportDb: SupportDb, page: Page): Promise<OpenRow[]> {
  const assignees = await supportDb
    .select({ id: supportCounts.assigneeId })
    .from(supportCounts)
    .where(and(eq(supportCounts.status, "open"), gt(supportCounts.conversations, 0)));
  const [first, ...others] = assignees.map(({ id }) => select(supportDb, isOpenOf(id, page.now), page));
  if (!first) return [];
  const lists = await supportDb.batch([first, ...others]);
  return lists
    .flat()
    .sort((one, other) => comparePlaces(placeOf(one, page.now), placeOf(other, page.now)))
    .slice(0, page.limit);
}

function select(supportDb: SupportDb, condition: SQL | undefined, { filter, after, limit }: Page) {
  const { updatedAt, id, assigneeId } = supportSessions;
  const isAfter = after ? sql`(${updatedAt}, ${id}) < (${after.at}, ${after.id})` : undefined;
  const isOfAgent = filter?.assigneeId ? eq(assigneeId, filter.assigneeId) : undefined;
  if (filter && filter.tag !== "") {
    // No index has the tags, so the search for one ends after the newest.
    const newest = supportDb
      .select({ id })
      .from(supportSessions)
      .where(and(condition, isOfAgent, isAfter))
      .orderBy(desc(updatedAt), desc(id))
      .limit(TAG_SEARCHED_MAX);
    return supportDb
      .select(ROW)
      .from(supportSessions)
      .where(and(inArray(id, newest), hasTag(filter.tag)))
      .orderBy(desc(updatedAt), desc(id))
      .limit(limit);
  }
  return supportDb
    .select(ROW)
    .from(supportSessions)
    .where(and(condition, isOfAgent, isAfter))
    .orderBy(desc(updatedAt), desc(id))
    .limit(limit);
}

function hasTag(tag: string): SQL {
  return sql`exists (select 1 from json_each(${supportSessions.tags}) where value = ${tag} collate nocase)`;
}

// Literal, because SQLite uses a partial index only if the query repeats its condition.
const IS_CLOSED = sql`${supportSessions.status} = 'closed'`;

function isTheirs(assigneeId: string): SQL {
  return assigneeId === "" ? isNull(supportSessions.assigneeId) : eq(supportSessions.assigneeId, assigneeId);
}

/** Leaves out those that are overdue, which come before them. */
function isOpenOf(assigneeId: string, now: number): SQL | undefined {
  const { status, snoozedUntil, respondBy } = supportSessions;
  const isInTime = sql`(${respondBy} = 0 or ${respondBy} > ${now})`;
  return and(isTheirs(assigneeId), eq(status, "open"), sql`${snoozedUntil} <= ${now}`, isInTime);
}

/**
 * A range of the index of snoozed ones. Those whose time has passed are awake, though their row still names it. The first
 * bound is where SQLite starts in the index.
 */
function isSnoozed(now: number): SQL {
  return sql`${supportSessions.status} = 'open' and ${supportSessions.snoozedUntil} > ${now} and ${supportSessions.snoozedUntil} > 0`;
}

/** Returns the condition that a conversation is one of the filter's, for the search for its words. */
export function isInFilter(
  { view, tag, assigneeId }: Omit<SavedFilter, "id" | "name" | "words">,
  agentId: string,
  now: number,
): SQL | undefined {
  const conditions = {
    open: and(eq(supportSessions.status, "open"), sql`${supportSessions.snoozedUntil} <= ${now}`),
    mine: and(isTheirs(agentId), eq(supportSessions.status, "open"), sql`${supportSessions.snoozedUntil} <= ${now}`),
    unassigned: and(isTheirs(""), eq(supportSessions.status, "open"), sql`${supportSessions.snoozedUntil} <= ${now}`),
    closed: eq(supportSessions.status, "closed"),
    snoozed: isSnoozed(now),
  };
  const inView = conditions[view];
  return and(
    inView,
    assigneeId === "" ? undefined : eq(supportSessions.assigneeId, assigneeId),
    tag === "" ? undefined : hasTag(tag),
  );
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
): Promise<Pick<InboxPage, "counts" | "changesAt" | "mentions">> {
  const [rows, snoozed, due, mentions] = await supportDb.batch([
    ...selectTotals(supportDb, now),
    selectUnreadMentions(supportDb, agentId),
  ]);
  const { totals, changesAt } = totalsOf(rows, snoozed, due);
  return { counts: countsOf(totals, agentId), changesAt, mentions };
}

/** Reads what hints tell consoles about these conversations, in one round trip. */
export async function readInboxChanges(supportDb: SupportDb, sessionIds: string[]): Promise<Map<string, InboxChange>> {
  const readAt = Date.now();
  const ids = sql`(select value from json_each(${JSON.stringify(sessionIds)}))`;
  const [rows, counted, snoozed, due, mentions] = await supportDb.batch([
    supportDb.select(ROW).from(supportSessions).where(inArray(supportSessions.sessionId, ids)),
    ...selectTotals(supportDb, readAt),
    selectUnreadMentionsIn(supportDb, ids),
  ]);
  const totals = totalsOf(counted, snoozed, due);
  const found = new Map(rows.map((row) => [row.sessionId, toRow(row)]));
  return new Map(
    sessionIds.map((id) => {
      const own = mentions.filter(({ sessionId }) => sessionId === id);
      return [id, { row: found.get(id) ?? null, ...totals, mentions: own, readAt }];
    }),
  );
}

function selectTotals(supportDb: SupportDb, now: number) {
  const { assigneeId: assignee, lastSeq, agentReadSeq, snoozedUntil, respondBy } = supportSessions;
  return [
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
    supportDb
      .select({ at: sql<number | null>`min(${respondBy})` })
      .from(supportSessions)
      // The first bound is where SQLite starts in the index.
      .where(sql`${supportSessions.status} = 'open' and ${respondBy} > ${now} and ${respondBy} > 0`),
  ] as const;
}

type Totals = BatchResponse<ReturnType<typeof selectTotals>>;

function totalsOf(...[rows, snoozed, due]: Totals): { totals: InboxTotal[]; changesAt: number | null } {
  const next = Math.min(...snoozed.map(({ wakesAt }) => wakesAt), ...due.map(({ at }) => at ?? UNTIL_ANSWER_MS));
  const totals = [
    ...rows.map((one) => ({ ...one, isSnoozed: false })),
    ...snoozed.map(({ wakesAt: _, ...one }) => ({ ...one, status: "open" as const, isSnoozed: true })),
  ];
  return { totals, changesAt: next < UNTIL_ANSWER_MS ? next : null };
}

function toRow<T extends { unread: number }>(row: T): Omit<T, "unread"> & { unread: boolean } {
  return { ...row, unread: row.unread === 1 };
}
