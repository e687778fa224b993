import { and, asc, isNotNull, lte, sql } from "drizzle-orm";
import type { Db } from "#app/db/db.server.ts";
import { gmailSyncStatus } from "#app/db/schema.server.ts";
import { hasToken, isSuspended, type MailboxOwner, ownedBy } from "#app/gmail/tokens/mailbox-owner.server.ts";
import { MINUTE_MS } from "#app/time.ts";

/** Time between two looks at the mailbox of a suspended account, which only see whether it still is. */
const SUSPENDED_CHECK_MS = 15 * MINUTE_MS;

/** Returns mailboxes due for a sync, longest waiting first. */
export async function dueMailboxes(db: Db, now: number, limit: number): Promise<MailboxOwner[]> {
  return db
    .select({ userId: gmailSyncStatus.userId, ownerDigest: gmailSyncStatus.ownerDigest })
    .from(gmailSyncStatus)
    .where(and(lte(gmailSyncStatus.nextSyncAt, now), lte(gmailSyncStatus.leaseUntil, now)))
    .orderBy(asc(gmailSyncStatus.nextSyncAt))
    .limit(limit);
}

/** Returns when the next mailbox is due (ms since 1970), or null if none is scheduled. */
export async function nextSyncTime(db: Db): Promise<number | null> {
  const [next] = await db
    .select({ at: gmailSyncStatus.nextSyncAt })
    .from(gmailSyncStatus)
    .where(isNotNull(gmailSyncStatus.nextSyncAt))
    .orderBy(asc(gmailSyncStatus.nextSyncAt))
    .limit(1);
  return next?.at ?? null;
}

/** Removes a mailbox from the schedule until it is connected again. Changes nothing if it already is. */
export async function unschedule(db: Db, owner: MailboxOwner): Promise<void> {
  await db
    .update(gmailSyncStatus)
    .set({ nextSyncAt: null })
    .where(and(ownedBy(gmailSyncStatus, owner), sql`not ${hasToken(owner)}`));
}

/** Postpones the sync of a suspended account, and returns whether it did. It continues soon after a reactivation. */
export async function postponeIfSuspended(db: Db, owner: MailboxOwner, now: number): Promise<boolean> {
  const postponed = await db
    .update(gmailSyncStatus)
    .set({ nextSyncAt: now + SUSPENDED_CHECK_MS })
    .where(and(ownedBy(gmailSyncStatus, owner), isSuspended(owner)))
    .returning({ userId: gmailSyncStatus.userId });
  return postponed.length > 0;
}

/** Turns automatic sync on or off. A pending sync continues either way. */
export async function setAutoSync(db: Db, owner: MailboxOwner, on: boolean, now = Date.now()): Promise<void> {
  await db
    .insert(gmailSyncStatus)
    .values({ ...owner, autoSync: on, nextSyncAt: on ? now : null })
    .onConflictDoUpdate({
      target: [gmailSyncStatus.userId, gmailSyncStatus.ownerDigest],
      set: {
        autoSync: on,
        nextSyncAt: on
          ? sql`coalesce(${gmailSyncStatus.nextSyncAt}, ${now})`
          : sql`case when ${gmailSyncStatus.pending} <> '[]' or ${gmailSyncStatus.leaseUntil} > ${now} then ${gmailSyncStatus.nextSyncAt} end`,
      },
    });
}

/** Clears the failures after a new connection, and makes an automatic or interrupted sync due at once. */
export async function rescheduleSync(db: Db, owner: MailboxOwner, now: number): Promise<void> {
  await db
    .update(gmailSyncStatus)
    .set({
      lastError: null,
      failures: 0,
      nextSyncAt: sql`case when ${gmailSyncStatus.autoSync} or ${gmailSyncStatus.pending} <> '[]' then cast(${now} as integer) else ${gmailSyncStatus.nextSyncAt} end`,
    })
    .where(ownedBy(gmailSyncStatus, owner));
}
