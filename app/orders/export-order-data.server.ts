import { and, asc, eq, gt, inArray, or, sql } from "drizzle-orm";
import type { Db } from "#app/db/db.server.ts";
import { exportedColumns, exportedRows, writtenLike } from "#app/db/exported-columns.server.ts";
import { isoTime } from "#app/db/iso-time.ts";
import {
  apiKeys,
  auditLog,
  cancellations,
  cardReversals,
  checkouts,
  customerNotes,
  favorites,
  ledger,
  massOrders,
  orders,
  percentCodeUses,
  redeemUses,
  refills,
  spendingDays,
  tiers,
  wallets,
  webhookEndpoints,
} from "#app/db/schema.server.ts";
import type { Pages } from "#app/http/responses/stream-json.ts";
import { ownOrders } from "#app/orders/list/order-rows.server.ts";
import { decimal } from "#app/orders/rules/money-text.ts";
import { CURRENCY } from "#app/product.ts";
import { auditOrderIds } from "./anonymize-orders.server.ts";

/** Rows per read of orders and of ledger entries. */
export const EXPORTED_AT_ONCE = 1000;

/**
 * Exports what the order tables hold about a person, as `exportedColumns` writes it. `orders` and `ledger` are read page by
 * page: those of years don't fit into an isolate's memory.
 */
export async function exportOrderData(db: Db, userId: string) {
  const [placed, settings, wallet, staffActions] = await Promise.all([
    exportOrders(db, userId),
    exportOrderSettings(db, userId),
    exportWallet(db, userId),
    exportStaffActions(db, userId),
  ]);
  return { ...wallet, ...placed, ...settings, staffActions };
}

async function exportOrders(db: Db, userId: string) {
  const orderIds = db.select({ id: orders.id }).from(orders).where(eq(orders.userId, userId));
  const [mass, refilled, canceled] = await db.batch([
    exportedRows(db, massOrders, userId),
    // By order, which both tables have an index for.
    db
      .select(exportedColumns(refills))
      .from(refills)
      .where(and(inArray(refills.orderId, orderIds), eq(refills.userId, userId))),
    db
      .select(exportedColumns(cancellations))
      .from(cancellations)
      .where(and(inArray(cancellations.orderId, orderIds), eq(cancellations.userId, userId))),
  ]);
  return { orders: orderPages(db, userId), massOrders: mass, refills: refilled, cancellations: canceled };
}

/** Reads live orders, then those of test keys, because each has an index of its own. */
async function* orderPages(db: Db, userId: string) {
  for (const isTest of [false, true]) {
    const pages = pagesById((after) =>
      db
        .select(exportedColumns(orders))
        .from(orders)
        .where(and(ownOrders(userId, { isTest }), gt(orders.id, after)))
        .orderBy(asc(orders.id))
        .limit(EXPORTED_AT_ONCE),
    );
    // Comments, usernames and the like, named as in the API.
    for await (const rows of pages) yield rows.map(({ providerFields, ...row }) => ({ ...providerFields, ...row }));
  }
}

function ledgerPages(db: Db, userId: string) {
  return pagesById((after) =>
    db
      .select(exportedColumns(ledger))
      .from(ledger)
      .where(and(eq(ledger.userId, userId), gt(ledger.id, after)))
      .orderBy(asc(ledger.id))
      .limit(EXPORTED_AT_ONCE),
  );
}

async function* pagesById<Row extends { id: number }>(read: (after: number) => PromiseLike<Row[]>): Pages<Row> {
  let rows: Row[] = [];
  do {
    rows = await read(rows.at(-1)?.id ?? 0);
    yield rows;
  } while (rows.length === EXPORTED_AT_ONCE);
}

/** Exports a person's balance, ledger and payments. Amounts are in `currency`. */
async function exportWallet(db: Db, userId: string) {
  const [[wallet], spending, redeemedCodes, usedDiscountCodes, teamNotes, payments, reversals] = await db.batch([
    db
      .select({ ...exportedColumns(wallets), tier: tiers.name })
      .from(wallets)
      .leftJoin(tiers, eq(tiers.id, wallets.tierId))
      .where(eq(wallets.userId, userId)),
    exportedRows(db, spendingDays, userId),
    exportedRows(db, redeemUses, userId),
    db
      .select(exportedColumns(percentCodeUses))
      .from(orders)
      .innerJoin(percentCodeUses, eq(percentCodeUses.orderId, orders.id))
      .where(eq(orders.userId, userId)),
    exportedRows(db, customerNotes, userId).orderBy(asc(customerNotes.id)),
    db.select(exportedColumns(checkouts)).from(checkouts).where(eq(checkouts.userId, userId)),
    db
      .select({
        payment: checkouts.id,
        ...exportedColumns(cardReversals),
        currency: exportedColumns(checkouts).receivedCurrency,
      })
      .from(cardReversals)
      .innerJoin(checkouts, eq(checkouts.paymentIntent, cardReversals.paymentIntent))
      .where(and(eq(checkouts.userId, userId), gt(cardReversals.amount, 0))),
  ]);
  return {
    currency: CURRENCY,
    balance: decimal(0, 2),
    owed: decimal(0, 2),
    lowBalanceThreshold: null,
    tier: null,
    ...wallet,
    ledger: ledgerPages(db, userId),
    spending,
    redeemedCodes,
    usedDiscountCodes,
    teamNotes,
    payments: payments.map((row) => ({
      ...row,
      received: row.received === null ? null : minorUnitsText(row.received, row.receivedCurrency ?? CURRENCY),
    })),
    cardRefundsAndDisputes: reversals.map(({ payment, kind, amount, currency, ...row }) => ({
      payment,
      kind,
      amount: minorUnitsText(amount, currency ?? CURRENCY),
      currency: currency ?? CURRENCY,
      ...row,
    })),
  };
}

/** Returns "20.00" for 2000 cents, with the currency's number of decimals. */
function minorUnitsText(amount: number, currency: string): string {
  const format = new Intl.NumberFormat("en-US", { style: "currency", currency });
  const decimals = format.resolvedOptions().maximumFractionDigits ?? 2;
  return (amount / 10 ** decimals).toFixed(decimals);
}

/** Exports what a person set up for ordering: favorites, API keys and webhooks. */
async function exportOrderSettings(db: Db, userId: string) {
  const [starred, keys, webhooks] = await db.batch([
    exportedRows(db, favorites, userId),
    db.select(exportedColumns(apiKeys)).from(apiKeys).where(eq(apiKeys.userId, userId)),
    exportedRows(db, webhookEndpoints, userId),
  ]);
  return {
    favorites: starred,
    apiKeys: keys.map((row) => ({
      ...row,
      networks: row.networks.map(({ network, at }) => ({ network, firstUsedAt: isoTime(at) })),
    })),
    webhooks,
  };
}

/** Exports what staff did to the account and to its orders. */
async function exportStaffActions(db: Db, userId: string) {
  const rows = await db
    .select({
      ...exportedColumns(auditLog),
      order: sql<number | null>`iif(${auditLog.subjectType} = 'order', cast(${auditLog.subjectId} as integer), null)`,
    })
    .from(auditLog)
    .where(
      or(
        and(eq(auditLog.subjectType, "customer"), eq(auditLog.subjectId, userId)),
        and(eq(auditLog.subjectType, "order"), inArray(auditLog.subjectId, auditOrderIds(userId))),
      ),
    )
    .orderBy(asc(auditLog.id));
  return rows.map(({ createdAt, detail, ...row }) => ({
    ...row,
    createdAt,
    detail: writtenLike([orders, ledger], detail),
  }));
}
