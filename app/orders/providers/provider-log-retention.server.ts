import { lt, sql } from "drizzle-orm";
import type { Db } from "#app/db/db.server.ts";
import { deleteInChunks, deleteOldest, MANY_ROWS } from "#app/db/delete-in-chunks.server.ts";
import { catalogChanges, providerLog, quarantine, unreadAnswers } from "#app/db/schema.server.ts";
import { DAY_MS } from "#app/time.ts";
import { MAX_UNREAD } from "./dialect.server.ts";

export const CATALOG_CHANGE_DAYS = 180;
/** Unread words of a provider and kind that are left each night, so that there is room for the next day's. */
const KEPT_UNREAD = MAX_UNREAD / 2;

/**
 * Deletes provider responses after that many days, except those about an order, refill or cancellation that is still held. An entry may
 * have 10,000 characters, so this bounds the largest table that isn't money. What could not be read is forgotten as long
 * after it was last seen, and before that if a provider has many that were seen more often, or as often and later.
 */
export async function deleteOldProviderLog(db: Db, keptDays: number, now = Date.now()): Promise<void> {
  const heldIn = (table: string, key: string) =>
    sql.raw(`exists (select 1 from ${table} h where h.${key} = provider_log.order_id and h.fulfillment = 'held')`);
  const isOld = lt(providerLog.createdAt, now - keptDays * DAY_MS);
  const isKept = sql`${heldIn("orders", "id")} or ${heldIn("refills", "order_id")} or ${heldIn("cancellations", "order_id")}`;
  await deleteOldest(db, providerLog, { isOld, isKept }, MANY_ROWS);
  await deleteInChunks(db, unreadAnswers, lt(unreadAnswers.lastSeenAt, now - keptDays * DAY_MS));
  // The table is small: it has a bound for each provider.
  const ranked = sql`select provider_id, kind, key, row_number() over
    (partition by provider_id, kind order by seen desc, last_seen_at desc) as rank from unread_answers`;
  const isRare = sql`(provider_id, kind, key) in (select provider_id, kind, key from (${ranked}) where rank > ${KEPT_UNREAD})`;
  await deleteInChunks(db, unreadAnswers, isRare);
}

/** Deletes old entries of the list of catalog changes, which shows only the newest, and old decisions about them. */
export async function deleteOldCatalogChanges(db: Db, now = Date.now()): Promise<void> {
  await deleteInChunks(db, quarantine, lt(quarantine.decidedAt, now - CATALOG_CHANGE_DAYS * DAY_MS));
  await deleteOldest(db, catalogChanges, { isOld: lt(catalogChanges.createdAt, now - CATALOG_CHANGE_DAYS * DAY_MS) });
}
