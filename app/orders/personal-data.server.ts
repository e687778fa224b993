import { asc, eq } from "drizzle-orm";
import type { Db } from "#app/db/db.server.ts";
import { apiKeys, ledger, orders, refills, wallets } from "#app/db/schema.server.ts";

/** What the order tables hold on the person, less key digests. Times in ms, amounts in micro-units. */
export async function exportOrders(db: Db, userId: string) {
  const [wallet, placed, entries, refilled, keys] = await db.batch([
    db.select({ balance: wallets.balance }).from(wallets).where(eq(wallets.userId, userId)),
    db
      .select({
        id: orders.id,
        service: orders.serviceId,
        type: orders.type,
        link: orders.link,
        quantity: orders.quantity,
        runs: orders.runs,
        details: orders.details,
        charge: orders.charge,
        refunded: orders.refunded,
        status: orders.status,
        remains: orders.remains,
        source: orders.source,
        idempotencyKey: orders.idempotencyKey,
        createdAt: orders.createdAt,
      })
      .from(orders)
      .where(eq(orders.userId, userId))
      .orderBy(asc(orders.id)),
    db
      .select({
        id: ledger.id,
        order: ledger.orderId,
        kind: ledger.kind,
        amount: ledger.amount,
        balanceAfter: ledger.balanceAfter,
        note: ledger.note,
        createdAt: ledger.createdAt,
      })
      .from(ledger)
      .where(eq(ledger.userId, userId))
      .orderBy(asc(ledger.id)),
    db
      .select({ id: refills.id, order: refills.orderId, status: refills.status, createdAt: refills.createdAt })
      .from(refills)
      .where(eq(refills.userId, userId)),
    db
      .select({
        name: apiKeys.name,
        prefix: apiKeys.prefix,
        createdAt: apiKeys.createdAt,
        lastUsedAt: apiKeys.lastUsedAt,
        revokedAt: apiKeys.revokedAt,
      })
      .from(apiKeys)
      .where(eq(apiKeys.userId, userId)),
  ]);
  return { balance: wallet[0]?.balance ?? 0, orders: placed, ledger: entries, refills: refilled, apiKeys: keys };
}
