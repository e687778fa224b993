import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { connect } from "#app/db/db.server.ts";
import { orders } from "#app/db/schema.server.ts";
import { ownerOfAccount } from "#app/push/subscriptions.server.ts";
import {
  accountOf,
  deliveriesTo,
  notifiedBrowser,
  receivedBy,
  sendPushes,
  withoutPushDispatcher,
} from "#tests/stand-ins/push-devices.ts";
import { countedDatabase } from "#tests/workerd/counted-database.ts";
import { db } from "#tests/workerd/customer.ts";
import { placeOrders, readOrder } from "#tests/workerd/place-orders.ts";
import { refuseUpdates } from "#tests/workerd/refused-updates.ts";
import { startSession } from "#tests/workerd/signed-in-account.ts";
import { closeOrder } from "./fulfillment/close-order.server.ts";
import { orderNotification } from "./rules/order-notification.ts";

const quietEnv = withoutPushDispatcher();
const COMPLETED = { status: "Completed", remains: 0, startCount: null } as const;

test("notifies its customer once when an order ends, and opens it by a tap", async () => {
  const { orderId, userId, browser } = await notifiedOrder();
  const order = await readOrder(orderId);
  expect(await closeOrder(db, quietEnv, order, COMPLETED)).toBe(true);
  // A second report of the same end, as after a lost answer.
  expect(await closeOrder(db, quietEnv, order, COMPLETED)).toBe(false);
  expect(await deliveriesTo(ownerOfAccount(userId))).toHaveLength(1);
  await sendPushes();
  expect((await receivedBy(browser)).map(({ message }) => message)).toMatchObject([
    {
      title: `Order ${orderId} completed`,
      body: "Everything is delivered.",
      path: `/dashboard/orders/${orderId}`,
      tag: `order-${orderId}`,
    },
  ]);
});

test("queues nothing if the order does not end after all", async () => {
  const { orderId, userId } = await notifiedOrder();
  const lift = await refuseUpdates("orders", `new.id = ${orderId}`);
  await expect(closeOrder(db, quietEnv, await readOrder(orderId), COMPLETED)).rejects.toThrow();
  await lift();
  expect(await deliveriesTo(ownerOfAccount(userId))).toEqual([]);
});

test("notifies nobody else", async () => {
  const [mine, theirs] = [await notifiedOrder(), await notifiedOrder()];
  await closeOrder(db, quietEnv, await readOrder(mine.orderId), COMPLETED);
  await sendPushes();
  expect(await receivedBy(theirs.browser)).toEqual([]);
});

test("writes nothing for a customer without notifications, whatever others have", async () => {
  const { orderIds } = await placeOrders(["https://a.example", "https://b.example"]);
  const { database, byStatement } = countedDatabase(env.DB);
  await closeOrder(connect(database), quietEnv, await readOrder(orderIds[0] ?? 0), COMPLETED);
  const about = [...byStatement].filter(([query]) => /push_/.test(query));
  expect(about).toHaveLength(2);
  for (const [, { rowsRead, rowsWritten }] of about) {
    expect(rowsRead).toBeLessThanOrEqual(3);
    expect(rowsWritten).toBe(0);
  }
});

test("says what happened and what was refunded", () => {
  expect(orderNotification({ id: 7, status: "Partial", refunded: 1_200_000 })).toMatchObject({
    title: "Order 7 partly delivered",
    body: "$1.20 refunded to your balance.",
  });
  expect(orderNotification({ id: 7, status: "Canceled", refunded: 0 })).toMatchObject({
    title: "Order 7 canceled",
    body: "The order has ended.",
  });
});

/** Places an order of a new customer whose browser gets notifications. */
async function notifiedOrder() {
  const { userId, orderIds } = await placeOrders([`https://${crypto.randomUUID()}.example`]);
  const [orderId = 0] = orderIds;
  await db.update(orders).set({ fulfillment: "accepted" }).where(eq(orders.id, orderId));
  const sessionId = await startSession(db, { userId });
  const browser = await notifiedBrowser(accountOf({ userId, sessionId }));
  return { orderId, userId, browser };
}
