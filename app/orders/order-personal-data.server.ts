import { and, asc, eq, gt, inArray, or, sql } from "drizzle-orm";
import { stripFromAudit } from "#app/db/audit.server.ts";
import type { Db } from "#app/db/db.server.ts";
import { isoTime } from "#app/db/iso-time.ts";
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
import { decimal } from "#app/orders/rules/money.ts";
import { OPEN_STATUSES } from "#app/orders/rules/order-status.ts";
import { CURRENCY } from "#app/product.ts";

const DAY_MS = 24 * 60 * 60_000;

/** Exports what the order tables hold about a person, without digests. Times are ISO 8601, amounts decimals. */
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
        intervalMinutes: orders.intervalMinutes,
        details: orders.providerFields,
        charge: orders.charge,
        refunded: orders.refunded,
        status: orders.status,
        startCount: orders.startCount,
        remains: orders.remains,
        source: orders.source,
        isTest: orders.isTest,
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
        canRead: apiKeys.canRead,
        canOrder: apiKeys.canOrder,
        isTest: apiKeys.isTest,
        createdAt: apiKeys.createdAt,
        lastUsedAt: apiKeys.lastUsedAt,
        expiresAt: apiKeys.expiresAt,
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
      .select({
        action: auditLog.action,
        subjectType: auditLog.subjectType,
        order: sql<string | null>`iif(${auditLog.subjectType} = 'order', ${auditLog.subjectId}, null)`,
        detail: auditLog.detail,
        createdAt: auditLog.createdAt,
      })
      .from(auditLog)
      .where(
        or(
          and(eq(auditLog.subjectType, "customer"), eq(auditLog.subjectId, userId)),
          and(eq(auditLog.subjectType, "order"), inArray(auditLog.subjectId, orderIdsOf(userId))),
        ),
      )
      .orderBy(asc(auditLog.id)),
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
        day: spendingDays.day,
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
        currency: checkouts.receivedCurrency,
        status: cardReturns.status,
        createdAt: cardReturns.createdAt,
      })
      .from(cardReturns)
      .innerJoin(checkouts, eq(checkouts.paymentIntent, cardReturns.paymentIntent))
      .where(and(eq(checkouts.userId, userId), gt(cardReturns.amount, 0))),
  ]);
  const [own] = wallet;
  return {
    currency: CURRENCY,
    balance: decimal(own?.balance ?? 0, 2),
    owed: decimal(own?.owed ?? 0, 2),
    lowBalanceThreshold: money(own?.lowBalanceThreshold ?? null),
    orders: placed.map((row) => ({
      ...timed(row),
      charge: decimal(row.charge, 2),
      refunded: decimal(row.refunded, 2),
    })),
    ledger: entries.map((row) => ({
      ...timed(row),
      amount: decimal(row.amount, 2),
      balanceAfter: decimal(row.balanceAfter, 2),
    })),
    refills: refilled.map(timed),
    apiKeys: keys.map((row) => ({
      ...timed(row),
      lastUsedAt: isoTime(row.lastUsedAt),
      expiresAt: isoTime(row.expiresAt),
      revokedAt: isoTime(row.revokedAt),
    })),
    webhooks: webhooks.map(timed),
    redeemed: redeemed.map((row) => ({ ...timed(row), amount: decimal(row.amount, 2) })),
    payments: payments.map((row) => ({
      ...timed(row),
      amount: decimal(row.amount, 2),
      paid: money(row.paid),
      received: row.received === null ? null : minorUnits(row.received, row.receivedCurrency),
      receivedCurrency: row.receivedCurrency?.toUpperCase() ?? null,
      returned: decimal(row.returned, 2),
    })),
    staffActs: staffActs.map(({ detail, ...row }) => ({ ...timed(row), detail: readableDetail(detail) })),
    massOrders: mass.map((row) => ({ ...timed(row), charge: decimal(row.charge, 2) })),
    favorites: starred.map(timed),
    spending: days.map(({ day, ...row }) => ({
      day: isoTime(day * DAY_MS).slice(0, 10),
      spent: decimal(row.spent, 2),
      added: decimal(row.added, 2),
      orders: row.orders,
      balance: decimal(row.balance, 2),
    })),
    cancellations: canceled.map(timed),
    paymentsThatWentBack: wentBack.map(({ currency, ...row }) => ({
      ...timed(row),
      amount: minorUnits(row.amount, currency),
      currency: (currency ?? CURRENCY).toUpperCase(),
    })),
  };
}

/** Selects the user's order ids as the audit log has them. */
function orderIdsOf(userId: string) {
  return sql`(select cast(${orders.id} as text) from ${orders} where ${orders.userId} = ${userId})`;
}

function timed<Row extends { createdAt: number }>(row: Row): Omit<Row, "createdAt"> & { createdAt: string } {
  return { ...row, createdAt: isoTime(row.createdAt) };
}

function money(micro: number | null): string | null {
  return micro === null ? null : decimal(micro, 2);
}

/** Returns "20.00" for 2000 cents, in the digits of the currency. */
function minorUnits(amount: number, currency: string | null): string {
  const format = new Intl.NumberFormat("en-US", { style: "currency", currency: currency ?? CURRENCY });
  const digits = format.resolvedOptions().maximumFractionDigits ?? 2;
  return (amount / 10 ** digits).toFixed(digits);
}

/** Returns a staff action's detail with its amounts, which the log keeps in micro-units, as decimals. */
function readableDetail(detail: Record<string, unknown>): Record<string, unknown> {
  const { amount } = detail;
  return typeof amount === "number" ? { ...detail, amount: decimal(amount, 2) } : detail;
}

/**
 * Detaches the person from orders and ledger: the rows stay under a new random id, because money must add up. Orders
 * not yet started are canceled first, because their fields are about to be erased. Repeatable.
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
          lowBalanceNotified: sql<boolean>`0`.as("low_balance_notified"),
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
    ...stripFromAudit(db, userId, detached, orderIdsOf(userId)),
    // After the ledger, so that the next roll-up cannot recreate the rows.
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
      // An order in the middle of its submission must not be refunded as well.
      onlyWhile: order.fulfillment,
    });
  }
}
