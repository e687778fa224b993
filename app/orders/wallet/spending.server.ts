import { and, desc, eq, gte, lt, sql } from "drizzle-orm";
import { type Db, violates } from "#app/db/db.server.ts";
import { ledger, rollups, spendingDays } from "#app/db/schema.server.ts";
import { type IdRange, sumUpSales } from "#app/orders/sales/sum-up-sales.server.ts";
import { DAY_MS } from "#app/time.ts";

const ROLLUP = "spending";
const COSTS_ROLLUP = "costs";
/** Entries of the ledger, and changes of costs, that one statement sums up. */
const ENTRIES_PER_STEP = 20_000;
const MAX_STEPS = 20;
/** The page shows 30 days. The ledger has the rest. */
export const SPENDING_DAYS_KEPT = 400;

/** `day` is a UTC date such as `2026-11-21`. Amounts are micro-units; `balance` is the last of the day. */
export type SpendingDay = { day: string; spent: number; orders: number; balance: number };

/**
 * Sums up the ledger and the costs of orders by day, from where the last run ended: what customers spent, and what was
 * sold. The cron trigger calls it, so that neither orders nor pages pay for it. Overlapping runs count nothing twice.
 */
export async function rollUpSpending(db: Db): Promise<void> {
  for (let step = 0; step < MAX_STEPS; step++) {
    const [at] =
      await db.all<Positions>(sql`select ${positionOf(ROLLUP)} as entries, ${positionOf(COSTS_ROLLUP)} as costs,
      (select max(id) from ledger) as last_entry, (select max(id) from order_costs) as last_cost`);
    const entries = nextRange(at?.entries, at?.last_entry);
    const costs = nextRange(at?.costs, at?.last_cost);
    const { from, to } = entries;
    if (to === from && costs.to === costs.from) return;
    try {
      await db.batch([
        addEntries(db, from, to),
        ...sumUpSales(db, entries, costs),
        deleteOldDays(db, from, to, Math.floor(Date.now() / DAY_MS) - SPENDING_DAYS_KEPT),
        ...advanceRollup(db, ROLLUP, entries),
        ...advanceRollup(db, COSTS_ROLLUP, costs),
      ]);
    } catch (error) {
      // Another run was faster.
      if (violates(error, "rollups.up_to_id")) return;
      throw error;
    }
  }
}

/** Null: nothing was summed up, or there is nothing. */
type Positions = Record<"entries" | "costs" | "last_entry" | "last_cost", number | null>;

function positionOf(name: string) {
  return sql`(select up_to_id from rollups where name = ${name})`;
}

function nextRange(position: number | null | undefined, last: number | null | undefined): IdRange {
  const from = position ?? 0;
  return { from, to: Math.max(from, Math.min(last ?? 0, from + ENTRIES_PER_STEP)) };
}

function addEntries(db: Db, from: number, to: number) {
  const excluded = (name: string) => sql.raw(`excluded.${name}`);
  return db
    .insert(spendingDays)
    .select(
      db
        .select({
          userId: ledger.userId,
          day: dayOf.as("day"),
          spent: spentOf.as("spent"),
          added: addedOf.as("added"),
          orders: ordersOf.as("orders"),
          balance: balanceOf.as("balance"),
          cost: sql<number>`0`.as("cost"),
          byHand: sql<number>`0`.as("by_hand"),
          refunds: refundsOf.as("refunds"),
          refunded: refundedOf.as("refunded"),
          ended: sql<Record<string, number>>`'{}'`.as("ended"),
        })
        .from(ledger)
        .where(sql`${ledger.id} > ${from} and ${ledger.id} <= ${to}`)
        .groupBy(ledger.userId, sql`2`),
    )
    .onConflictDoUpdate({
      target: [spendingDays.userId, spendingDays.day],
      set: {
        spent: sql`${spendingDays.spent} + ${excluded("spent")}`,
        added: sql`${spendingDays.added} + ${excluded("added")}`,
        orders: sql`${spendingDays.orders} + ${excluded("orders")}`,
        balance: excluded("balance"),
        refunds: sql`${spendingDays.refunds} + ${excluded("refunds")}`,
        refunded: sql`${spendingDays.refunded} + ${excluded("refunded")}`,
      },
    });
}

/**
 * Deletes the days before `firstDay` of the accounts in these entries, but the last of them, which has the balance that
 * the next day started with. An account without entries has no more of them than it had, so no job goes through all.
 */
function deleteOldDays(db: Db, from: number, to: number, firstDay: number) {
  const own = sql`select distinct user_id from ${ledger} where ${ledger.id} > ${from} and ${ledger.id} <= ${to}`;
  const newer = sql`select 1 from spending_days newer where newer.user_id = spending_days.user_id
    and newer.day > spending_days.day and newer.day < cast(${firstDay} as integer)`;
  return db
    .delete(spendingDays)
    .where(sql`${spendingDays.userId} in (${own}) and ${spendingDays.day} < ${firstDay} and exists (${newer})`);
}

/** Writes NULL, which the column refuses and which stops the batch, if another run advanced meanwhile. */
function advanceRollup(db: Db, name: string, { from, to }: IdRange) {
  return [
    db.insert(rollups).values({ name, upToId: 0 }).onConflictDoNothing(),
    db
      .update(rollups)
      .set({ upToId: sql`iif(${rollups.upToId} = ${from}, ${to}, null)` })
      .where(eq(rollups.name, name)),
  ] as const;
}

const dayOf = sql<number>`${ledger.createdAt} / ${sql.raw(String(DAY_MS))}`;
const spentOf = sql<number>`coalesce(-sum(${ledger.amount}) filter (where ${ledger.kind} in ('charge', 'refund')), 0)`;
const addedOf = sql<number>`coalesce(sum(${ledger.amount}) filter (where ${ledger.kind} not in ('charge', 'refund')), 0)`;
const ordersOf = sql<number>`sum(${ledger.kind} = 'charge')`;
const refundsOf = sql<number>`sum(${ledger.kind} = 'refund')`;
const refundedOf = sql<number>`coalesce(sum(${ledger.amount}) filter (where ${ledger.kind} = 'refund'), 0)`;
/** SQLite takes a bare column from the row with the max; the term beside it is always 0. */
const balanceOf = sql<number>`${ledger.balanceAfter} + 0 * max(${ledger.id})`;

/**
 * Returns the last `days` days, oldest first, without gaps. Includes ledger entries that are not summed up yet.
 */
export async function readSpending(db: Db, userId: string, days: number, now: number): Promise<SpendingDay[]> {
  const today = Math.floor(now / DAY_MS);
  const first = today - days + 1;
  const own = eq(spendingDays.userId, userId);
  const [summed, [before], rest] = await db.batch([
    // Without what the orders cost, which no customer may see.
    db
      .select({
        day: spendingDays.day,
        spent: spendingDays.spent,
        orders: spendingDays.orders,
        balance: spendingDays.balance,
      })
      .from(spendingDays)
      .where(and(own, gte(spendingDays.day, first))),
    db
      .select({ balance: spendingDays.balance })
      .from(spendingDays)
      .where(and(own, lt(spendingDays.day, first)))
      .orderBy(desc(spendingDays.day))
      .limit(1),
    db
      .select({ day: dayOf, spent: spentOf, orders: ordersOf, balance: balanceOf })
      .from(ledger)
      .where(
        and(
          eq(ledger.userId, userId),
          sql`${ledger.id} > coalesce((select ${rollups.upToId} from ${rollups} where ${rollups.name} = ${ROLLUP}), 0)`,
        ),
      )
      .groupBy(sql`1`)
      .orderBy(sql`1`),
  ]);
  let balance = before?.balance ?? 0;
  for (const { day, balance: then } of rest) if (day < first) balance = then;
  return Array.from({ length: days }, (_, index) => {
    const day = first + index;
    const entries = [summed.find((row) => row.day === day), rest.find((row) => row.day === day)];
    balance = entries[1]?.balance ?? entries[0]?.balance ?? balance;
    return {
      day: new Date(day * DAY_MS).toISOString().slice(0, 10),
      spent: entries.reduce((sum, entry) => sum + (entry?.spent ?? 0), 0),
      orders: entries.reduce((sum, entry) => sum + (entry?.orders ?? 0), 0),
      balance,
    };
  });
}
