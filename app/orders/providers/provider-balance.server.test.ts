import { eq } from "drizzle-orm";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { providerBalances, providers, providerUseDays, services } from "#app/db/schema.server.ts";
import { MICRO } from "#app/product.ts";
import { db, service } from "#tests/workerd/customer.ts";
import { readProvider } from "#tests/workerd/place-orders.ts";
import { linkAt } from "#tests/workerd/provider-links.ts";
import { providerReplies, sandboxProvider } from "#tests/workerd/sandbox-service.ts";
import { askForBalance } from "./provider-balance.server.ts";

beforeEach(() => {
  vi.spyOn(console, "log").mockImplementation(() => {});
});

afterEach(() => void vi.restoreAllMocks());

test("counts what a balance has fallen and risen by, from the second reading of an account on", async () => {
  const { ask, uses, read } = await asked();
  await ask({ balance: "100", currency: "USD" });
  expect(await read()).toMatchObject({ balance: 100 * MICRO, currency: "USD", firstReadAt: expect.any(Number) });
  expect(await uses()).toMatchObject([{ spent: 0, risen: 0, calls: 1, errors: 0 }]);
  await ask({ balance: "70.5", currency: "USD" });
  await ask({ balance: "90", currency: "USD" });
  expect(await uses()).toMatchObject([{ spent: 29.5 * MICRO, risen: 19.5 * MICRO, calls: 3, errors: 0 }]);
  // In another currency, the difference says nothing.
  await ask({ balance: "9000", currency: "INR" });
  expect(await uses()).toMatchObject([{ spent: 0, risen: 0, calls: 4 }]);
});

test("keeps the last balance when an answer has none, and counts the call as failed", async () => {
  const { ask, uses, read, providerId } = await asked();
  await ask({ balance: "100", currency: "USD" });
  const before = await read();
  await ask({ note: "?" });
  expect(await read()).toEqual(before);
  expect(await uses()).toMatchObject([{ calls: 2, errors: 1 }]);
  // A provider that is up is judged by its orders alone.
  expect(await readProvider(providerId)).toMatchObject({ failures: 0 });
});

test("forgets the rates of a provider that counts in another currency", async () => {
  const { ask, providerId } = await asked();
  const serviceId = await service({ providerId, providerServiceId: "1", providerRate: 450_000 });
  const rate = async () => (await db.select().from(services).where(eq(services.id, serviceId)))[0]?.providerRate;
  await ask({ balance: "100" });
  expect(await rate()).toBe(450_000);
  await ask({ balance: "100", currency: "INR" });
  expect(await rate()).toBeNull();
});

test("closes the breaker of a provider that answers, and leaves it open otherwise", async () => {
  const { ask, providerId } = await asked();
  await db.update(providers).set({ failures: 5 }).where(eq(providers.id, providerId));
  await ask("<html>");
  expect(await readProvider(providerId)).toMatchObject({ failures: 6, openUntil: expect.any(Number) });
  await ask({ balance: "1" });
  expect(await readProvider(providerId)).toMatchObject({ failures: 0 });
});

/** Returns how to ask a new provider that answers so. */
async function asked() {
  const providerId = await sandboxProvider();
  await db.insert(providerBalances).values({ providerId, askedAt: Date.now() });
  const read = async () => {
    const [row] = await db.select().from(providerBalances).where(eq(providerBalances.providerId, providerId));
    if (!row) throw new Error("no balance");
    return row;
  };
  const ask = async (answer: Record<string, string> | string) => {
    providerReplies(() => (typeof answer === "string" ? new Response(answer) : Response.json(answer)));
    await askForBalance(await linkAt(providerId), await read());
  };
  const uses = () => db.select().from(providerUseDays).where(eq(providerUseDays.providerId, providerId));
  return { providerId, ask, read, uses };
}
