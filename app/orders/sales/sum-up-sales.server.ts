import { type SQL, sql } from "drizzle-orm";
import type { Db } from "#app/db/db.server.ts";
import { orderCostSums, providerUseDays, salesDays, salesDayTotals, spendingDays } from "#app/db/schema.server.ts";
import { balanceAfterDay } from "#app/orders/delivery/customer-endings.server.ts";
import { DAY_MS } from "#app/time.ts";

/** Ids above `from`, up to and including `to`. */
export type IdRange = { from: number; to: number };

const createdDay = sql.raw(`created_at / ${DAY_MS}`);
const FIGURES = ["orders", "charged", "refunds", "refunded", "cost", "costed"] as const;
type Figure = (typeof FIGURES)[number];

/** Orders whose costs are kept as one sum: few enough to find the wrong one among, and many enough to take no space. */
export const ORDERS_PER_SUM = 100;

/** Returns SQL for the block of the sum that an order's costs are part of. */
export function blockOf(orderId: string): SQL {
  return sql.raw(`${orderId} / ${ORDERS_PER_SUM}`);
}

/**
 * Returns the statements that add entries of the ledger and changes of costs to the sales of their days, for the batch that
 * notes that they are summed up. Both lists only grow, so a day that is over doesn't change.
 */
export function sumUpSales(db: Db, entries: IdRange, costs: IdRange) {
  const moves = movesOf(entries, costs);
  return [
    db
      .insert(salesDays)
      .select(
        sql`select day, service_id, provider_id, ${sums} from ${moves} where true group by day, service_id, provider_id`,
      )
      .onConflictDoUpdate({
        target: [salesDays.day, salesDays.serviceId, salesDays.providerId],
        set: raised(salesDays),
      }),
    db
      .insert(salesDayTotals)
      .select(
        sql`select day, ${sums}, ${byHand}, min(entry_id), max(entry_id), min(cost_id), max(cost_id)
          from ${moves} where true group by day`,
      )
      .onConflictDoUpdate({
        target: salesDayTotals.day,
        set: {
          ...raised(salesDayTotals),
          byHand: sql`${salesDayTotals.byHand} + excluded.by_hand`,
          firstEntryId: sql`coalesce(${salesDayTotals.firstEntryId}, excluded.first_entry_id)`,
          lastEntryId: sql`coalesce(excluded.last_entry_id, ${salesDayTotals.lastEntryId})`,
          firstCostId: sql`coalesce(${salesDayTotals.firstCostId}, excluded.first_cost_id)`,
          lastCostId: sql`coalesce(excluded.last_cost_id, ${salesDayTotals.lastCostId})`,
        },
      }),
    db
      .insert(spendingDays)
      .select(
        sql`select user_id, day, 0, 0, 0, ${balanceAfterDay("m")}, sum(cost), ${byHand}, 0, 0, '{}'
          from ${moves} m where true group by user_id, day having sum(cost) <> 0 or ${byHand} <> 0`,
      )
      .onConflictDoUpdate({
        target: [spendingDays.userId, spendingDays.day],
        set: {
          cost: sql`${spendingDays.cost} + excluded.cost`,
          byHand: sql`${spendingDays.byHand} + excluded.by_hand`,
        },
      }),
    db
      .insert(providerUseDays)
      .select(
        sql`select provider_id, day, 0, 0, sum(cost), 0, 0 from ${moves} where provider_id <> 0
          group by provider_id, day having sum(cost) <> 0`,
      )
      .onConflictDoUpdate({
        target: [providerUseDays.providerId, providerUseDays.day],
        set: { cost: sql`${providerUseDays.cost} + excluded.cost` },
      }),
    db
      .insert(orderCostSums)
      .select(
        sql`select ${blockOf("c.order_id")}, sum(c.amount) from order_costs c
          where ${within(sql`c.id`, costs)} group by 1 having sum(c.amount) <> 0`,
      )
      .onConflictDoUpdate({
        target: orderCostSums.block,
        set: { cost: sql`${orderCostSums.cost} + excluded.cost` },
      }),
  ] as const;
}

/** Charges and refunds of orders, and changes of their costs, with the columns that they are summed up by. */
function movesOf(entries: IdRange, costs: IdRange): SQL {
  return sql`(
    select o.user_id, l.${createdDay} as day, o.service_id, coalesce(o.provider_id, 0) as provider_id,
      l.kind = 'charge' as orders, iif(l.kind = 'charge', -l.amount, 0) as charged,
      l.kind = 'refund' as refunds, iif(l.kind = 'refund', l.amount, 0) as refunded,
      0 as cost, 0 as costed, l.id as entry_id, null as cost_id
    from ledger l cross join orders o on o.id = l.order_id
    where ${within(sql`l.id`, entries)} and l.kind in ('charge', 'refund')
    union all
    select o.user_id, c.${createdDay}, o.service_id, coalesce(o.provider_id, 0),
      0, 0, 0, 0, c.amount, c.costed, null, c.id
    from order_costs c cross join orders o on o.id = c.order_id
    where ${within(sql`c.id`, costs)}
  )`;
}

function within(id: SQL, { from, to }: IdRange): SQL {
  return sql`${id} > cast(${from} as integer) and ${id} <= cast(${to} as integer)`;
}

const sums = sql.join(
  FIGURES.map((name) => sql.raw(`sum(${name})`)),
  sql`, `,
);
const byHand = sql`sum(iif(provider_id = 0, charged - refunded, 0))`;

function raised(table: typeof salesDays | typeof salesDayTotals): Record<Figure, SQL> {
  const sums = FIGURES.map((name) => [name, sql`${table[name]} + ${sql.raw(`excluded.${name}`)}`]);
  return Object.fromEntries(sums) as Record<Figure, SQL>;
}
