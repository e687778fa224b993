import { env } from "cloudflare:workers";
import { inArray } from "drizzle-orm";
import { expect, test } from "vitest";
import { connect } from "#app/db/db.server.ts";
import { cancellations, orders, refills, services } from "#app/db/schema.server.ts";
import { countedDatabase } from "#tests/workerd/counted-database.ts";
import { db } from "#tests/workerd/customer.ts";
import { placeOrders } from "#tests/workerd/place-orders.ts";
import { sandboxProvider } from "#tests/workerd/sandbox-service.ts";
import { sandboxLink } from "#tools/stand-ins/sandbox-faults.ts";
import { requestCancellation } from "./cancellations.server.ts";
import { requestRefill } from "./refills.server.ts";
import { providersWithWork } from "./wake-dispatchers.server.ts";

test("reads no more for the open refills and cancellations of one provider when there are more of them", async () => {
  const idle = await sandboxProvider();
  const busy = await sandboxProvider();
  await openAt(busy, 1);
  const few = await rowsReadToWake([busy], [idle]);
  await openAt(busy, 10);
  expect(await rowsReadToWake([busy], [idle])).toBe(few);
});

/** Creates that many queued cancellations, queued refills and accepted refills at the provider. */
async function openAt(providerId: number, count: number): Promise<void> {
  await db.update(services).set({ refill: true });
  const links = Array.from({ length: 3 * count }, (_, n) => sandboxLink("still", `open-${n}-${crypto.randomUUID()}`));
  const { userId, orderIds } = await placeOrders(links, providerId);
  await db.update(services).set({ refill: true });
  const owner = { userId, isTest: false };
  const accept = (ids: number[], status: "Completed" | "In progress") =>
    Promise.all(
      ids.map((id) =>
        db
          .update(orders)
          .set({ fulfillment: "accepted", status, providerOrderId: `${providerId}-${id}` })
          .where(inArray(orders.id, [id])),
      ),
    );
  const canceled = orderIds.slice(0, count);
  const refilled = orderIds.slice(count);
  await accept(canceled, "In progress");
  await accept(refilled, "Completed");
  for (const id of canceled) await requestCancellation(db, env, owner, id);
  for (const id of refilled) await requestRefill(db, owner, id);
  await db
    .update(refills)
    .set({ fulfillment: "accepted" })
    .where(inArray(refills.orderId, refilled.slice(count)));
  await db.update(orders).set({ status: "Completed" }).where(inArray(orders.id, canceled));
  expect(await db.$count(cancellations, inArray(cancellations.orderId, canceled))).toBe(count);
}

async function rowsReadToWake(awake: number[], asleep: number[]): Promise<number> {
  const { database, counts } = countedDatabase(env.DB);
  const found = await providersWithWork(connect(database));
  expect(found).toEqual(expect.arrayContaining(awake));
  for (const id of asleep) expect(found).not.toContain(id);
  return counts.rowsRead;
}
