import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { orders, providerLog } from "#app/db/schema.server.ts";
import { customerWith, db, service } from "#tests/workerd/customer.ts";
import { linkAt } from "#tests/workerd/provider-links.ts";
import { sandboxProvider } from "#tests/workerd/sandbox-service.ts";
import { MAX_LOGGED_CHARACTERS } from "./provider-link.server.ts";
import { deleteOldProviderLog } from "./provider-log-retention.server.ts";

test("deletes old provider responses, except those about held orders", async () => {
  const providerId = await sandboxProvider();
  const { userId } = await customerWith(0);
  const serviceId = await service({ providerId, providerServiceId: "1" });
  const order = (fulfillment: "held" | "accepted", idempotencyKey: string) => ({
    ...{ userId, serviceId, providerId, fulfillment, idempotencyKey, type: "Default" as const, link: "", quantity: 1 },
    ...{ charge: 0, remains: 0, requestDigest: "", source: "api" as const, createdAt: 1, updatedAt: 1 },
  });
  const [held, accepted] = await db
    .insert(orders)
    .values([order("held", "a"), order("accepted", "b")])
    .returning();
  const now = Date.now();
  const entry = (orderId: number | null | undefined, createdAt: number) =>
    ({ providerId, orderId, action: "add", response: "", createdAt }) as const;
  await db
    .insert(providerLog)
    .values([entry(held?.id, 1), entry(accepted?.id, 1), entry(null, 1), entry(accepted?.id, now)]);
  await deleteOldProviderLog(db, 30, now + (30 - 1) * 24 * 60 * 60_000);
  const left = await db.select().from(providerLog);
  expect(left.map(({ orderId, createdAt }) => [orderId, createdAt])).toEqual([
    [held?.id, 1],
    [accepted?.id, now],
  ]);
});

test("keeps the first 4,000 characters of a response", async () => {
  const providerId = await sandboxProvider();
  const link = await linkAt(providerId);
  const raw = `${"x".repeat(MAX_LOGGED_CHARACTERS)}the rest of a page`;
  await link.logResponse(null, "services", {
    kind: "no_response",
    httpStatus: 502,
    why: "HTTP 502",
    raw,
  });
  const [kept] = await db.select().from(providerLog).where(eq(providerLog.providerId, providerId));
  expect(MAX_LOGGED_CHARACTERS).toBe(4000);
  expect(kept?.response).toBe(`HTTP 502\n${raw}`.slice(0, 4000));
});
