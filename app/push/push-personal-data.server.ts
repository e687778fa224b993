import { asc, eq } from "drizzle-orm";
import type { Db } from "#app/db/db.server.ts";
import { exportedColumns } from "#app/db/exported-columns.server.ts";
import { pushSubscriptions } from "#app/db/schema.server.ts";
import { ownerOfAccount } from "./subscriptions.server.ts";

/** Exports the account's devices that get notifications, without what reaches them. */
export function exportDevices(db: Db, userId: string) {
  return db
    .select(exportedColumns(pushSubscriptions))
    .from(pushSubscriptions)
    .where(eq(pushSubscriptions.owner, ownerOfAccount(userId)))
    .orderBy(asc(pushSubscriptions.createdAt));
}
