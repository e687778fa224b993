import { and, asc, desc, eq, gt, isNull, lt, sql } from "drizzle-orm";
import type { Db } from "#app/db/db.server.ts";
import { type EmailStatus, emailSuppressions, emails } from "#app/db/schema.server.ts";
import { addressDigest } from "./suppressions.server.ts";

/** Emails as staff see them, without their contents. */

const DAY_MS = 24 * 60 * 60_000;
/** Counting reads at most this many rows. */
export const MAX_COUNTED = 10_000;
const LAST_CHARACTER = "\uffff";

/** The last row of a page: its time (ms) and its id. */
export type EmailCursor = { at: number; id: string };

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

/** Lists emails that did not arrive, newest first, below the cursor. One more than `limit` if there is another page. */
export function listFailedEmails(db: Db, before: EmailCursor | null, limit: number) {
  const below = before && sql`(${emails.createdAt}, ${emails.id}) < (${before.at}, ${before.id})`;
  return db
    .select(shown)
    .from(emails)
    .where(and(isFailed, below ?? undefined))
    .orderBy(desc(emails.createdAt), desc(emails.id))
    .limit(limit + 1);
}

/** Lists queued emails, the next due first, above the cursor. One more than `limit` if there is another page. */
export function listWaitingEmails(db: Db, after: EmailCursor | null, limit: number) {
  const above = after && sql`(${emails.nextAttemptAt}, ${emails.id}) > (${after.at}, ${after.id})`;
  return db
    .select(shown)
    .from(emails)
    .where(and(isQueued, above ?? undefined))
    .orderBy(asc(emails.nextAttemptAt), asc(emails.id))
    .limit(limit + 1);
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
export const STUCK_MS = 15 * 60_000;
const HOUR_MS = 60 * 60_000;

/** The check of each minute counts no further, so that it costs the same while emails pile up. */
export const TROUBLE_COUNTED_TO = 20;

/**
 * Returns the statements that count the emails that have waited for 15 minutes and those that failed in the last hour, up
 * to `TROUBLE_COUNTED_TO`. Those that bounced or were suppressed say nothing about the email service.
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
  return {
    stuck: db
      .select({ ...figures(next), since: sql<number | null>`min(${next.createdAt})`.as("since") })
      .from(next)
      .where(lt(next.createdAt, now - STUCK_MS)),
    failed: db.select(figures(last)).from(last).where(sql`${last.status} in ('failed', 'expired')`),
  };
}

const suppression = {
  digest: emailSuppressions.addressDigest,
  address: emailSuppressions.emailAddress,
  reason: emailSuppressions.reason,
  detail: emailSuppressions.detail,
  createdAt: emailSuppressions.createdAt,
};
export type StaffSuppression = Awaited<ReturnType<typeof listSuppressed>>[number];

const isActive = sql`${emailSuppressions.liftedAt} is null`;

/** Lists suppressed addresses, newest first, below the cursor. One more than `limit` if there is another page. */
export function listSuppressed(db: Db, before: EmailCursor | null, limit: number) {
  const { addressDigest: digest, createdAt } = emailSuppressions;
  const below = before && sql`(${createdAt}, ${digest}) < (${before.at}, ${before.id})`;
  return db
    .select(suppression)
    .from(emailSuppressions)
    .where(and(isActive, below ?? undefined))
    .orderBy(desc(createdAt), desc(digest))
    .limit(limit + 1);
}

/**
 * Finds suppressed addresses that start with the text, in alphabetical order. Also finds the address that is exactly the
 * text if it is known only as a digest. One more than `limit` if there are others.
 */
export async function findSuppressed(db: Db, text: string, limit: number): Promise<StaffSuppression[]> {
  const { addressDigest: digest, emailAddress } = emailSuppressions;
  const [exact, byStart] = await db.batch([
    db
      .select(suppression)
      .from(emailSuppressions)
      .where(and(eq(digest, addressDigest(text)), isActive, isNull(emailAddress))),
    db
      .select(suppression)
      .from(emailSuppressions)
      .where(and(isActive, sql`${emailAddress} >= ${text}`, sql`${emailAddress} < ${text + LAST_CHARACTER}`))
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
