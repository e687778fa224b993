import { env } from "cloudflare:workers";
import { eq, like } from "drizzle-orm";
import { expect, test } from "vitest";
import { connect } from "#app/db/db.server.ts";
import { apiKeys, orders } from "#app/db/schema.server.ts";
import { DAY_MS } from "#app/time.ts";
import { countedDatabase } from "#tests/workerd/counted-database.ts";
import { customerWith, db } from "#tests/workerd/customer.ts";
import { placeOrders } from "#tests/workerd/place-orders.ts";
import { deleteEndedKeys, ENDED_KEY_DAYS } from "./ended-keys.server.ts";

const NOW = Date.UTC(2027, 5, 1);

test("deletes keys 90 days after they were revoked or expired, and no other", async () => {
  const { userId } = await customerWith(1);
  const { orderIds } = await placeOrders(["https://instagram.com/p/1"]);
  const before = NOW - ENDED_KEY_DAYS * DAY_MS;
  const add = (name: string, ends: { revokedAt?: number; expiresAt?: number }) =>
    db
      .insert(apiKeys)
      .values({ id: `end-${name}`, userId, name, digest: `end-${name}`, prefix: "gl_live_", createdAt: 1, ...ends });
  await add("revoked", { revokedAt: before - 1 });
  await add("expired", { expiresAt: before - 1 });
  await add("revoked lately", { revokedAt: before });
  await add("expired lately", { expiresAt: before + 1 });
  await add("expires later", { expiresAt: NOW + DAY_MS });
  await add("works", {});
  await db
    .update(orders)
    .set({ apiKeyId: "end-revoked" })
    .where(eq(orders.id, orderIds[0] ?? 0));

  await deleteEndedKeys(db, NOW);
  const left = await db.select({ name: apiKeys.name }).from(apiKeys).where(like(apiKeys.id, "end-%"));
  expect(left.map(({ name }) => name).toSorted()).toEqual([
    "expired lately",
    "expires later",
    "revoked lately",
    "works",
  ]);
  const [order] = await db
    .select()
    .from(orders)
    .where(eq(orders.id, orderIds[0] ?? 0));
  expect(order?.apiKeyId).toBe("end-revoked");
});

test("reads no key that works", async () => {
  const { userId } = await customerWith(1);
  const keys = Array.from({ length: 200 }, (_, at) => ({ id: `many-${at}`, digest: `many-${at}`, name: "a" }));
  for (let at = 0; at < keys.length; at += 4) {
    const some = keys.slice(at, at + 4).map((key) => ({ ...key, userId, prefix: "gl_live_", createdAt: 1 }));
    await db.insert(apiKeys).values(some);
  }
  const { database, counts } = countedDatabase(env.DB);
  await deleteEndedKeys(connect(database), NOW);
  expect(counts.rowsRead).toBeLessThan(10);
});
