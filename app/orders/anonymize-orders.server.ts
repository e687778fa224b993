import { and, eq, inArray, isNotNull, isNull, or, sql } from "drizzle-orm";
import { randomKey } from "#app/crypto/random-secret.server.ts";
import { stripFromAudit } from "#app/db/audit.server.ts";
import type { Db } from "#app/db/db.server.ts";
import {
  apiKeys,
  cancellations,
  checkouts,
  customerNotes,
  favorites,
  ledger,
  ledgerFaults,
  massOrders,
  orders,
  percentCodeUses,
  providerLog,
  redeemUses,
  refills,
  spendingDays,
  unreadAnswers,
  wallets,
  webhookEndpoints,
} from "#app/db/schema.server.ts";
import { heldBy } from "#app/db/steps/order-steps.server.ts";
import { type GateEnv, gateOf } from "#app/orders/api/api-keys.server.ts";
import { type CloseEnv, closeOrder } from "#app/orders/fulfillment/close-order.server.ts";
import { IS_INDEXED, OPEN_ORDER_LIST } from "#app/orders/rules/open-statuses.server.ts";

/** Orders that one call cancels. Each takes eight statements of the 1,000 that a request or a cron run may send to D1. */
const MAX_CANCELED = 100;

/** Reports that orders are left after MAX_CANCELED. The next call continues. */
export class OrdersLeft extends Error {
  override name = "OrdersLeft";
}

/**
 * Removes the person from orders, ledger and payments: the rows stay under a new random id, because money must add up.
 * Deletes the rest. Orders not yet started are canceled first, because their fields are about to be emptied; throws
 * OrdersLeft if they are too many for one call. Repeatable.
 */
export async function anonymizeOrders(db: Db, env: GateEnv & CloseEnv, userId: string): Promise<void> {
  const [keys] = await db.batch([
    db.delete(apiKeys).where(eq(apiKeys.userId, userId)).returning({ digest: apiKeys.digest }),
    db.delete(webhookEndpoints).where(eq(webhookEndpoints.userId, userId)),
    db.delete(favorites).where(eq(favorites.userId, userId)),
    db.delete(massOrders).where(eq(massOrders.userId, userId)),
  ]);
  for (const { digest } of keys) await gateOf(env, digest).forget();
  await cancelUnstarted(db, env, userId);
  const anonymousId = `deleted-${randomKey()}`;
  const orderIds = db.select({ id: orders.id }).from(orders).where(eq(orders.userId, userId));
  await db.batch([
    // The new wallet before the ledger, which refers to it; the old one after.
    db.insert(wallets).select(
      db
        .select({
          userId: sql<string>`${anonymousId}`.as("user_id"),
          balance: wallets.balance,
          lowBalanceThreshold: sql<null>`null`.as("low_balance_threshold"),
          lowBalanceNotified: sql<boolean>`0`.as("low_balance_notified"),
          owed: wallets.owed,
          tierId: sql<null>`null`.as("tier_id"),
          tierFrom: sql<null>`null`.as("tier_from"),
        })
        .from(wallets)
        .where(eq(wallets.userId, userId)),
    ),
    db.update(ledger).set({ userId: anonymousId, note: "" }).where(eq(ledger.userId, userId)),
    db.update(ledgerFaults).set({ subject: anonymousId }).where(eq(ledgerFaults.subject, userId)),
    // By order, which both have an index for.
    db.update(refills).set({ userId: anonymousId }).where(inArray(refills.orderId, orderIds)),
    db.update(cancellations).set({ userId: anonymousId }).where(inArray(cancellations.orderId, orderIds)),
    db.update(redeemUses).set({ userId: anonymousId }).where(eq(redeemUses.userId, userId)),
    db.update(percentCodeUses).set({ userId: anonymousId }).where(inArray(percentCodeUses.orderId, orderIds)),
    db.delete(customerNotes).where(eq(customerNotes.userId, userId)),
    db.update(customerNotes).set({ authorId: null, authorName: "" }).where(eq(customerNotes.authorId, userId)),
    db.update(checkouts).set({ userId: anonymousId }).where(eq(checkouts.userId, userId)),
    ...stripFromAudit(db, userId, anonymousId, [
      { subject: "customer", ids: sql`(${userId})`, isPerson: true },
      { subject: "conversation", ids: sql`(${`user_${userId}`})`, isPerson: true },
      { subject: "order", ids: auditOrderIds(userId) },
    ]),
    // After the ledger, so that the next roll-up cannot recreate the rows.
    db.delete(spendingDays).where(eq(spendingDays.userId, userId)),
    db.delete(wallets).where(eq(wallets.userId, userId)),
    db.delete(providerLog).where(inArray(providerLog.orderId, orderIds)),
    db.delete(unreadAnswers).where(inArray(unreadAnswers.orderId, orderIds)),
    db
      .update(orders)
      .set({
        userId: anonymousId,
        link: "",
        linkKey: null,
        providerFields: {},
        requestDigest: "",
        apiKeyId: null,
        reference: null,
        metadata: null,
        idempotencyKey: sql`'deleted-' || id`,
      })
      .where(eq(orders.userId, userId)),
  ]);
}

/** Selects the user's order ids as text, as the audit log has them. */
export function auditOrderIds(userId: string) {
  return sql`(select cast(${orders.id} as text) from ${orders} where ${orders.userId} = ${userId})`;
}

async function cancelUnstarted(db: Db, env: CloseEnv, userId: string): Promise<void> {
  // The provider may have them, so they are not refunded. Without their link they can't be sent again either.
  await db
    .update(orders)
    .set(heldBy("account_deleted", Date.now()))
    .where(and(eq(orders.userId, userId), eq(orders.fulfillment, "queued"), isNotNull(orders.resendUntil)));
  const unstarted = await db
    .select()
    .from(orders)
    .where(
      and(
        eq(orders.userId, userId),
        sql`${orders.isTest} = 0`,
        sql`${orders.status} in ${OPEN_ORDER_LIST} and ${IS_INDEXED}`,
        or(eq(orders.fulfillment, "manual"), and(eq(orders.fulfillment, "queued"), isNull(orders.resendUntil))),
      ),
    )
    .limit(MAX_CANCELED + 1);
  for (const order of unstarted.slice(0, MAX_CANCELED)) {
    await closeOrder(db, env, order, {
      status: "Canceled",
      remains: order.remains,
      startCount: null,
      fulfillment: "manual",
      // An order in the middle of its submission must not be refunded as well.
      onlyWhile: order.fulfillment,
    });
  }
  if (unstarted.length > MAX_CANCELED) throw new OrdersLeft("the account has more orders to cancel");
}
