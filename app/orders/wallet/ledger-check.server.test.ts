import { env } from "cloudflare:workers";
import { eq, sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { checkouts, ledger, orders, wallets } from "#app/db/schema.server.ts";
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

  const deleted = await db.delete(ledger).where(eq(ledger.orderId, placed.order.id)).returning();
  expect(await rules()).toContain("every charge has a ledger entry");
  await db.insert(ledger).values(deleted);
  expect(await checkLedger(db)).toEqual([]);
});

test("finds no fault in an empty wallet, or in a card payment that was debited and is owed in part", async () => {
  const { userId } = await customerWith(MICRO);
  await db.batch([
    db.update(wallets).set({ balance: 0, owed: 500_000 }).where(eq(wallets.userId, userId)),
    db
      .insert(ledger)
      .values({ userId, kind: "reversal", amount: -MICRO, balanceAfter: 0, note: "Card", createdAt: Date.now() }),
    db.insert(checkouts).values({
      id: crypto.randomUUID(),
      userId,
      amount: 1_500_000,
      paid: 1_500_000,
      reversed: 1_500_000,
      status: "paid",
      createdAt: 1,
      updatedAt: 1,
    }),
  ]);
  expect(await checkLedger(db)).toEqual([]);
  await db.update(wallets).set({ owed: 400_000 }).where(eq(wallets.userId, userId));
  const fault = { subject: `wallet ${userId}`, is_now: 1_400_000, should_be: 1_500_000 };
  expect(await checkLedger(db)).toMatchObject([{ rule: "card refunds and disputes are debited or owed", ...fault }]);
  await db.update(wallets).set({ owed: 500_000 }).where(eq(wallets.userId, userId));
});

for (const kind of ["charge", "refund"] as const) {
  test(`reports a ${kind} that stands in the ledger of another customer`, async () => {
    const { userId } = await customerWith(MICRO);
    const other = await customerWith(0);
    const fields = { link: "https://x.example/1", quantity: "100" };
    const serviceId = await service();
    const placed = await placeOrder(db, userId, { serviceId, fields, idempotencyKey: null, source: "api" });
    if (!placed.ok) throw new Error(placed.fault.reason);
    await closeOrder(db, env, placed.order, { status: "Partial", remains: 50, startCount: null });
    const entry = sql`order_id = ${placed.order.id} and kind = ${kind}`;
    await db.update(ledger).set({ userId: other.userId }).where(entry);
    expect(await checkLedger(db)).toContainEqual(
      expect.objectContaining({ rule: `every ${kind} has a ledger entry`, subject: `order ${placed.order.id}` }),
    );
    await db.update(ledger).set({ userId }).where(entry);
    expect(await checkLedger(db)).toEqual([]);
  });
}
