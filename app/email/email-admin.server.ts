import { and, asc, desc, eq, gt, inArray, isNull, lt, sql } from "drizzle-orm";
import type { Db } from "#app/db/db.server.ts";
import { keyset, within } from "#app/db/keyset.server.ts";
import { type EmailStatus, emailSuppressions, emails } from "#app/db/schema.server.ts";
import { lookupEmail } from "#app/email-address.ts";
import { ANY_TIME, readDayRange, type TimeRange } from "#app/http/lists/day-range.ts";
import { type ListCursor, type ListPage, listPage, readSort, type Sort } from "#app/http/lists/list-query.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "#app/time.ts";
import { RECIPIENT_SERVER_CODE } from "./email-outcome.ts";
import { addressDigest } from "./suppressions.server.ts";

/** Emails as staff see them, without their contents. */

/** Counting reads at most this many rows. */
export const MAX_COUNTED = 10_000;
const LAST_CHARACTER = "\uffff";

/** Literals, so that SQLite uses the partial indexes. */
const isFailed = sql`${emails.status} not in ('queued', 'sent')`;
const isQueued = sql`${emails.status} = 'queued'`;

const shown = {
  id: emails.id,
  userId: emails.userId,
  recipient: emails.recipient,
  kind: emails.kind,
  status: emails.status,
  attempts: emails.attempts,
  nextAttemptAt: emails.nextAttemptAt,
  lastError: emails.lastError,
  createdAt: emails.createdAt,
};

const SORTS = ["created"] as const;

type EmailQuery = { between: TimeRange; sort: Sort<"created"> };

/** Reads what the URL asks for. Emails that wait are sorted by their next attempt, the next one first. */
export function readEmailQuery(searchParams: URLSearchParams, isWaiting: boolean) {
  const { between, ...days } = readDayRange(searchParams);
  const sort = readSort(searchParams, SORTS, isWaiting ? "created" : "-created");
  return { between: isWaiting ? ANY_TIME : between, days, sort, sorts: SORTS };
}

/** Lists emails that did not arrive, after the cursor. */
export async function listFailedEmails(
  db: Db,
  { between, sort }: EmailQuery,
  cursor: ListCursor | null,
  limit: number,
): Promise<ListPage<StaffEmail>> {
  const { after, order } = keyset({ value: emails.createdAt, id: emails.id, ...sort }, cursor);
  const rows = await selectEmails(db)
    .where(and(isFailed, within(emails.createdAt, between), after))
    .orderBy(...order)
    .limit(limit + 1);
  return listPage(rows, limit, ({ createdAt, id }) => ({ value: createdAt, id }));
}

/** Lists queued emails by their next attempt, after the cursor. */
export async function listWaitingEmails(
  db: Db,
  { sort }: EmailQuery,
  cursor: ListCursor | null,
  limit: number,
): Promise<ListPage<StaffEmail>> {
  const { after, order } = keyset({ value: emails.nextAttemptAt, id: emails.id, ...sort }, cursor);
  const rows = await selectEmails(db)
    .where(and(isQueued, after))
    .orderBy(...order)
    .limit(limit + 1);
  return listPage(rows, limit, ({ nextAttemptAt, id }) => ({ value: nextAttemptAt ?? 0, id }));
}

export type StaffEmail = Awaited<ReturnType<typeof selectEmails>>[number];

function selectEmails(db: Db) {
  return db.select(shown).from(emails).$dynamic();
}

/** Counts the emails of the last day by status, and all that wait. */
export async function countEmails(db: Db): Promise<{ lastDay: Partial<Record<EmailStatus, number>>; waiting: number }> {
  const since = Date.now() - DAY_MS;
  const [byStatus, [waiting]] = await db.batch([
    db
      .select({ status: sql<EmailStatus>`status`, count: sql<number>`count(*)` })
      .from(
        sql`(select ${emails.status} from ${emails} where ${gt(emails.createdAt, since)}
          order by ${emails.createdAt} desc limit ${MAX_COUNTED})`,
      )
      .groupBy(sql`status`),
    db
      .select({ count: sql<number>`count(*)` })
      .from(sql`(select 1 from ${emails} where ${isQueued} limit ${MAX_COUNTED})`),
  ]);
  return {
    lastDay: Object.fromEntries(byStatus.map(({ status, count }) => [status, count])),
    waiting: waiting?.count ?? 0,
  };
}

/** An email is sent within seconds. One that has waited for so long can't be sent. */
export const STUCK_MS = 15 * MINUTE_MS;

/** The check of each minute counts no further, so that it costs the same while emails pile up. */
export const TROUBLE_COUNTED_TO = 20;

/**
 * Returns the statements that count the emails that have waited for 15 minutes and those that failed in the last hour, up
 * to `TROUBLE_COUNTED_TO`. `since`: when the oldest of those that wait was queued. `newest`: when the newest was of those
 * that the recipient's server doesn't explain. Those that bounced or were suppressed say nothing about the email service.
 */
export function selectEmailTrouble(db: Db, now: number) {
  const next = db
    .select({ createdAt: emails.createdAt, lastError: emails.lastError })
    .from(emails)
    .where(isQueued)
    .orderBy(asc(emails.nextAttemptAt))
    .limit(TROUBLE_COUNTED_TO)
    .as("next");
  const last = db
    .select({ status: emails.status, lastError: emails.lastError })
    .from(emails)
    .where(and(isFailed, gt(emails.createdAt, now - HOUR_MS)))
    .orderBy(desc(emails.createdAt))
    .limit(TROUBLE_COUNTED_TO)
    .as("last");
  const figures = (table: typeof next | typeof last) => ({
    count: sql<number>`count(*)`.as("count"),
    error: sql<string | null>`max(${table.lastError})`.as("error"),
  });
  const unexplained = sql`iif(instr(ifnull(${next.lastError}, ''), ${RECIPIENT_SERVER_CODE}) = 1, null, ${next.createdAt})`;
  return {
    stuck: db
      .select({
        ...figures(next),
        since: sql<number | null>`min(${next.createdAt})`.as("since"),
        newest: sql<number | null>`max(${unexplained})`.as("newest"),
      })
      .from(next)
      .where(lt(next.createdAt, now - STUCK_MS)),
    failed: db.select(figures(last)).from(last).where(sql`${last.status} in ('failed', 'expired')`),
  };
}

/** Emails sent since then are looked for among so many of the newest. */
const LOOKED_AT = 1000;

/** Returns whether an email that was queued after `since` left for its recipient. */
export async function hasSentSince(db: Db, since: number): Promise<boolean> {
  const newest = db
    .select({ status: emails.status })
    .from(emails)
    .where(gt(emails.createdAt, since))
    .orderBy(desc(emails.createdAt))
    .limit(LOOKED_AT)
    .as("newest");
  const sent = await db
    .select({ status: newest.status })
    .from(newest)
    .where(inArray(newest.status, ["sent", "bounced", "complained"]))
    .limit(1);
  return sent.length > 0;
}

const suppression = {
  digest: emailSuppressions.addressDigest,
  address: emailSuppressions.emailAddress,
  reason: emailSuppressions.reason,
  detail: emailSuppressions.detail,
  createdAt: emailSuppressions.createdAt,
};
export type StaffSuppression = Awaited<ReturnType<typeof selectSuppressions>>[number];

function selectSuppressions(db: Db) {
  return db.select(suppression).from(emailSuppressions).$dynamic();
}

const isActive = sql`${emailSuppressions.liftedAt} is null`;

/** Lists suppressed addresses by the time since when they are, after the cursor. */
export async function listSuppressed(
  db: Db,
  { between, sort }: EmailQuery,
  cursor: ListCursor | null,
  limit: number,
): Promise<ListPage<StaffSuppression>> {
  const { addressDigest: digest, createdAt } = emailSuppressions;
  const { after, order } = keyset({ value: createdAt, id: digest, ...sort }, cursor);
  const rows = await selectSuppressions(db)
    .where(and(isActive, within(createdAt, between), after))
    .orderBy(...order)
    .limit(limit + 1);
  return listPage(rows, limit, (row) => ({ value: row.createdAt, id: row.digest }));
}

/**
 * Finds suppressed addresses that start with the text, in alphabetical order. Also finds the address that is exactly the
 * text if it is known only as a digest. One more than `limit` if there are others.
 */
export async function findSuppressed(db: Db, text: string, limit: number): Promise<StaffSuppression[]> {
  const { addressDigest: digest, emailAddress } = emailSuppressions;
  const start = lookupEmail(text);
  const [exact, byStart] = await db.batch([
    db
      .select(suppression)
      .from(emailSuppressions)
      .where(and(eq(digest, addressDigest(text)), isActive, isNull(emailAddress))),
    db
      .select(suppression)
      .from(emailSuppressions)
      .where(and(isActive, sql`${emailAddress} >= ${start}`, sql`${emailAddress} < ${start + LAST_CHARACTER}`))
      .orderBy(asc(emailAddress))
      .limit(limit + 1),
  ]);
  return [...exact, ...byStart];
}

/** Returns a suppressed address, or null. */
export async function readSuppression(db: Db, digest: string): Promise<StaffSuppression | null> {
  const [found] = await db
    .select(suppression)
    .from(emailSuppressions)
    .where(and(eq(emailSuppressions.addressDigest, digest), isActive));
  return found ?? null;
}
