import { env } from "cloudflare:workers";
import { and, eq, sql } from "drizzle-orm";
import { expect, inject, test } from "vitest";
import { connect } from "#app/db/db.server.ts";
import { webhookDeliveries, webhookEndpoints } from "#app/db/schema.server.ts";
import { DAY_MS } from "#app/time.ts";
import { countedDatabase } from "#tests/workerd/counted-database.ts";
import { customerWith, db } from "#tests/workerd/customer.ts";
import { ownerOf } from "#tests/workerd/signed-in-account.ts";
import { withoutDispatchers } from "#tests/workerd/sleeping-dispatchers.ts";
import { deliverQueue } from "./deliver-webhooks.server.ts";
import { deleteOldDeliveries } from "./old-deliveries.server.ts";
import { isPending } from "./pending-deliveries.server.ts";
import { queueOrderWebhook } from "./queue-webhooks.server.ts";
import { wakeDueEndpoints } from "./wake-endpoints.server.ts";
import { createEndpoint } from "./webhook-endpoints.server.ts";

const DELIVERIES = 20;

/** The delivery, its place in the log and its place in the queue, which its result empties again. */
const ROWS_PER_DELIVERY = 5;

test("writes five rows per delivered webhook, and none to read the queue", async () => {
  const { userId, endpointId } = await withEndpoint();
  const counted = countedDatabase(env.DB);
  const countedDb = connect(counted.database);
  for (let n = 0; n < DELIVERIES; n++) await queueOrderWebhook(countedDb, completed(userId, n));
  expect(await deliverQueue(countedDb, env, endpointId)).toBeNull();
  expect(await db.$count(webhookDeliveries, eq(webhookDeliveries.endpointId, endpointId))).toBe(DELIVERIES);
  expect(written(counted) / DELIVERIES).toBeLessThanOrEqual(ROWS_PER_DELIVERY);
  const before = written(counted);
  await deliverQueue(countedDb, env, endpointId);
  expect(written(counted)).toBe(before);
});

test("finds due endpoints at a cost that follows the endpoints, not their deliveries", async () => {
  const endpoints = [];
  for (let n = 0; n < 3; n++) endpoints.push(await withEndpoint());
  const [first, second, waiting] = endpoints.map(({ endpointId }) => endpointId);
  const now = Date.now();
  for (const [endpointId, nextAttemptAt] of [
    [first, now],
    [second, now],
    [waiting, now + DAY_MS],
  ] as const) {
    await db.run(sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < 2000)
      insert into webhook_deliveries (message_id, endpoint_id, event, body, next_attempt_at, created_at)
      select 'msg', ${endpointId}, 'order.completed', '', cast(${nextAttemptAt} as integer), 1 from n`);
  }
  const { database, counts } = countedDatabase(env.DB);
  const woken: string[] = [];
  const dispatchers = { getByName: (id: string) => ({ wake: async () => void woken.push(id) }) };
  await wakeDueEndpoints(connect(database), { ...env, WEBHOOK_DISPATCHER: dispatchers } as unknown as Env);
  expect(woken).toEqual(expect.arrayContaining([first, second]));
  expect(woken).not.toContain(waiting);
  expect(counts.rowsRead).toBeLessThanOrEqual(60);
  await db.delete(webhookDeliveries);
  counts.rowsRead = 0;
  await wakeDueEndpoints(connect(database), withoutDispatchers);
  expect(counts.rowsRead).toBeLessThanOrEqual(10);
});

test("marks a long queue as not sent in several rounds once its endpoint is off", async () => {
  const { endpointId } = await withEndpoint();
  await db.run(sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < 2500)
    insert into webhook_deliveries (message_id, endpoint_id, event, body, next_attempt_at, created_at)
    select 'msg', ${endpointId}, 'order.completed', '', 1, 1 from n`);
  await db.update(webhookEndpoints).set({ disabledAt: 1 }).where(eq(webhookEndpoints.id, endpointId));
  const pending = () => db.$count(webhookDeliveries, and(eq(webhookDeliveries.endpointId, endpointId), isPending));
  expect(await deliverQueue(db, env, endpointId)).toBe(0);
  expect(await pending()).toBeGreaterThan(0);
  while ((await deliverQueue(db, env, endpointId)) !== null);
  expect(await pending()).toBe(0);
  expect(await db.$count(webhookDeliveries, eq(webhookDeliveries.endpointId, endpointId))).toBe(2500);
});

test("deletes deliveries after 30 days, except pending ones", async () => {
  await db.delete(webhookDeliveries);
  const { endpointId } = await withEndpoint();
  const old = Date.now() - 31 * DAY_MS;
  const delivery = { endpointId, event: "order.completed", body: "" } as const;
  await db.insert(webhookDeliveries).values([
    { ...delivery, messageId: "old", createdAt: old },
    { ...delivery, messageId: "pending", createdAt: old, nextAttemptAt: 1 },
    { ...delivery, messageId: "new", createdAt: Date.now() },
  ]);
  await deleteOldDeliveries(db, 30);
  const left = await db.select({ messageId: webhookDeliveries.messageId }).from(webhookDeliveries);
  expect(left.map(({ messageId }) => messageId)).toEqual(["pending", "new"]);
});

async function withEndpoint() {
  const { userId } = await customerWith(0);
  const created = await createEndpoint(
    db,
    env,
    await ownerOf(userId),
    `${inject("webhooks").url}/${crypto.randomUUID()}`,
  );
  if (!created.ok) throw new Error(created.reason);
  return { userId, endpointId: created.id };
}

function completed(userId: string, id: number) {
  return { id, serviceId: 1, userId, charge: 900_000, status: "Completed", remains: 0, refunded: 0 } as const;
}

function written({ byStatement }: ReturnType<typeof countedDatabase>): number {
  return [...byStatement.values()].reduce((total, { rowsWritten }) => total + rowsWritten, 0);
}
