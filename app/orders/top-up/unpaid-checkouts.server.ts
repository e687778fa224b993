import { and, lt, sql } from "drizzle-orm";
import type { Db } from "#app/db/db.server.ts";
import { deleteInChunks } from "#app/db/delete-in-chunks.server.ts";
import { checkouts } from "#app/db/schema.server.ts";
import { DAY_MS } from "#app/time.ts";
import { DELETED_STATUSES } from "./checkout-status.ts";

/** A payment page closes after a day, and Stripe repeats an event for three days. */
export const UNPAID_CHECKOUT_DAYS = 90;

/** Repeats the condition of the index literally. */
export const DELETED_LIST = sql.raw(`(${DELETED_STATUSES.map((status) => `'${status}'`).join(", ")})`);
const isUnpaid = sql`${checkouts.status} in ${DELETED_LIST}`;

/** Deletes old checkouts that were never paid: the payment page was closed, or didn't open. */
export async function deleteUnpaidCheckouts(db: Db, now = Date.now()): Promise<void> {
  const isOld = lt(checkouts.createdAt, now - UNPAID_CHECKOUT_DAYS * DAY_MS);
  await deleteInChunks(db, checkouts, and(isUnpaid, isOld));
}
