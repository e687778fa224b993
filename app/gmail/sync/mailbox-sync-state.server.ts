import { and, eq, inArray, lte, sql } from "drizzle-orm";
import { z } from "zod";
import type { Db } from "#app/db/db.server.ts";
import { gmailMessages, gmailSyncStatus } from "#app/db/schema.server.ts";
import type { GmailMessage } from "#app/gmail/api/gmail-message.server.ts";
import { hasToken, isSuspended, type MailboxOwner, ownedBy } from "#app/gmail/tokens/mailbox-owner.server.ts";
import { MINUTE_MS } from "#app/time.ts";

/**
 * The row of `gmail_sync_status`: lease and progress of a sync. Every write names the lease, so a sync that
 * lost it, or whose mailbox was disconnected or account suspended, cannot write.
 */

export type SyncRow = Omit<typeof gmailSyncStatus.$inferSelect, "pending"> & { pending: string[] };
export type Lease = { owner: MailboxOwner; id: string };

export class LeaseLost extends Error {
  override name = "LeaseLost";
}

/** Longer than the longest wait, a refresh of the token and the longest request: the lease is renewed before each one. */
export const LEASE_MS = 120_000;
/** The lease is renewed once this much of it has passed. */
const RENEW_AFTER_MS = 15_000;
/** Limit for one mailbox, so that neither the database nor what its page reads grows with the mail of years. */
export const MESSAGES_KEPT = 2000;
const AUTO_EVERY_MS = 15 * MINUTE_MS;
const AUTO_JITTER_MS = 2 * MINUTE_MS;

const idList = z.array(z.string());

export async function readSyncRow(db: Db, owner: MailboxOwner): Promise<SyncRow | null> {
  const [row] = await db.select().from(gmailSyncStatus).where(ownedBy(gmailSyncStatus, owner)).limit(1);
  return row ? withPending(row) : null;
}

/**
 * Claims the mailbox, or returns null if another sync is running. The dispatcher resumes syncs whose lease expired. Only
 * updates the row, which connecting inserts: deleting an account deletes the row first, and nothing is read after that.
 */
export async function claimLease(
  db: Db,
  owner: MailboxOwner,
  now: number,
): Promise<{ lease: Lease; row: SyncRow } | null> {
  const id = crypto.randomUUID();
  const claim = { leaseId: id, leaseUntil: now + LEASE_MS, nextSyncAt: now + LEASE_MS };
  const [row] = await db
    .update(gmailSyncStatus)
    .set(claim)
    .where(and(ownedBy(gmailSyncStatus, owner), lte(gmailSyncStatus.leaseUntil, now)))
    .returning();
  return row ? { lease: { owner, id }, row: withPending(row) } : null;
}

/** Returns a function that renews the lease if it is time to. It throws LeaseLost. Call it before each request. */
export function leaseKeeper(db: Db, lease: Lease, now: () => number): () => Promise<void> {
  let renewedAt = now();
  return async () => {
    const at = now();
    if (at - renewedAt < RENEW_AFTER_MS) return;
    const kept = await db
      .update(gmailSyncStatus)
      .set(renewed(at))
      .where(held(lease))
      .returning({ id: gmailSyncStatus.leaseId });
    if (kept.length === 0) throw new LeaseLost();
    renewedAt = at;
  };
}

/** How many messages the mailbox has at a history id, or by how many it grew since the last one. */
export type MailboxSize = { total: number } | { growth: number };

/**
 * Stores the plan of a sync with the size of the mailbox, and deletes messages that left it. If there is nothing to read,
 * this also advances the history id. Planning the same changes again would count the growth twice. Throws LeaseLost.
 */
export async function writePlan(
  db: Db,
  lease: Lease,
  plan: { pending: string[]; historyId: string | null; removed: string[]; size: MailboxSize },
  now: number,
): Promise<void> {
  const { pending, removed, historyId, size } = plan;
  const isDone = "growth" in size && pending.length === 0 && historyId !== null;
  const [updated] = await db.batch([
    db
      .update(gmailSyncStatus)
      .set({
        pending: JSON.stringify(pending),
        ...(isDone ? { historyId, pendingHistoryId: null } : { pendingHistoryId: historyId }),
        totalMessages:
          "total" in size
            ? size.total
            : sql`max(0, ${gmailSyncStatus.totalMessages} + cast(${size.growth} as integer))`,
        progress: 0,
        progressTotal: pending.length,
        ...renewed(now),
      })
      .where(held(lease))
      .returning({ id: gmailSyncStatus.leaseId }),
    db
      .delete(gmailMessages)
      .where(and(ownedBy(gmailMessages, lease.owner), inArray(gmailMessages.id, each(removed)), stillHeld(lease))),
  ]);
  if (updated.length === 0) throw new LeaseLost();
}

/** Deletes stored messages from the listed time range that the list doesn't contain: they have left the mailbox. */
export async function dropUnlisted(db: Db, lease: Lease, listed: { ids: string[]; whole: boolean }): Promise<void> {
  const { ids, whole } = listed;
  const oldestListed = sql`(select min(internal_date) from gmail_messages
    where user_id = ${lease.owner.userId} and owner_digest = ${lease.owner.ownerDigest} and id in ${each(ids)})`;
  await db
    .delete(gmailMessages)
    .where(
      and(
        ownedBy(gmailMessages, lease.owner),
        sql`${gmailMessages.id} not in ${each(ids)}`,
        whole ? undefined : sql`${gmailMessages.internalDate} >= ${oldestListed}`,
        stillHeld(lease),
      ),
    );
}

/** Stores messages, once each, together with the progress. Throws LeaseLost. */
export async function writeProgress(
  db: Db,
  lease: Lease,
  step: { found: GmailMessage[]; gone: string[]; pending: string[]; progress: number },
  now: number,
): Promise<void> {
  const { userId, ownerDigest } = lease.owner;
  const column = (name: keyof GmailMessage) => sql.raw(`json_extract(value, '$.${name}')`);
  const [updated] = await db.batch([
    db
      .update(gmailSyncStatus)
      .set({ pending: JSON.stringify(step.pending), progress: step.progress, ...renewed(now) })
      .where(held(lease))
      .returning({ id: gmailSyncStatus.leaseId }),
    db
      .insert(gmailMessages)
      .select(
        sql`select ${column("id")} as id, ${userId} as user_id, ${ownerDigest} as owner_digest,
          ${column("fromEmail")} as from_email, ${column("fromName")} as from_name, ${column("subject")} as subject,
          ${column("snippet")} as snippet, ${column("internalDate")} as internal_date
          from json_each(${JSON.stringify(step.found)}) where ${stillHeld(lease)}`,
      )
      .onConflictDoUpdate({
        target: [gmailMessages.userId, gmailMessages.ownerDigest, gmailMessages.id],
        set: { snippet: sql`excluded.snippet`, subject: sql`excluded.subject` },
      }),
    db
      .delete(gmailMessages)
      .where(and(ownedBy(gmailMessages, lease.owner), inArray(gmailMessages.id, each(step.gone)), stillHeld(lease))),
  ]);
  if (updated.length === 0) throw new LeaseLost();
}

/** Finishes a sync and returns the number of stored messages. Deletes the oldest beyond MESSAGES_KEPT. Throws LeaseLost. */
export async function finishSync(db: Db, lease: Lease, now: number, random: () => number): Promise<number> {
  const nextAuto = now + AUTO_EVERY_MS + Math.round(AUTO_JITTER_MS * random());
  const { userId, ownerDigest } = lease.owner;
  const oldestKept = sql`(select internal_date from gmail_messages where user_id = ${userId}
    and owner_digest = ${ownerDigest} order by internal_date desc limit 1 offset ${MESSAGES_KEPT - 1})`;
  const finish = db
    .update(gmailSyncStatus)
    .set({
      ...RELEASED,
      lastSyncAt: now,
      historyId: sql`coalesce(${gmailSyncStatus.pendingHistoryId}, ${gmailSyncStatus.historyId})`,
      pending: "[]",
      pendingHistoryId: null,
      lastError: null,
      failures: 0,
      nextSyncAt: sql`case when ${gmailSyncStatus.autoSync} then ${nextAuto} end`,
    })
    .where(held(lease))
    .returning({ stored: storedBy(lease.owner) });
  // The deletion first, so that the count is of what is left.
  const [, [row]] = await db.batch([
    db
      .delete(gmailMessages)
      .where(
        and(ownedBy(gmailMessages, lease.owner), sql`${gmailMessages.internalDate} < ${oldestKept}`, stillHeld(lease)),
      ),
    finish,
  ]);
  if (!row) throw new LeaseLost();
  return row.stored;
}

/** Stops a failed sync and keeps stored and pending messages. With `retryAt` null, it runs again only on request. */
export async function failSync(db: Db, lease: Lease, error: string, retryAt: number | null): Promise<void> {
  await db
    .update(gmailSyncStatus)
    .set({ ...RELEASED, lastError: error, failures: sql`${gmailSyncStatus.failures} + 1`, nextSyncAt: retryAt })
    .where(held(lease));
}

/**
 * Stops a sync whose tokens Google refuses. If the mailbox has been connected again meanwhile, it is synced again at once.
 */
export async function stopUntilConnected(db: Db, lease: Lease, error: string, now: number): Promise<void> {
  const isConnected = hasToken(lease.owner);
  await db
    .update(gmailSyncStatus)
    .set({
      ...RELEASED,
      lastError: sql`iif(${isConnected}, null, ${error})`,
      failures: sql`iif(${isConnected}, 0, ${gmailSyncStatus.failures} + 1)`,
      nextSyncAt: sql`iif(${isConnected}, cast(${now} as integer), null)`,
    })
    .where(held(lease));
}

/**
 * Releases the lease of an unfinished sync, which the dispatcher resumes at `retryAt`. Returns the number of stored
 * messages. Throws LeaseLost.
 */
export async function pauseSync(db: Db, lease: Lease, retryAt: number): Promise<number> {
  const [row] = await db
    .update(gmailSyncStatus)
    .set({ ...RELEASED, nextSyncAt: retryAt })
    .where(held(lease))
    .returning({ stored: storedBy(lease.owner) });
  if (!row) throw new LeaseLost();
  return row.stored;
}

/** Returns how many messages the mailbox has here. */
function storedBy({ userId, ownerDigest }: MailboxOwner) {
  return sql<number>`(select count(*) from gmail_messages as m
    where m.user_id = ${userId} and m.owner_digest = ${ownerDigest})`;
}

const RELEASED = { leaseUntil: 0, leaseId: null };

function renewed(now: number) {
  return { leaseUntil: now + LEASE_MS, nextSyncAt: now + LEASE_MS };
}

function held(lease: Lease) {
  const isOwned = ownedBy(gmailSyncStatus, lease.owner);
  return and(isOwned, eq(gmailSyncStatus.leaseId, lease.id), sql`not ${isSuspended(lease.owner)}`);
}

/** Returns the condition that the lease is still held, for statements on messages. */
function stillHeld({ owner, id }: Lease) {
  return sql`exists (select 1 from gmail_sync_status as s
    where s.user_id = ${owner.userId} and s.owner_digest = ${owner.ownerDigest} and s.lease_id = ${id}
      and not ${isSuspended(owner)})`;
}

/** Passes ids as one JSON parameter, because D1 limits bound parameters. */
function each(ids: string[]) {
  return sql`(select value from json_each(${JSON.stringify(ids)}))`;
}

function withPending(row: typeof gmailSyncStatus.$inferSelect): SyncRow {
  return { ...row, pending: idList.parse(JSON.parse(row.pending)) };
}
