import { env } from "cloudflare:workers";
import { asc } from "drizzle-orm";
import { expect, test } from "vitest";
import {
  listWaitingCancellations,
  listWaitingRefills,
  readWaitingQuery,
} from "#app/console/orders/decisions/refill-cancellation-queue.server.ts";
import { connect, type Db } from "#app/db/db.server.ts";
import { orders } from "#app/db/schema.server.ts";
import { countedDatabase } from "#tests/workerd/counted-database.ts";
import { fillHistory, startHistory } from "#tests/workerd/history-fill.ts";
import { countWaiting, listStaffOrders } from "./staff-order-list.server.ts";
import { countUnsent } from "./unsent-counts.server.ts";

const LISTS: Record<string, (db: Db) => Promise<unknown>> = {
  "what waits for a person": countWaiting,
  "what dispatchers will send": countUnsent,
  "manual orders": (db) => listStaffOrders(db, { view: "manual" }, 50),
  "manual orders, oldest first": (db) => listStaffOrders(db, { view: "manual", order: [asc(orders.id)] }, 50),
  "waiting refills": (db) => listWaitingRefills(db, readWaitingQuery(new URLSearchParams(), ""), null, 50),
  "waiting cancellations": (db) => listWaitingCancellations(db, readWaitingQuery(new URLSearchParams(), ""), null, 50),
};

test("reads the same few rows for the console's counts and queues, however many orders there are", async () => {
  const start = await startHistory();
  const reads: Record<string, number>[] = [];
  for (let filled = 1; filled <= 2; filled++) {
    await fillHistory(start, { orders: 3000, conversations: 1 });
    await fillOpen(start, 3000);
    const rows: Record<string, number> = {};
    for (const [name, list] of Object.entries(LISTS)) {
      const { database, counts } = countedDatabase(env.DB);
      await list(connect(database));
      rows[name] = counts.rowsRead;
    }
    reads.push(rows);
  }
  expect(reads[1]).toEqual(reads[0]);
  for (const read of Object.values(reads[0] ?? {})) expect(read).toBeLessThanOrEqual(20);
});

/** Adds orders that their providers work on. */
async function fillOpen(
  { serviceId, providerIds }: Awaited<ReturnType<typeof startHistory>>,
  count: number,
): Promise<void> {
  await env.DB.prepare(
    `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count})
     insert into orders (user_id, service_id, type, link, quantity, charge, status, remains, idempotency_key,
       request_digest, source, fulfillment, provider_id, provider_service_id, provider_order_id, created_at, updated_at)
     select 'user1', ?1, 'Default', 'https://instagram.com/p/1', 1, 0, 'In progress', 0, ?3 || i, '', 'api', 'accepted', ?2,
       '1', ?3 || i, 1, 1 from n`,
  )
    .bind(serviceId, providerIds[0], crypto.randomUUID())
    .run();
}
