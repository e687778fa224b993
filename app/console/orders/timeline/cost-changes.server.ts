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

/** A change of an order's cost in micro-units. `isSum`: of several, whose times nobody knows; `createdAt` is after them. */
export type CostChange = { amount: number; costed: number; createdAt: number; isSum: boolean };

/**
 * Returns the changes of an order's cost. No index finds them by order: it would write a row for each. They are looked for
 * among those of all orders around the last few of its steps, what staff did to it, and the newest change of the order
 * itself. A provider that corrects its charge more than once between two of these gets one change for all of them.
 */
export async function readCostChanges(
  db: Db,
  order: Pick<Order, "id" | "history" | "createdAt" | "updatedAt" | "cost">,
  staffActedAt: number[],
): Promise<CostChange[]> {
  if (order.cost === null) return [];
  const steps = readSteps(order);
  const accepted = steps.filter((step) => step.kind === "fulfillment" && step.fulfillment === "accepted").slice(-1);
  const known = [...accepted, ...steps.slice(-MOST_STEPS)].map(({ at }) => at);
  const times = [...new Set([...known, ...staffActedAt.slice(0, MOST_STEPS), order.updatedAt])];
  const found = await Promise.all(times.map((at) => around(db, order.id, at)));
  const changes = [...new Map(found.flat().map((change) => [change.id, change])).values()].sort((a, b) => a.id - b.id);
  return withSum({ cost: order.cost, updatedAt: order.updatedAt }, changes);
}

/** Adds what the changes lack to make the cost. Without the one that noted the cost first, others are missing as well. */
function withSum(
  { cost, updatedAt }: { cost: number; updatedAt: number },
  changes: Omit<CostChange, "isSum">[],
): CostChange[] {
  const shown = changes.map(({ amount, costed, createdAt }) => ({ amount, costed, createdAt, isSum: false }));
  const missing = cost - changes.reduce((sum, { amount }) => sum + amount, 0);
  if (missing === 0 || !changes.some(({ costed }) => costed > 0)) return shown;
  const last = shown.at(-1);
  const createdAt = last && last.costed === 0 ? last.createdAt : updatedAt;
  const sum = { amount: missing, costed: 0, createdAt, isSum: true };
  return last && last.costed === 0 ? [...shown.slice(0, -1), sum, last] : [...shown, sum];
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
