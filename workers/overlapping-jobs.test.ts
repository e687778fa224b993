import { env } from "cloudflare:workers";
import { eq, like } from "drizzle-orm";
import { expect, test } from "vitest";
import {
  accountDeletions,
  ledgerFaults,
  orders,
  spendingDays,
  wallets,
  webhookDeliveries,
  webhookEndpoints,
} from "#app/db/schema.server.ts";
import { placeOrder } from "#app/orders/placing/place-order.server.ts";
import { checkLedger } from "#app/orders/wallet/ledger-check.server.ts";
import { createEndpoint } from "#app/orders/webhooks/webhook-endpoints.server.ts";
import { MICRO } from "#app/product.ts";
import { customerWith, db, service } from "#tests/workerd/customer.ts";
import { ownerOf } from "#tests/workerd/signed-in-account.ts";
import { stalls } from "#tests/workerd/stalled-database.ts";
import { EVERY_MINUTE, NIGHTLY } from "./cron-triggers.ts";
import { runScheduledJobs } from "./scheduled-jobs.ts";

test("does the work of a minute once in runs that overlap", async () => {
  const { userId } = await customerWith(2 * MICRO);
  await createEndpoint(db, env, await ownerOf(userId), "https://hooks.example/low");
  await db
    .update(wallets)
    .set({ lowBalanceThreshold: 3 * MICRO })
    .where(eq(wallets.userId, userId));
  const placed = await placeOrder(db, userId, {
    serviceId: await service(),
    fields: { link: "https://x.example/1", quantity: "1000" },
    idempotencyKey: null,
    source: "api",
  });
  if (!placed.ok) throw new Error(placed.fault.reason);
  // Was cut off while it was submitted.
  await db.update(orders).set({ fulfillment: "submitting", leaseUntil: 1 }).where(eq(orders.id, placed.order.id));
  const leaving = await customerWith(MICRO);
  await db.insert(accountDeletions).values({ userId: leaving.userId, requestedAt: 1 });

  await Promise.all([1, 2, 3].map(() => runScheduledJobs(EVERY_MINUTE, env)));

  const low = await db.select().from(webhookDeliveries).where(eq(webhookDeliveries.event, "balance.low"));
  expect(low).toHaveLength(1);
  const [day] = await db.select().from(spendingDays).where(eq(spendingDays.userId, userId));
  expect(day).toMatchObject({ orders: 1, spent: placed.order.charge, added: 2 * MICRO });
  const [order] = await db.select().from(orders).where(eq(orders.id, placed.order.id));
  expect(order?.fulfillment).toBe("held");
  expect(await db.$count(wallets, like(wallets.userId, "deleted-%"))).toBe(1);
  expect(await db.$count(accountDeletions)).toBe(0);
  expect(await checkLedger(db)).toEqual([]);
});

test("does the work of a night once in runs that overlap", async () => {
  const { userId } = await customerWith(MICRO);
  await db.update(wallets).set({ owed: 5 }).where(eq(wallets.userId, userId));
  await Promise.all([1, 2, 3].map(() => runScheduledJobs(NIGHTLY, env)));
  expect(await db.$count(ledgerFaults, eq(ledgerFaults.subject, userId))).toBe(2);
});

test("does the work of a minute once in runs that overlap while the databases stand still", async () => {
  const stalled = stalls();
  const first = await customerWithLowBalance();
  for (const begin of [stalled.beforeCalls, stalled.losingAnswers]) {
    begin();
    // Each ends by itself while nothing has been answered.
    const runs = await Promise.allSettled([1, 2, 3].map(() => runScheduledJobs(EVERY_MINUTE, stalled.in(env))));
    expect(runs.map((run) => run.status === "rejected" && String(run.reason))).toEqual(
      Array.from({ length: 3 }, () => expect.stringContaining("scheduled jobs failed")),
    );
    await stalled.end();
  }
  const second = await customerWithLowBalance();
  // The next minute begins while the jobs of the one before wait for the answers to their writes.
  const minutes = [stalls(), stalls()];
  const runs: Promise<void>[] = [];
  for (const minute of minutes) {
    minute.beforeAnswers((statements) => statements.some(isWriteOfJob));
    runs.push(runScheduledJobs(EVERY_MINUTE, minute.in(env)));
    await minute.called(1);
  }
  for (const minute of minutes) await minute.end();
  await Promise.all(runs);
  await runScheduledJobs(EVERY_MINUTE, env);
  for (const userId of [first, second]) {
    const own = await db
      .select({ event: webhookDeliveries.event })
      .from(webhookDeliveries)
      .innerJoin(webhookEndpoints, eq(webhookEndpoints.id, webhookDeliveries.endpointId))
      .where(eq(webhookEndpoints.userId, userId));
    expect(own).toEqual([{ event: "balance.low" }]);
    const days = await db.select().from(spendingDays).where(eq(spendingDays.userId, userId));
    expect(days).toMatchObject([{ added: 2 * MICRO }]);
  }
});

async function customerWithLowBalance(): Promise<string> {
  const { userId } = await customerWith(2 * MICRO);
  await createEndpoint(db, env, await ownerOf(userId), "https://hooks.example/low");
  await db
    .update(wallets)
    .set({ lowBalanceThreshold: 3 * MICRO })
    .where(eq(wallets.userId, userId));
  return userId;
}

/** The jobs begin once their starts are recorded. */
function isWriteOfJob(text: string): boolean {
  return /^\s*(insert|update|delete|with)\b/i.test(text) && !text.includes("job_runs");
}
