import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { expect, test, vi } from "vitest";
import { emails, jobRuns, providers } from "#app/db/schema.server.ts";
import { MINUTE_MS } from "#app/time.ts";
import { db } from "#tests/workerd/customer.ts";
import { queueTo } from "#tests/workerd/email-api.ts";
import { withoutTable } from "#tests/workerd/missing-table.ts";
import { placeOrders, readOrder } from "#tests/workerd/place-orders.ts";
import { sandboxLink } from "#tools/stand-ins/sandbox-faults.ts";
import { EVERY_MINUTE } from "#workers/cron-triggers.ts";
import { runScheduledJobs } from "#workers/scheduled-jobs.ts";

test.each([
  ["no alarm", null, true],
  ["an alarm that is about to run", -MINUTE_MS / 2, false],
  ["a later alarm", MINUTE_MS, true],
  // https://github.com/cloudflare/cloudflare-docs/issues/18324
  ["an alarm of two minutes ago, which the platform has lost", -2 * MINUTE_MS, true],
])("a wake-up sets an alarm if there is %s: %s", async (_, offset, sets) => {
  const name = crypto.randomUUID();
  await runInDurableObject(env.WEBHOOK_DISPATCHER.getByName(name), async (dispatcher, { storage }) => {
    vi.spyOn(storage, "getAlarm").mockResolvedValue(offset === null ? null : Date.now() + offset);
    const set = vi.spyOn(storage, "setAlarm").mockResolvedValue();
    await dispatcher.wake(name);
    expect(set).toHaveBeenCalledTimes(sets ? 1 : 0);
    vi.restoreAllMocks();
  });
});

test("fails the job that wakes it while it can send no order, as with a key of the provider that can't be decrypted", async () => {
  silent();
  const { providerId, orderIds } = await placeOrders([sandboxLink(null, crypto.randomUUID())]);
  const ofProvider = eq(providers.id, providerId);
  const [{ encryptedKey = "" } = {}] = await db.select().from(providers).where(ofProvider);
  await db.update(providers).set({ encryptedKey: "lost.AAAA.AAAA" }).where(ofProvider);
  await runScheduledJobs(EVERY_MINUTE, env).catch(() => {});
  await vi.waitUntil(async () => (await failureOf("wake dispatchers")) !== null, WAIT);
  expect(await failureOf("wake dispatchers")).toBe(
    `a dispatcher fails: provider ${providerId}: no encryption key of version lost`,
  );

  await db.update(providers).set({ encryptedKey }).where(ofProvider);
  const [orderId = 0] = orderIds;
  await vi.waitUntil(async () => {
    await env.PROVIDER_DISPATCHER.getByName(String(providerId)).wake(String(providerId));
    return (await readOrder(orderId)).fulfillment === "accepted";
  }, WAIT);
});

test("fails the job that wakes it while its rounds throw", async () => {
  silent();
  await withoutTable(env.DB, "email_suppressions", async () => {
    await queueTo(`${crypto.randomUUID()}@test.example`);
    await runScheduledJobs(EVERY_MINUTE, env).catch(() => {});
    await vi.waitUntil(async () => (await failureOf("wake the email dispatcher")) !== null, WAIT);
  });
  expect(await failureOf("wake the email dispatcher")).toContain("no such table: email_suppressions");
  await db.delete(emails);
});

const WAIT = { timeout: 90_000, interval: 200 };

function silent(): void {
  vi.spyOn(console, "error").mockImplementation(() => {});
  vi.spyOn(console, "log").mockImplementation(() => {});
}

/** Runs the jobs of a minute and returns what that one failed with, or null. */
async function failureOf(job: string): Promise<string | null> {
  await runScheduledJobs(EVERY_MINUTE, env).catch(() => {});
  const [run] = await db.select().from(jobRuns).where(eq(jobRuns.job, job));
  return run?.error ?? null;
}
