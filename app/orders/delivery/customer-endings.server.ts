import { type SQL, sql } from "drizzle-orm";
import type { Db } from "#app/db/db.server.ts";
import { orders, serviceDays, spendingDays } from "#app/db/schema.server.ts";
import { DAY_MS } from "#app/time.ts";

/** The key of a row of `service_days`. */
export type ServiceDay = [day: number, serviceId: number];

/** Ids that a row holds at most, in characters: far more than a service gets in ten minutes, and far from the row's limit. */
const MAX_NEWLY_ENDED = 500_000;

/** Returns `newly_ended` with an order that ends. A full one stays: the order must end, even if its customer's count is missed. */
export function withNewlyEnded(orderId: number, name: string): SQL {
  const { newlyEnded } = serviceDays;
  return sql`iif(length(${newlyEnded}) < ${sql.raw(String(MAX_NEWLY_ENDED))},
    json_set(${newlyEnded}, ${`$."${orderId}"`}, ${name}), ${newlyEnded})`;
}

/**
 * Returns the statements that add the orders which ended in these rows to their customers' days, and empty the rows, for one
 * batch. Both see the same orders, so each is counted once. Writes a row per customer and day, and one per row given, so
 * that no order pays for it. An order whose account was deleted counts for the random id that it has.
 */
export function countForCustomers(db: Db, days: ServiceDay[]) {
  if (days.length === 0) return [];
  const keys = JSON.stringify(days);
  const ended = sql`(
    select o.user_id, d.day, e.value as name, count(*) as count
    from json_each(${keys}) k
      cross join ${serviceDays} d on d.day = k.value ->> 0 and d.service_id = k.value ->> 1
      cross join json_each(d.newly_ended) e
      cross join ${orders} o on o.id = cast(e.key as integer)
    group by 1, 2, 3
  )`;
  const added = sql`(
    select key as name, sum(value) as count from (
      select key, value from json_each(${spendingDays.ended}) union all select key, value from json_each(excluded.ended)
    ) group by key
  )`;
  return [
    db
      .insert(spendingDays)
      .select(
        sql`select user_id, day, 0, 0, 0, ${balanceAfterDay("m")}, 0, 0, 0, 0, json_group_object(name, count)
          from ${ended} m where true group by user_id, day`,
      )
      .onConflictDoUpdate({
        target: [spendingDays.userId, spendingDays.day],
        set: { ended: sql`(select json_group_object(name, count) from ${added})` },
      }),
    db
      .update(serviceDays)
      .set({ newlyEnded: {} })
      .where(
        sql`(${serviceDays.day}, ${serviceDays.serviceId}) in (select value ->> 0, value ->> 1 from json_each(${keys}))`,
      ),
  ] as const;
}

/**
 * Selects the balance after the day of each row of `source`, for a row of `spending_days` that the ledger's own entries of the
 * day don't make, or make later.
 */
export function balanceAfterDay(source: string): SQL {
  const [userId, day] = ["user_id", "day"].map((name) => sql.raw(`${source}.${name}`));
  return sql`coalesce((select l.balance_after from ledger l
    where l.user_id = ${userId} and l.created_at < (${day} + 1) * ${sql.raw(String(DAY_MS))} order by l.id desc limit 1), 0)`;
}
