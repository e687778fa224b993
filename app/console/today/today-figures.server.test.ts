import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { connect } from "#app/db/db.server.ts";
import { ledgerFaults, providerBalances, providerUseDays, rollups } from "#app/db/schema.server.ts";
import { refreshServiceTimes } from "#app/orders/delivery/service-times.server.ts";
import { rollUpSpending } from "#app/orders/wallet/spending.server.ts";
import { MICRO } from "#app/product.ts";
import { DAY_MS } from "#app/time.ts";
import { countedDatabase } from "#tests/workerd/counted-database.ts";
import { db } from "#tests/workerd/customer.ts";
import { fillHistory, startHistory } from "#tests/workerd/history-fill.ts";
import { readToday } from "./today-figures.server.ts";

const MAX_ROWS = 150;

test("reads the same few rows however many orders there are, a third of them open", async () => {
  const start = await startHistory();
  const now = Date.now();
  const providerIds = start.providerIds.slice(0, 3);
  await db.insert(providerBalances).values(
    providerIds.map((providerId) => ({
      providerId,
      askedAt: now,
      balance: 70 * MICRO,
      currency: "USD",
      readAt: now,
      firstReadAt: now - 60 * DAY_MS,
    })),
  );
  const today = Math.floor(now / DAY_MS);
  for (let day = today - 60; day <= today; day++) {
    await env.DB.prepare(
      "insert into sales_day_totals (day, orders, charged, refunds, refunded, cost, costed, by_hand) values (?, 10, 100, 0, 0, 60, 10, 0) on conflict do nothing",
    )
      .bind(day)
      .run();
    if (day <= today - 8) continue;
    // As much a day at any time of the day.
    const spent = Math.round(10 * MICRO * Math.min(1, now / DAY_MS - day));
    await db
      .insert(providerUseDays)
      .values(providerIds.map((providerId) => ({ providerId, day, spent, calls: 100, errors: 4 })));
  }
  const reads: number[] = [];
  for (let filled = 1; filled <= 2; filled++) {
    await fillHistory(start, { orders: 2000, conversations: 1 });
    await fillOpen(start, 1000);
    await rollUpSpending(db);
    await db.delete(rollups);
    await refreshServiceTimes(db, now);
    const { database, counts } = countedDatabase(env.DB);
    const figures = await readToday(connect(database), now);
    reads.push(counts.rowsRead);
    expect(figures.open).toMatchObject({
      statuses: [{ status: "In progress", orders: filled * 1000, late: filled * 500, still: filled * 1000 }],
      total: { orders: filled * 1000, late: filled * 500, still: filled * 1000, oldestAt: 1 },
      atProviders: filled * 1000,
      queued: 0,
    });
    expect(figures.countedAt).toBe(now);
    expect(figures.late).toMatchObject([{ serviceId: start.serviceId, late: filled * 500 }]);
    const provider = figures.providers.find(({ id }) => id === providerIds[0]);
    expect(provider).toMatchObject({
      isLow: false,
      use: { calls: 100, errors: 4, callsYesterday: 100, errorsYesterday: 4 },
    });
    expect(provider?.daysLeft).toBeCloseTo(7, 0);
    expect(figures.sales.map(({ figures: { cost } }) => cost)).toEqual([60, 60, 420, 1800]);
    expect(figures.sales.map(({ before }) => before?.revenue)).toEqual([undefined, 100, 700, 3000]);
  }
  expect(reads[1]).toBe(reads[0]);
  expect(reads[0]).toBeLessThanOrEqual(MAX_ROWS);
});

test("counts the ledger's faults", async () => {
  expect((await readToday(db, Date.now())).ledgerFaults).toBe(0);
  await db.insert(ledgerFaults).values({ rule: "a rule", subject: "order 1", isNow: 1, shouldBe: 0, foundAt: 1 });
  expect((await readToday(db, Date.now())).ledgerFaults).toBe(1);
});

/** Adds orders that a provider works on. Every other one is late. */
async function fillOpen(
  { serviceId, providerIds }: Awaited<ReturnType<typeof startHistory>>,
  count: number,
): Promise<void> {
  await env.DB.prepare(
    `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count})
     insert into orders (user_id, service_id, type, link, quantity, charge, status, remains, idempotency_key,
       request_digest, source, fulfillment, provider_id, provider_service_id, provider_order_id, expected_by, created_at,
       updated_at)
     select 'user1', ?1, 'Default', 'https://instagram.com/p/1', 1, 0, 'In progress', 0, ?3 || i, '', 'api', 'accepted', ?2,
       '1', ?3 || i, iif(i % 2 = 0, 1, 9e15), 1, 1 from n`,
  )
    .bind(serviceId, providerIds[0], crypto.randomUUID())
    .run();
}
