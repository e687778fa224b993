import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { DATABASES, type Manifest } from "#app/backup/format/backup-objects.ts";
import { type CheckedBackup, checkBackup } from "#app/backup/restore/read-backup.server.ts";
import { checkTarget, restoreDatabase } from "#app/backup/restore/restore-database.server.ts";
import { orders } from "#app/db/schema.server.ts";
import { closeOrder } from "#app/orders/fulfillment/close-order.server.ts";
import { credit } from "#app/orders/wallet/ledger.server.ts";
import { db } from "#tests/workerd/customer.ts";
import { placeOrders } from "#tests/workerd/place-orders.ts";
import { withoutDispatchers } from "#tests/workerd/sleeping-dispatchers.ts";
import { backupEnv, emptyDatabases, KEYS, takeBackup } from "./backup-databases.ts";

/** Tools for tests of whole backups: a site that keeps writing during one, and its restore. */

export const source = { bucket: env.BACKUPS, keys: KEYS };
const CUT = { at: 1, ledgerId: null, sequences: {}, migration: "" };
export const EMPTY_MANIFEST: Manifest = {
  version: 1,
  backupId: "",
  startedAt: 1,
  finishedAt: 1,
  tables: [],
  cuts: { DB: CUT, DB_SUPPORT: CUT },
  chunks: [],
  ledgerFaults: 0,
};

/** Puts a backup into emptied databases, and returns it. */
export async function restore(id: string): Promise<CheckedBackup> {
  const backup = await checkBackup(source, id);
  await emptyDatabases();
  for (const name of DATABASES) {
    await checkTarget(name, env[name], backup);
    await restoreDatabase(name, env[name], source, backup);
  }
  return backup;
}

/** Writes what a busy site writes while a backup runs: money, accounts and messages come, change and go. */
export async function writeALot(round: number): Promise<void> {
  if (round % 5 === 0) await writeMoney(round);
  await writeRows(round);
}

/** Places two orders, adds money and refunds one of the orders. */
export async function writeMoney(round: number): Promise<void> {
  const { orderIds, userId } = await placeOrders([
    `https://instagram.com/p/${round}`,
    `https://instagram.com/p/b${round}`,
  ]);
  await credit(db, userId, { kind: "topup", amount: 1_000_000 + round, note: `round ${round}` });
  const [order] = await db
    .select()
    .from(orders)
    .where(eq(orders.id, orderIds[0] ?? 0));
  if (order) {
    await closeOrder(db, withoutDispatchers, order, { status: "Canceled", remains: order.quantity, startCount: null });
  }
}

async function writeRows(round: number): Promise<void> {
  const statement = (query: string, ...values: unknown[]) => env.DB.prepare(query).bind(...values);
  await env.DB.batch([
    // Rows of every age change and go, and the newest ones' rowids are given again.
    statement("update wallets set low_balance_threshold = ? where rowid % 7 = ?", round, round % 7),
    statement("delete from emails where rowid % 50 = ?", round % 50),
    statement("delete from favorites where rowid = (select max(rowid) from favorites)"),
    statement("delete from password_resets where rowid = (select max(rowid) from password_resets)"),
    statement(
      "insert into password_resets (token_digest, user_id, expires_at) select ?, id, 9e12 from users limit 1",
      crypto.randomUUID(),
    ),
    statement("update services set name = name || 'x' where rowid % 2 = ?", round % 2),
  ]);
  await env.DB_SUPPORT.batch([
    env.DB_SUPPORT.prepare("update support_sessions set status = 'open' where rowid % 11 = ?").bind(round % 11),
    env.DB_SUPPORT.prepare("delete from support_sessions where rowid = (select max(rowid) from support_sessions)"),
  ]);
}

/** Empties both databases and both buckets. */
export async function emptyAll(): Promise<void> {
  await emptyDatabases();
  for (const bucket of [env.BACKUPS, env.UPLOADS]) {
    const { objects } = await bucket.list();
    await bucket.delete(objects.map(({ key }) => key));
  }
}

/** Takes another backup. Ids have seconds, so it starts later. */
export async function secondBackup(backup = backupEnv): Promise<string> {
  await env.DB.exec("update backup_runs set id = '2026-01-01T00-00-00Z'");
  return takeBackup(undefined, backup);
}
