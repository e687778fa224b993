import { sql } from "drizzle-orm";
import type { Db } from "#app/db/db.server.ts";
import { orders, serviceTimes } from "#app/db/schema.server.ts";
import { AVERAGED_ORDERS } from "./delivery-time.ts";

/**
 * Adds completed orders to the averages of their services. Outside the batches that complete them, so that orders
 * completed together cost one row per service: an average may miss an order, and counts none twice.
 */
export async function countCompletions(db: Db, orderIds: number[], now: number): Promise<void> {
  if (orderIds.length === 0) return;
  await db
    .insert(serviceTimes)
    .select(
      db
        .select({
          serviceId: orders.serviceId,
          completed: sql<number>`count(*)`.as("completed"),
          // D1 binds numbers as REAL, so without the casts this divides to a fraction, which the column refuses.
          averageMs: sql<number>`sum(max(0, cast(${now} as integer) - ${orders.createdAt})) / count(*)`.as(
            "average_ms",
          ),
        })
        .from(orders)
        .where(sql`${orders.id} in (select value from json_each(${JSON.stringify(orderIds)}))`)
        .groupBy(orders.serviceId),
    )
    .onConflictDoUpdate({
      target: serviceTimes.serviceId,
      set: {
        completed: sql`${serviceTimes.completed} + excluded.completed`,
        averageMs: sql`${serviceTimes.averageMs} + (excluded.average_ms - ${serviceTimes.averageMs}) * min(excluded.completed, cast(${AVERAGED_ORDERS} as integer))
          / min(${serviceTimes.completed} + excluded.completed, cast(${AVERAGED_ORDERS} as integer))`,
      },
    });
}
