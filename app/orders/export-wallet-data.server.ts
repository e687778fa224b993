import { and, asc, eq, gt } from "drizzle-orm";
import type { Db } from "#app/db/db.server.ts";
import { isoTime } from "#app/db/iso-time.ts";
import {
  cardReversals,
  checkouts,
  customerNotes,
  ledger,
  orders,
  percentCodeUses,
  redeemUses,
  spendingDays,
  tiers,
  wallets,
} from "#app/db/schema.server.ts";
import type { Pages } from "#app/http/responses/stream-json.ts";
import { decimal } from "#app/orders/rules/money-text.ts";
import { CURRENCY } from "#app/product.ts";

const DAY_MS = 24 * 60 * 60_000;
/** Rows per read of orders and of ledger entries. */
export const EXPORTED_AT_ONCE = 1000;

/** Exports a person's balance, ledger and payments. Times are ISO 8601, amounts decimals in `currency`. */
export async function exportWalletData(db: Db, userId: string) {
  const [[wallet], days, codes, discounts, notes, payments, reversals] = await db.batch([
    db
      .select({
        balance: wallets.balance,
        owed: wallets.owed,
        lowBalanceThreshold: wallets.lowBalanceThreshold,
        tier: tiers.name,
      })
      .from(wallets)
      .leftJoin(tiers, eq(tiers.id, wallets.tierId))
      .where(eq(wallets.userId, userId)),
    db
      .select({
        day: spendingDays.day,
        spent: spendingDays.spent,
        added: spendingDays.added,
        orders: spendingDays.orders,
        balance: spendingDays.balance,
        refunds: spendingDays.refunds,
        refunded: spendingDays.refunded,
      })
      .from(spendingDays)
      .where(eq(spendingDays.userId, userId)),
    db
      .select({ amount: redeemUses.amount, createdAt: redeemUses.createdAt })
      .from(redeemUses)
      .where(eq(redeemUses.userId, userId)),
    db
      .select({ order: percentCodeUses.orderId, createdAt: percentCodeUses.createdAt })
      .from(orders)
      .innerJoin(percentCodeUses, eq(percentCodeUses.orderId, orders.id))
      .where(eq(orders.userId, userId)),
    db
      .select({ body: customerNotes.body, createdAt: customerNotes.createdAt })
      .from(customerNotes)
      .where(eq(customerNotes.userId, userId))
      .orderBy(asc(customerNotes.id)),
    db
      .select({
        id: checkouts.id,
        amount: checkouts.amount,
        paid: checkouts.paid,
        received: checkouts.received,
        receivedCurrency: checkouts.receivedCurrency,
        reversed: checkouts.reversed,
        status: checkouts.status,
        createdAt: checkouts.createdAt,
      })
      .from(checkouts)
      .where(eq(checkouts.userId, userId)),
    db
      .select({
        payment: checkouts.id,
        kind: cardReversals.kind,
        amount: cardReversals.amount,
        currency: checkouts.receivedCurrency,
        status: cardReversals.status,
        createdAt: cardReversals.createdAt,
      })
      .from(cardReversals)
      .innerJoin(checkouts, eq(checkouts.paymentIntent, cardReversals.paymentIntent))
      .where(and(eq(checkouts.userId, userId), gt(cardReversals.amount, 0))),
  ]);
  return {
    currency: CURRENCY,
    balance: decimal(wallet?.balance ?? 0, 2),
    owed: decimal(wallet?.owed ?? 0, 2),
    lowBalanceThreshold: decimalOrNull(wallet?.lowBalanceThreshold ?? null),
    tier: wallet?.tier ?? null,
    ledger: ledgerPages(db, userId),
    spending: days.map((row) => ({
      day: isoTime(row.day * DAY_MS).slice(0, 10),
      spent: decimal(row.spent, 2),
      added: decimal(row.added, 2),
      orders: row.orders,
      balance: decimal(row.balance, 2),
      refunds: row.refunds,
      refunded: decimal(row.refunded, 2),
    })),
    redeemedCodes: codes.map((row) => ({ amount: decimal(row.amount, 2), createdAt: isoTime(row.createdAt) })),
    usedDiscountCodes: discounts.map((row) => ({ ...row, createdAt: isoTime(row.createdAt) })),
    teamNotes: notes.map((row) => ({ ...row, createdAt: isoTime(row.createdAt) })),
    payments: payments.map((row) => ({
      ...row,
      amount: decimal(row.amount, 2),
      paid: decimalOrNull(row.paid),
      received: row.received === null ? null : minorUnits(row.received, row.receivedCurrency),
      receivedCurrency: row.receivedCurrency?.toUpperCase() ?? null,
      reversed: decimal(row.reversed, 2),
      createdAt: isoTime(row.createdAt),
    })),
    cardRefundsAndDisputes: reversals.map((row) => ({
      ...row,
      amount: minorUnits(row.amount, row.currency),
      currency: (row.currency ?? CURRENCY).toUpperCase(),
      createdAt: isoTime(row.createdAt),
    })),
  };
}

function decimalOrNull(micro: number | null): string | null {
  return micro === null ? null : decimal(micro, 2);
}

/** Returns "20.00" for 2000 cents, with the currency's number of decimals. */
function minorUnits(amount: number, currency: string | null): string {
  const format = new Intl.NumberFormat("en-US", { style: "currency", currency: currency ?? CURRENCY });
  const decimals = format.resolvedOptions().maximumFractionDigits ?? 2;
  return (amount / 10 ** decimals).toFixed(decimals);
}

async function* ledgerPages(db: Db, userId: string): Pages<ReturnType<typeof exportedEntry>> {
  let rows: LedgerRow[] = [];
  do {
    rows = await selectEntries(db, userId, rows.at(-1)?.id ?? 0);
    yield rows.map(exportedEntry);
  } while (rows.length === EXPORTED_AT_ONCE);
}

type LedgerRow = Awaited<ReturnType<typeof selectEntries>>[number];

function selectEntries(db: Db, userId: string, after: number) {
  return db
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
    .where(and(eq(ledger.userId, userId), gt(ledger.id, after)))
    .orderBy(asc(ledger.id))
    .limit(EXPORTED_AT_ONCE);
}

function exportedEntry(row: LedgerRow) {
  return {
    ...row,
    amount: decimal(row.amount, 2),
    balanceAfter: decimal(row.balanceAfter, 2),
    createdAt: isoTime(row.createdAt),
  };
}
