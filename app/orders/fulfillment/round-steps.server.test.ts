import { eq } from "drizzle-orm";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type Order, orders, refills as refillRows, services } from "#app/db/schema.server.ts";
import type { ProviderLink } from "#app/orders/providers/provider-link.server.ts";
import { RECENT_ROUND_MS } from "#app/orders/rules/recent-orders.ts";
import { HOUR_MS, MINUTE_MS } from "#app/time.ts";
import { db } from "#tests/workerd/customer.ts";
import { acceptOrders, idThere, placeOrders, readOrder } from "#tests/workerd/place-orders.ts";
import { linkAt } from "#tests/workerd/provider-links.ts";
import { refuseUpdates } from "#tests/workerd/refused-updates.ts";
import { providerReplies } from "#tests/workerd/sandbox-service.ts";
import { sandboxLink } from "#tools/stand-ins/sandbox-faults.ts";
import { requestCancellation } from "./cancellations.server.ts";
import { newMemory } from "./dispatcher-memory.server.ts";
import { requestRefill } from "./refills.server.ts";
import {
  cancellations,
  heldOrders,
  heldRefills,
  NEVER,
  refillStatuses,
  refills,
  STEPS,
  statuses,
} from "./round-steps.server.ts";

const NOW = Date.now();

beforeEach(() => {
  vi.spyOn(Date, "now").mockReturnValue(NOW);
  vi.spyOn(console, "log").mockImplementation(() => {});
});

afterEach(() => void vi.restoreAllMocks());

test("asks for statuses eight seconds after the last time, and at once when the clock was set back", () => {
  const waits = [0, -7999, -8000, -9000, 1].map((since) => {
    return statuses.dueAt({ ...newMemory(), statusesAt: NOW + since }, NOW) - NOW;
  });
  expect(waits).toEqual([8000, 1, 0, -1000, 0]);
});

test.for([
  ["of less than an hour", { createdAt: NOW - HOUR_MS + 1 }, NOW + RECENT_ROUND_MS],
  ["of an hour", { createdAt: NOW - HOUR_MS }, NOW + MINUTE_MS],
  ["that has ended", { status: "Completed" }, NEVER],
] as const)("tells when to ask again for the status of an order %s", async ([_, change, nextAt]) => {
  const { link, orderId } = await accepted(change);
  providerReplies(() => Response.json({ [idThere(orderId)]: { status: "In progress", remains: "9" } }));
  const memory = newMemory();
  memory.sending.hasAccepted = true;
  expect(await statuses.run(link, memory)).toBe(nextAt);
  expect(memory).toMatchObject({ statusesAt: NOW, sending: { hasAccepted: false } });
});

test.for([
  ["an hour after the provider answered", { status: "In progress" }, HOUR_MS],
  ["five minutes after the provider refused all calls", { error: "Too many requests" }, 5 * MINUTE_MS],
] as const)("asks for what is held %s", async ([_, answer, waitMs]) => {
  const { link, orderId, userId } = await accepted({ fulfillment: "held" });
  await db.insert(refillRows).values({
    ...{ orderId, userId, providerId: link.id, fulfillment: "held", providerRefillId: "r1" },
    ...{ createdAt: NOW, updatedAt: NOW },
  });
  const entry = "error" in answer ? answer : { [idThere(orderId)]: answer };
  providerReplies(({ action }) =>
    Response.json(action === "status" || "error" in answer ? entry : [{ refill: "r1", status: "In progress" }]),
  );
  const memory = newMemory();
  expect(await heldOrders.run(link, memory)).toBe(NEVER);
  expect([memory.heldFrom, heldRefills.dueAt(memory, NOW)]).toEqual([NOW + waitMs, 0]);
  expect(await heldRefills.run(link, memory)).toBe(NEVER);
  expect([heldOrders.dueAt(memory, NOW), memory.heldRefillsFrom]).toEqual([NOW + waitMs, NOW + waitMs]);
});

test("asks for refills eight seconds after one was sent, and no later than it would have", async () => {
  const { link, orderId, userId } = await delivered();
  providerReplies(() => Response.json({ refill: 7 }));
  const memory = newMemory();
  memory.refillsFrom = NEVER;
  expect(await refills.run(link, memory)).toBe(NEVER);
  expect(memory.refillsFrom).toBe(NEVER);
  expect(await requestRefill(db, { userId, isTest: false }, orderId)).toMatchObject({ ok: true });
  await refills.run(link, memory);
  expect(refillStatuses.dueAt(memory, NOW)).toBe(NOW + RECENT_ROUND_MS);
  memory.refillsFrom = NOW + 5;
  await refills.run(link, memory);
  expect(memory.refillsFrom).toBe(NOW + 5);
});

test("asks for refills as often as their customer watches them, and half a minute after a failure", async () => {
  const { link, orderId, userId } = await delivered();
  const memory = newMemory();
  expect(await refillStatuses.run(link, memory)).toBe(NEVER);
  await requestRefill(db, { userId, isTest: false }, orderId);
  const ofOrder = eq(refillRows.orderId, orderId);
  await db.update(refillRows).set({ fulfillment: "accepted", providerRefillId: "r1" }).where(ofOrder);
  providerReplies(() => Response.json([{ refill: "r1", status: "In progress" }]));
  expect(await refillStatuses.run(link, memory)).toBe(NOW + RECENT_ROUND_MS);
  await db
    .update(refillRows)
    .set({ createdAt: NOW - HOUR_MS })
    .where(ofOrder);
  expect(await refillStatuses.run(link, memory)).toBe(NOW + MINUTE_MS);
  expect(memory.refillsFrom).toBe(NOW + MINUTE_MS);
  providerReplies(() => new Response("", { status: 502 }));
  const lift = await refuseUpdates("providers", `new.id = ${link.id}`);
  await expect(refillStatuses.run(link, memory)).rejects.toThrow();
  await lift();
  expect(memory.refillsFrom).toBe(NOW + 30_000);
});

test("sends a cancellation in any round, for which the dispatcher doesn't wake itself", async () => {
  const { link, orderId, userId } = await accepted({});
  await requestCancellation(db, link.env, { userId, isTest: false }, orderId);
  const calls = providerReplies(() => Response.json({ cancel: 1 }));
  const memory = newMemory();
  expect(cancellations.dueAt(memory, NOW)).toBe(0);
  expect(await cancellations.run(link, memory)).toBe(NEVER);
  expect(calls()).toMatchObject([{ action: "cancel" }]);
  expect(STEPS.flat().filter(({ wakes }) => wakes)).toEqual([statuses, refillStatuses]);
});

/** Places an order that its provider has accepted. */
async function accepted(change: Partial<Order>): Promise<{ link: ProviderLink; orderId: number; userId: string }> {
  const { providerId, orderIds, userId } = await placeOrders([sandboxLink(null, crypto.randomUUID())]);
  const [orderId = 0] = orderIds;
  await acceptOrders(orderIds);
  if (Object.keys(change).length > 0) await db.update(orders).set(change).where(eq(orders.id, orderId));
  return { link: await linkAt(providerId), orderId, userId };
}

/** Places an order that its provider has delivered, of a service with refills. */
async function delivered() {
  const placed = await accepted({ status: "Completed", remains: 0 });
  const { serviceId } = await readOrder(placed.orderId);
  await db.update(services).set({ refill: true }).where(eq(services.id, serviceId));
  return placed;
}
