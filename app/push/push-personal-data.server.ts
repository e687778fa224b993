import { asc, eq } from "drizzle-orm";
import type { Db } from "#app/db/db.server.ts";
import { isoTime } from "#app/db/iso-time.ts";
import { pushSubscriptions } from "#app/db/schema.server.ts";
import { ownerOfAccount } from "./subscriptions.server.ts";

/** Exports the account's devices that get notifications, without what reaches them. Times are ISO 8601. */
export async function exportDevices(db: Db, userId: string) {
  const { kind, service, createdAt, seenAt } = pushSubscriptions;
  const rows = await db
    .select({ kind, service, createdAt, seenAt })
    .from(pushSubscriptions)
    .where(eq(pushSubscriptions.owner, ownerOfAccount(userId)))
    .orderBy(asc(createdAt));
  return rows.map((row) => ({ ...row, createdAt: isoTime(row.createdAt), seenAt: isoTime(row.seenAt) }));
}
