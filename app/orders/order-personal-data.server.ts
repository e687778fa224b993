import { and, asc, eq, gt, inArray, sql } from "drizzle-orm";
import { stripFromAudit } from "#app/db/audit.server.ts";
import type { Db } from "#app/db/db.server.ts";
import {
  apiKeys,
  auditLog,
  cancellations,
  cardReturns,
  checkouts,
  favorites,
  ledger,
  massOrders,
  orders,
  providerLog,
  redeemUses,
  refills,
  spendingDays,
  wallets,
  webhookEndpoints,
} from "#app/db/schema.server.ts";
import { type GateEnv, gateOf } from "#app/orders/api/api-keys.server.ts";
import { closeOrder } from "#app/orders/fulfillment/close-order.server.ts";
import { OPEN_STATUSES } from "#app/orders/rules/order-status.ts";

/** What the order tables hold on the person, less key digests. Times in ms, amounts in micro-units. */
export async function exportOrders(db: Db, userId: string) {
  const [
    wallet,
    placed,
    entries,
    refilled,
    keys,
    webhooks,
    redeemed,
    payments,
    staffActs,
    mass,
    starred,
    days,
    canceled,
    wentBack,
  ] = await db.batch([
    db
      .select({ balance: wallets.balance, owed: wallets.owed, lowBalanceThreshold: wallets.lowBalanceThreshold })
      .from(wallets)
      .where(eq(wallets.userId, userId)),
    db
      .select({
        id: orders.id,
        service: orders.serviceId,
        type: orders.type,
        link: orders.link,
        quantity: orders.quantity,
        runs: orders.runs,
        details: orders.providerFields,
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
    db
      .select({ url: webhookEndpoints.url, createdAt: webhookEndpoints.createdAt })
      .from(webhookEndpoints)
      .where(eq(webhookEndpoints.userId, userId)),
    db
      .select({ amount: redeemUses.amount, createdAt: redeemUses.createdAt })
      .from(redeemUses)
      .where(eq(redeemUses.userId, userId)),
    db
      .select({
        id: checkouts.id,
        amount: checkouts.amount,
        paid: checkouts.paid,
        received: checkouts.received,
        receivedCurrency: checkouts.receivedCurrency,
        returned: checkouts.returned,
        status: checkouts.status,
        createdAt: checkouts.createdAt,
      })
      .from(checkouts)
      .where(eq(checkouts.userId, userId)),
    db
      .select({ action: auditLog.action, detail: auditLog.detail, createdAt: auditLog.createdAt })
      .from(auditLog)
      .where(and(eq(auditLog.subjectType, "customer"), eq(auditLog.subjectId, userId))),
    db
      .select({
        id: massOrders.id,
        source: massOrders.source,
        placed: massOrders.placed,
        skipped: massOrders.skipped,
        charge: massOrders.charge,
        createdAt: massOrders.createdAt,
      })
      .from(massOrders)
      .where(eq(massOrders.userId, userId)),
    db
      .select({ service: favorites.serviceId, createdAt: favorites.createdAt })
      .from(favorites)
      .where(eq(favorites.userId, userId)),
    db
      .select({
        daysSince1970: spendingDays.day,
        spent: spendingDays.spent,
        added: spendingDays.added,
        orders: spendingDays.orders,
        balance: spendingDays.balance,
      })
      .from(spendingDays)
      .where(eq(spendingDays.userId, userId)),
    db
      .select({ order: cancellations.orderId, status: cancellations.status, createdAt: cancellations.createdAt })
      .from(cancellations)
      .where(eq(cancellations.userId, userId)),
    db
      .select({
        payment: checkouts.id,
        kind: cardReturns.kind,
        amount: cardReturns.amount,
        status: cardReturns.status,
        createdAt: cardReturns.createdAt,
      })
      .from(cardReturns)
      .innerJoin(checkouts, eq(checkouts.paymentIntent, cardReturns.paymentIntent))
      .where(and(eq(checkouts.userId, userId), gt(cardReturns.amount, 0))),
  ]);
  return {
    balance: wallet[0]?.balance ?? 0,
    owed: wallet[0]?.owed ?? 0,
    lowBalanceThreshold: wallet[0]?.lowBalanceThreshold ?? null,
    orders: placed,
    ledger: entries,
    refills: refilled,
    apiKeys: keys,
    webhooks,
    redeemed,
    payments,
    staffActs,
    massOrders: mass,
    favorites: starred,
    spending: days,
    cancellations: canceled,
    paymentsThatWentBack: wentBack,
  };
}

/**
 * Takes the person off the orders and the ledger: they stay under a new id that leads nowhere, because money must add
 * up. Orders that nobody works on yet are canceled first, since what they need is about to go. May be repeated.
 */
export async function detachOrders(db: Db, env: GateEnv, userId: string): Promise<void> {
  const [keys] = await db.batch([
    db.delete(apiKeys).where(eq(apiKeys.userId, userId)).returning({ digest: apiKeys.digest }),
    db.delete(webhookEndpoints).where(eq(webhookEndpoints.userId, userId)),
    db.delete(favorites).where(eq(favorites.userId, userId)),
    db.delete(massOrders).where(eq(massOrders.userId, userId)),
  ]);
  for (const { digest } of keys) await gateOf(env, digest).forget();
  await cancelUnstarted(db, userId);
  const detached = `deleted-${crypto.randomUUID()}`;
  const theirs = db.select({ id: orders.id }).from(orders).where(eq(orders.userId, userId));
  await db.batch([
    // The new wallet before the ledger, which refers to it; the old one after.
    db.insert(wallets).select(
      db
        .select({
          userId: sql<string>`${detached}`.as("user_id"),
          balance: wallets.balance,
          lowBalanceThreshold: sql<null>`null`.as("low_balance_threshold"),
          lowBalanceNotified: wallets.lowBalanceNotified,
          owed: wallets.owed,
        })
        .from(wallets)
        .where(eq(wallets.userId, userId)),
    ),
    db.update(ledger).set({ userId: detached, note: "" }).where(eq(ledger.userId, userId)),
    db.update(refills).set({ userId: detached }).where(eq(refills.userId, userId)),
    db.update(cancellations).set({ userId: detached }).where(eq(cancellations.userId, userId)),
    db.update(redeemUses).set({ userId: detached }).where(eq(redeemUses.userId, userId)),
    db.update(checkouts).set({ userId: detached }).where(eq(checkouts.userId, userId)),
    ...stripFromAudit(
      db,
      userId,
      detached,
      sql`(select cast(${orders.id} as text) from ${orders} where ${orders.userId} = ${userId})`,
    ),
    // After the ledger: what is summed up from now on is nobody's.
    db.delete(spendingDays).where(eq(spendingDays.userId, userId)),
    db.delete(wallets).where(eq(wallets.userId, userId)),
    db.delete(providerLog).where(inArray(providerLog.orderId, theirs)),
    db
      .update(orders)
      .set({ userId: detached, link: "", providerFields: {}, requestDigest: "", idempotencyKey: sql`'deleted-' || id` })
      .where(eq(orders.userId, userId)),
  ]);
}

async function cancelUnstarted(db: Db, userId: string): Promise<void> {
  const unstarted = await db
    .select()
    .from(orders)
    .where(
      and(
        eq(orders.userId, userId),
        eq(orders.isTest, false),
        inArray(orders.status, OPEN_STATUSES),
        inArray(orders.fulfillment, ["queued", "manual"]),
      ),
    );
  for (const order of unstarted) {
    await closeOrder(db, order, {
      status: "Canceled",
      remains: order.remains,
      startCount: null,
      fulfillment: "manual",
      // One that is being sent this moment must not be refunded too.
      onlyWhile: order.fulfillment,
    });
  }
}
