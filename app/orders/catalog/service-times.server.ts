import { sql } from "drizzle-orm";
import type { Db } from "#app/db/db.server.ts";
import { orders, serviceTimes } from "#app/db/schema.server.ts";
import { AVERAGED_ORDERS } from "./delivery-time.ts";

/** Returns the statement that adds this order to its service's average, for the batch that completes the order. */
export function countCompletion(db: Db, orderId: number, now: number) {
  return db
    .insert(serviceTimes)
    .select(
      db
        .select({
          serviceId: orders.serviceId,
          completed: sql<number>`1`.as("completed"),
          averageMs: sql<number>`max(0, cast(${now} as integer) - ${orders.createdAt})`.as("average_ms"),
        })
        .from(orders)
        .where(sql`${orders.id} = ${orderId}`),
    )
    .onConflictDoUpdate({
      target: serviceTimes.serviceId,
      set: {
        completed: sql`${serviceTimes.completed} + 1`,
        // D1 binds numbers as REAL, so without the casts this divides to a fraction, which the column refuses.
        averageMs: sql`${serviceTimes.averageMs} + (excluded.average_ms - ${serviceTimes.averageMs}) / min(${serviceTimes.completed} + 1, cast(${AVERAGED_ORDERS} as integer))`,
      },
    });
}
