import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { HOLD_REASONS, ORDER_STATUSES, orders } from "#app/db/schema.server.ts";
import { atScale } from "#tests/workerd/at-scale.ts";
import { db } from "#tests/workerd/customer.ts";
import { placeOrders, readOrder } from "#tests/workerd/place-orders.ts";
import { historyAfter, historySent, readSteps } from "./order-steps.server.ts";

test("adds a step for each change, with the seconds since the order was placed", async () => {
  const { id, createdAt } = await placed();
  const at = (seconds: number) => createdAt + seconds * 1000;
  await set(id, { fulfillment: "submitting", attempts: 1, history: historySent(at(2)) });
  await set(id, { fulfillment: "submitting", attempts: 2, history: historySent(at(3)) });
  await set(id, { fulfillment: "accepted", history: historyAfter({ fulfillment: "accepted" }, at(4)) });
  await set(id, { status: "In progress", history: historyAfter({ status: "In progress" }, at(90)) });
  await set(id, { status: "In progress", history: historyAfter({ status: "In progress" }, at(95)) });
  const held = { fulfillment: "held", heldFor: "no_remains" } as const;
  await set(id, { ...held, history: historyAfter(held, at(100)) });
  await set(id, { ...held, history: historyAfter(held, at(101)) });
  const closed = { fulfillment: "rejected", status: "Canceled", heldFor: null } as const;
  const order = await set(id, { ...closed, history: historyAfter(closed, at(3600)) });
  expect(order.history).toBe("s2a4i90z100r3600X3600");
  expect(readSteps(order)).toEqual([
    { at: at(2), kind: "fulfillment", fulfillment: "submitting" },
    { at: at(4), kind: "fulfillment", fulfillment: "accepted" },
    { at: at(90), kind: "status", status: "In progress" },
    { at: at(100), kind: "held", heldFor: "no_remains" },
    { at: at(3600), kind: "fulfillment", fulfillment: "rejected" },
    { at: at(3600), kind: "status", status: "Canceled" },
  ]);
});

test("has a step of its own for each reason to hold, and for each status", async () => {
  const { id, createdAt } = await placed();
  for (const heldFor of HOLD_REASONS) {
    const held = { fulfillment: "held", heldFor } as const;
    const order = await set(id, { ...held, history: historyAfter(held, createdAt) });
    expect(readSteps(order).at(-1)).toEqual({ at: createdAt, kind: "held", heldFor });
  }
  for (const status of [...ORDER_STATUSES].reverse()) {
    const order = await set(id, { status, history: historyAfter({ status }, createdAt) });
    expect(readSteps(order).at(-1)).toEqual({ at: createdAt, kind: "status", status });
  }
  expect(new Set((await readOrder(id)).history.match(/[A-Za-z]/g)).size).toBe(
    HOLD_REASONS.length + ORDER_STATUSES.length,
  );
});

test("stays short if a provider changes the status forever, and ends with the status that the order has", async () => {
  const { id, createdAt } = await placed();
  const read = db.select().from(orders).where(eq(orders.id, id));
  const change = (values: Record<string, unknown>) => db.update(orders).set(values).where(eq(orders.id, id));
  for (let n = 1; n <= atScale(60, 200); n++) {
    const [status, at] = [n % 2 === 0 ? "Processing" : "In progress", createdAt + n * 60_000] as const;
    const held = historyAfter({ fulfillment: "held", heldFor: "unreadable" }, at);
    const changed = change({ status, history: historyAfter({ status }, at) });
    const [, [order], , [after]] = await db.batch([changed, read, change({ history: held }), read]);
    if (!order || !after) throw new Error("order not found");
    expect(order.history.length).toBeLessThan(260);
    expect(readSteps(order).at(-1)).toEqual({ at, kind: "status", status });
    expect(readSteps(after).findLast(({ kind }) => kind === "status")).toMatchObject({ status });
  }
});

async function placed() {
  const { orderIds } = await placeOrders(["https://instagram.com/p/steps"]);
  return readOrder(orderIds[0] ?? 0);
}

async function set(id: number, values: Record<string, unknown>) {
  await db.update(orders).set(values).where(eq(orders.id, id));
  return readOrder(id);
}
