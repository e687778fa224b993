import { lt } from "drizzle-orm";
import type { Db } from "#app/db/db.server.ts";
import { deleteInChunks, MANY_ROWS } from "#app/db/delete-in-chunks.server.ts";
import { salesDays } from "#app/db/schema.server.ts";
import { salesDayOf } from "./sales-period.ts";

/** Two years and a bit, to compare a month with that of the year before. The totals of days stay. */
const KEPT_DAYS = 800;

/** Deletes the sales by service and provider of days more than 800 days ago. */
export async function deleteOldSales(db: Db, now = Date.now()): Promise<void> {
  await deleteInChunks(db, salesDays, lt(salesDays.day, salesDayOf(now) - KEPT_DAYS), MANY_ROWS);
}
