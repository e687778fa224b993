import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { orders } from "#app/db/schema.server.ts";
import { placeOrder } from "#app/orders/placing/place-order.server.ts";
import { MICRO } from "#app/product.ts";
import { customerWith, db, service } from "#tests/workerd/customer.ts";
import { readCostChanges } from "./cost-changes.server.ts";
import { readStaffOrder } from "./staff-order.server.ts";

test("shows a correction of the provider's charge that comes without a step", async () => {
  const order = await acceptedOrder();
  await order.costs(440_000, 5000);
  expect(await order.changes()).toEqual([
    { amount: 450_000, costed: 1, createdAt: order.at(3), isSum: false },
    { amount: -10_000, costed: 0, createdAt: order.at(5000), isSum: false },
  ]);
});

test("shows the corrections whose times nobody knows as one, so that the timeline adds up to the cost", async () => {
  const order = await acceptedOrder();
  await order.costs(460_000, 1000);
  await order.costs(470_000, 2000);
  await order.costs(430_000, 5000);
  const changes = await order.changes();
  expect(changes).toMatchObject([
    { amount: 450_000 },
    { amount: 20_000, isSum: true },
    { amount: -40_000, createdAt: order.at(5000), isSum: false },
  ]);
  expect(changes.reduce((sum, { amount }) => sum + amount, 0)).toBe(430_000);
  // Something else about the order changed last.
  await order.set({ remains: 3 }, 9000);
  expect(await order.changes()).toMatchObject([{ amount: 450_000 }, { amount: -20_000, isSum: true }]);
  // The time of a staff action leads to the cost change that came with it.
  expect(await order.changes([order.at(1000)])).toMatchObject([
    { amount: 450_000 },
    { amount: -30_000, isSum: true },
    { amount: 10_000, isSum: false },
  ]);
});

test("tells nothing of changes that are no longer kept", async () => {
  const order = await acceptedOrder();
  await order.costs(440_000, 5000);
  await env.DB.exec("delete from order_costs");
  expect(await order.changes()).toEqual([]);
});

/** An order that its provider accepted three seconds after it was placed, and that costs $0.45 from then on. */
async function acceptedOrder() {
  const { userId } = await customerWith(10 * MICRO);
  const fields = { link: "https://instagram.com/p/1", quantity: "1000" };
  const input = { serviceId: await service(), fields, idempotencyKey: null, source: "web" as const };
  const placed = await placeOrder(db, userId, input);
  if (!placed.ok) throw new Error("the order was not placed");
  const { id, createdAt } = placed.order;
  const at = (seconds: number) => createdAt + seconds * 1000;
  const set = (values: Partial<typeof orders.$inferInsert>, seconds: number) =>
    db
      .update(orders)
      .set({ ...values, updatedAt: at(seconds) })
      .where(eq(orders.id, id));
  const costs = (cost: number, seconds: number) => set({ cost, costIsReported: true }, seconds);
  await set({ history: "s2a3i60", cost: 450_000, costIsReported: false }, 3);
  const changes = async (staffActedAt: number[] = []) => {
    const found = await readStaffOrder(db, id);
    if (!found) throw new Error("the order is gone");
    return readCostChanges(db, found.order, staffActedAt);
  };
  return { at, set, costs, changes };
}
