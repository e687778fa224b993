import { lt } from "drizzle-orm";
import type { Db } from "#app/db/db.server.ts";
import { deleteOldest, MANY_ROWS } from "#app/db/delete-in-chunks.server.ts";
import { webhookDeliveries } from "#app/db/schema.server.ts";
import { DAY_MS } from "#app/time.ts";
import { isPending } from "./pending-deliveries.server.ts";

/** Deletes deliveries after that many days, but none that is pending. */
export async function deleteOldDeliveries(db: Db, keptDays: number): Promise<void> {
  const isOld = lt(webhookDeliveries.createdAt, Date.now() - keptDays * DAY_MS);
  await deleteOldest(db, webhookDeliveries, { isOld, isKept: isPending }, MANY_ROWS);
}
