import { env } from "cloudflare:workers";
import { eq, sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { ledger, orders, wallets } from "#app/db/schema.server.ts";
import { closeOrder } from "#app/orders/fulfillment/close-order.server.ts";
import { placeOrder } from "#app/orders/placing/place-order.server.ts";
import { MICRO } from "#app/product.ts";
import { customerWith, db, service } from "#tests/workerd/customer.ts";
import { checkLedger } from "./ledger-check.server.ts";

test("reports balances, charges and refunds that the ledger does not match", async () => {
  const { userId } = await customerWith(MICRO);
  const fields = { link: "https://x.example/1", quantity: "100" };
  const placed = await placeOrder(db, userId, {
    serviceId: await service(),
    fields,
    idempotencyKey: null,
    source: "api",
  });
  if (!placed.ok) throw new Error(placed.fault.reason);
  await closeOrder(db, env, placed.order, { status: "Partial", remains: 50, startCount: null });
  expect(await checkLedger(db)).toEqual([]);

  const rules = async () => (await checkLedger(db)).map(({ rule }) => rule);
  await db.update(wallets).set({ balance: sql`balance + 1` }).where(eq(wallets.userId, userId));
  expect(await rules()).toEqual([
    "a balance is the sum of its ledger entries",
    "the last ledger entry holds the current balance",
  ]);
  await db.update(wallets).set({ balance: sql`balance - 1` }).where(eq(wallets.userId, userId));

  await db.update(orders).set({ charge: sql`charge + 1` }).where(eq(orders.id, placed.order.id));
  expect(await rules()).toEqual(["every charge has a ledger entry"]);
  await db.update(orders).set({ charge: sql`charge - 1`, refunded: 0 }).where(eq(orders.id, placed.order.id));
  expect(await rules()).toEqual(["every refund has a ledger entry"]);
  await db
    .update(orders)
    .set({ refunded: placed.order.charge / 2 })
    .where(eq(orders.id, placed.order.id));
  expect(await checkLedger(db)).toEqual([]);

  await db.delete(ledger).where(eq(ledger.orderId, placed.order.id));
  expect(await rules()).toContain("every charge has a ledger entry");
});
