import { SELF } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { eq, inArray } from "drizzle-orm";
import { expect, test } from "vitest";
import { holdOutgoing, releaseOutgoing } from "#app/backup/restore/outgoing-hold.server.ts";
import {
  alerts,
  backupRuns,
  databaseSizes,
  jobRuns,
  orders,
  providerBalances,
  requestHours,
  statusChanges,
} from "#app/db/schema.server.ts";
import { MICRO } from "#app/product.ts";
import { db } from "#tests/workerd/customer.ts";
import { withoutDispatcher } from "#tests/workerd/email-api.ts";
import { placeOrders } from "#tests/workerd/place-orders.ts";
import { sandboxProvider } from "#tests/workerd/sandbox-service.ts";
import { signedIn } from "#tests/workerd/signed-in-account.ts";
import { ORIGIN } from "#tests/workerd/support-visitor.ts";
import { EVERY_MINUTE, NIGHTLY } from "../cron-triggers.ts";
import { runScheduledJobs } from "../scheduled-jobs.ts";

const SECRET = `whsec_${btoa("a-secret-that-no-page-shows")}`;

test("shows alerts, jobs, providers, databases and queues to admins only", async () => {
  const { orderIds } = await placeOrders(["https://instagram.com/p/1"]);
  const [orderId = 0] = orderIds;
  await db.update(orders).set({ fulfillment: "held" }).where(eq(orders.id, orderId));
  await runScheduledJobs(
    EVERY_MINUTE,
    withoutDispatcher({
      ...env,
      ALERT_EMAIL: "ops@test.example",
      ALERT_WEBHOOK_URL: "https://hooks.invalid/secret-path",
      ALERT_WEBHOOK_SECRET: SECRET,
    }),
  );
  await db
    .update(jobRuns)
    .set({ error: "no such table: <b>", failingSince: 1 })
    .where(eq(jobRuns.job, "sum up spending"));
  const queued = await placeOrders(["https://instagram.com/p/2", "https://instagram.com/p/3"]);
  await db.update(orders).set({ fulfillment: "queued" }).where(inArray(orders.id, queued.orderIds));
  await db.insert(requestHours).values({
    ...{ hour: Math.floor(Date.now() / 3_600_000), area: "api", requests: 100, errors: 50, refused: 0 },
    ...{ ms: 0, queries: 0, rowsRead: 0, rowsWritten: 0, durations: [] },
  });
  const { cookie } = await signedIn("admin");
  const page = await (await open(cookie)).text();
  expect(page).toContain("1 order is held");
  expect(page).toContain("no such table: &lt;b&gt;");
  for (const text of ["wake dispatchers", "DB_SUPPORT", "Sandbox", "No backup has been made yet", "Requests per day"]) {
    expect(page, text).toContain(text);
  }
  expect(figureOf(page, "Held orders")).toBe("1");
  expect(figureOf(page, "Orders to submit")).toBe("2");
  for (const name of ["Refills and cancellations to submit", "Webhooks waiting", "Notifications waiting"]) {
    expect(figureOf(page, name), name).toBe("0");
  }
  // The tests' settings name no channel.
  expect(page).toContain("Nobody gets these alerts.");
  expect(page).not.toMatch(/whsec_|secret-path/);

  for (const role of ["agent", "customer"] as const) {
    const other = await signedIn(role);
    const response = await open(other.cookie);
    expect(response.status, role).toBe(404);
    expect(await response.text(), role).not.toContain("is held");
    // The data alone, as the browser asks for it on a navigation.
    expect((await open(other.cookie, ".data")).status, role).toBe(404);
  }
  expect((await open("")).status).toBe(302);
  expect(await nav(cookie)).toContain('href="/admin/system"');
  expect(await nav((await signedIn("agent")).cookie)).not.toContain("/admin/system");
});

test("says of an empty site what will be there and when", async () => {
  for (const table of [alerts, jobRuns, statusChanges, requestHours]) await db.delete(table);
  const { cookie } = await signedIn("admin");
  const page = await (await open(cookie)).text();
  for (const text of [
    "Nothing is wrong",
    "Nothing has been checked yet",
    "No job has run yet",
    "No requests counted",
  ]) {
    expect(page, text).toContain(text);
  }
  await runScheduledJobs(EVERY_MINUTE, env);
  const afterMinute = await (await open(cookie)).text();
  for (const text of [
    "check the ledger",
    "Not run yet",
    "first run at 03:17 UTC",
    "Dispatchers",
    "Database DB_SUPPORT",
    "Email",
  ]) {
    expect(afterMinute, text).toContain(text);
  }
});

test("says first that a restored copy sends nothing, and doesn't call it well, until it is released", async () => {
  await db.delete(alerts);
  const { cookie } = await signedIn("admin");
  await holdOutgoing(env.DB, "2026-11-24T00-00-00Z", 1);
  const held = await (await open(cookie)).text();
  expect(held.indexOf("Nothing is sent")).toBeGreaterThan(0);
  expect(held.indexOf("Nothing is sent")).toBeLessThan(held.indexOf("Open alerts"));
  expect(held).toContain("Alerts aren&#x27;t checked");
  expect(held).not.toContain("Nothing is wrong");
  await releaseOutgoing(env.DB, 2);
  const released = await (await open(cookie)).text();
  expect(released).not.toContain("Nothing is sent");
  expect(released).toContain("Nothing is wrong");
});

test("says that a restore passes over the last backup, because its ledger had faults", async () => {
  const error = "Its ledger had known faults: 2. A restore takes an older one as the latest";
  const complete = { startedAt: 1, finishedAt: Date.now(), cutAt: Date.now(), progress: "" };
  await db.insert(backupRuns).values({ id: "2026-11-24T03-17-00Z", ...complete, error });
  const { cookie } = await signedIn("admin");
  const page = await (await open(cookie)).text();
  expect(page).toContain("Its ledger has faults");
  expect(page).toContain(error);
  await db.delete(backupRuns);
});

test("shows an alert that is over among the past ones, and funds that run out", async () => {
  const providerId = await sandboxProvider();
  const now = Date.now();
  const read = { askedAt: now, readAt: now, firstReadAt: now - 7 * 86_400_000, currency: "EUR" };
  await db.insert(providerBalances).values({ providerId, balance: 290 * MICRO, ...read });
  await env.DB.prepare("insert into provider_use_days (provider_id, day, spent) values (?, ?, ?)")
    .bind(providerId, Math.floor(now / 86_400_000), 700 * MICRO)
    .run();
  await db.insert(alerts).values({
    id: crypto.randomUUID(),
    condition: "database_size",
    subject: "DB",
    facts: { bytes: 7_100_000_000, limit: 10_000_000_000 },
    openedAt: now - 1000,
    factsAt: now,
    clearSince: now,
    closedAt: now,
  });
  const page = await (await open((await signedIn("admin")).cookie)).text();
  expect(page).toContain("The database DB is 71% full");
  expect(page).toContain("Past alerts");
  expect(page).toContain("290.00 EUR");
  expect(page).toContain("2.9 days");
  // The days before today's 700 EUR, by which it fell.
  expect(page).toContain("Funds at Sandbox");
  expect(page).toMatch(/<td>990\.00<\/td>.*<td>290\.00<\/td>/);
});

test("draws the sizes of the databases as stored each night, and says when 70% is reached", async () => {
  await db.delete(databaseSizes);
  const { cookie } = await signedIn("admin");
  expect(await (await open(cookie)).text()).toContain("can be told after a week of sizes");
  await runScheduledJobs(NIGHTLY, withoutDispatcher(env)).catch(() => {});
  const [tonight] = await db.select().from(databaseSizes);
  const bytes = tonight?.mainBytes ?? 0;
  expect([tonight?.day, bytes > 0]).toEqual([Math.floor(Date.now() / 86_400_000), true]);
  // Hardly anything 20 days ago, so that it grows by all of it: 70% of 10 GB is years away.
  await db.insert(databaseSizes).values([
    { day: (tonight?.day ?? 0) - 20, mainBytes: 0, supportBytes: 7_500_000 },
    { day: (tonight?.day ?? 0) - 500, mainBytes: 0, supportBytes: 0 },
  ]);
  const page = await (await open(cookie)).text();
  expect(page).toContain("not reached within five years");
  expect(page).toContain("<td>7.5 MB</td>");
  await runScheduledJobs(NIGHTLY, withoutDispatcher(env)).catch(() => {});
  expect(await db.$count(databaseSizes)).toBe(2);
});

/** Returns the figure below a name in the list of queues. */
function figureOf(page: string, name: string): string | undefined {
  return new RegExp(`>${name}(?:</a>)?</dt><dd[^>]*>([^<]+)`).exec(page)?.[1];
}

function open(cookie: string, suffix = ""): Promise<Response> {
  return SELF.fetch(`${ORIGIN}/admin/system${suffix}`, { headers: { Cookie: cookie }, redirect: "manual" });
}

async function nav(cookie: string): Promise<string> {
  const page = await SELF.fetch(`${ORIGIN}/admin/orders`, { headers: { Cookie: cookie } });
  return page.text();
}
