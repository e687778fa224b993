import { and, eq, gte, lt, type SQL, sql } from "drizzle-orm";
import type { Db } from "#app/db/db.server.ts";
import { firstIdSince } from "#app/db/ids-by-time.server.ts";
import { type Order, orderCosts } from "#app/db/schema.server.ts";
import { readSteps } from "#app/db/steps/order-steps.server.ts";

/** A step has whole seconds, and two machines store what happens at once a little apart. */
const BEFORE_MS = 1000;
const AFTER_MS = 2000;
/** Changes of all orders that are looked through around a step. */
const MOST_AROUND = 500;
const MOST_STEPS = 8;

/**
 * Returns the changes of an order's cost. No index finds them by order: it would write a row for each. They happen with its
 * steps, so they are looked for among those of all orders around the last few of these times.
 */
export async function readCostChanges(db: Db, order: Pick<Order, "id" | "history" | "createdAt" | "cost">) {
  if (order.cost === null) return [];
  const times = [...new Set(readSteps(order).map(({ at }) => at))].slice(-MOST_STEPS);
  const found = await Promise.all(times.map((at) => around(db, order.id, at)));
  return [...new Map(found.flat().map((change) => [change.id, change])).values()];
}

function around(db: Db, orderId: number, at: number) {
  const since = (time: number): SQL =>
    sql`(select ${firstIdSince({ table: orderCosts, id: orderCosts.id, createdAt: orderCosts.createdAt }, time)})`;
  const near = db
    .select()
    .from(orderCosts)
    .where(and(gte(orderCosts.id, since(at - BEFORE_MS)), lt(orderCosts.id, since(at + AFTER_MS))))
    .limit(MOST_AROUND)
    .as("near");
  return db.select().from(near).where(eq(near.orderId, orderId));
}
