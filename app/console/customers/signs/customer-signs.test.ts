import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { readCustomerPeriods } from "#app/console/customers/customer-sales.server.ts";
import { connect } from "#app/db/db.server.ts";
import { cardReversals, checkouts, ledger, spendingDays } from "#app/db/schema.server.ts";
import { salesDayOf } from "#app/orders/sales/sales-period.ts";
import { credit } from "#app/orders/wallet/ledger.server.ts";
import { MICRO } from "#app/product.ts";
import { countedDatabase } from "#tests/workerd/counted-database.ts";
import { db } from "#tests/workerd/customer.ts";
import { accountWithoutPassword } from "#tests/workerd/new-account.ts";
import { readCustomerFacts } from "./customer-signs.server.ts";

const NOW = Date.now();
const TODAY = salesDayOf(NOW);

test("reads the payments, the first top-up and the refunds of one customer", async () => {
  const { userId } = await accountWithoutPassword({ emailConfirmedAt: null, createdAt: 5 });
  const other = await accountWithoutPassword();
  await credit(db, userId, { kind: "adjustment", amount: MICRO, note: "" });
  await credit(db, userId, { kind: "topup", amount: 900 * MICRO, note: "" });
  await credit(db, userId, { kind: "topup", amount: 5 * MICRO, note: "" });
  await pay(userId, "a", { reversed: MICRO, createdAt: 1000 });
  await pay(userId, "b", { createdAt: 2000 });
  await pay(other.userId, "c", { reversed: MICRO, createdAt: 3000 });
  await reverse("a", 1500, true);
  await reverse("a", 9000, false);
  await reverse("c", 7000, true);
  for (const [day, spent, refunded] of [
    [TODAY, 30, 12],
    [TODAY - 29, 10, 0],
    [TODAY - 30, 500, 500],
  ] as const) {
    await db.insert(spendingDays).values({
      userId,
      day,
      spent,
      refunded,
      refunds: refunded ? 1 : 0,
      orders: 2,
      balance: 0,
      ended: { c0: 1, x0: 1 },
    });
  }
  const facts = await readCustomerFacts(db, userId, NOW);
  expect(facts).toMatchObject({
    createdAt: 5,
    emailConfirmedAt: null,
    suspendedAt: null,
    owed: 0,
    firstTopUp: { amount: 900 * MICRO },
    payments: [
      { reversed: 0, reversedAt: null },
      { reversed: MICRO, reversedAt: 1500 },
    ],
    recent: { charged: 52, refunded: 12 },
  });
  expect(await readCustomerPeriods(db, userId, NOW)).toMatchObject([
    {
      days: 30,
      orders: 4,
      revenue: 40,
      refunds: 1,
      refunded: 12,
      delivery: { p50Ms: null, canceled: 5000, partial: 0 },
    },
    { days: 90, orders: 6, revenue: 540, refunds: 2, refunded: 512 },
    { days: 400, orders: 6, revenue: 540, refunds: 2, refunded: 512 },
  ]);
  expect(await readCustomerFacts(db, "nobody", NOW)).toBeNull();
});

test("reads as many rows however long a customer's history is", async () => {
  const { userId } = await accountWithoutPassword();
  const reads: number[] = [];
  for (const round of [0, 1]) {
    const n = (count: number) =>
      `with recursive n(i) as (select ${round * count} union all select i + 1 from n where i < ${(round + 1) * count - 1})`;
    await env.DB.batch([
      env.DB.prepare(
        `${n(500)} insert into checkouts (id, user_id, amount, paid, status, reversed, payment_intent, created_at, updated_at)
          select 'many' || i, ?, 5, 5, 'paid', 1, 'intent' || i, i, i from n`,
      ).bind(userId),
      env.DB.prepare(
        `${n(2000)} insert into ledger (user_id, kind, amount, balance_after, created_at) select ?, 'topup', 1, 1, i from n`,
      ).bind(userId),
      env.DB.prepare(
        `${n(500)} insert into spending_days (user_id, day, balance) select ?, ${TODAY} - i, 0 from n`,
      ).bind(userId),
    ]);
    const { database, counts } = countedDatabase(env.DB);
    await readCustomerFacts(connect(database), userId, NOW);
    await readCustomerPeriods(connect(database), userId, NOW);
    reads.push(counts.rowsRead);
  }
  // A row for each of 30 and 400 days, and three for each of 50 payments.
  expect(reads[1]).toBeLessThanOrEqual((reads[0] ?? 0) + 10);
  expect(reads[1]).toBeLessThanOrEqual(680);
  await db.delete(ledger);
});

async function pay(userId: string, intent: string, given: Partial<typeof checkouts.$inferInsert>): Promise<void> {
  const amount = 20 * MICRO;
  const row = {
    id: crypto.randomUUID(),
    userId,
    amount,
    paid: amount,
    status: "paid",
    updatedAt: 1,
    createdAt: 1,
  } as const;
  await db.insert(checkouts).values({ ...row, paymentIntent: intent, ...given });
}

async function reverse(paymentIntent: string, at: number, inEffect: boolean): Promise<void> {
  await db.insert(cardReversals).values({
    id: crypto.randomUUID(),
    paymentIntent,
    kind: "refund",
    amount: 100,
    inEffect,
    status: "succeeded",
    eventAt: at,
    eventRank: 1,
    createdAt: at,
  });
}
