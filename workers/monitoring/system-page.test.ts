import { SELF } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { alerts, jobRuns, orders, providerBalances } from "#app/db/schema.server.ts";
import { MICRO } from "#app/product.ts";
import { db } from "#tests/workerd/customer.ts";
import { withoutDispatcher } from "#tests/workerd/email-api.ts";
import { placeOrders } from "#tests/workerd/place-orders.ts";
import { sandboxProvider } from "#tests/workerd/sandbox-service.ts";
import { signedIn } from "#tests/workerd/signed-in-account.ts";
import { ORIGIN } from "#tests/workerd/support-visitor.ts";
import { EVERY_MINUTE } from "../cron-triggers.ts";
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
  const { cookie } = await signedIn("admin");
  const page = await (await open(cookie)).text();
  expect(page).toContain("1 order is held");
  expect(page).toContain("no such table: &lt;b&gt;");
  for (const text of ["wake dispatchers", "DB_SUPPORT", "Sandbox", "Emails waiting", "Requests per day"]) {
    expect(page, text).toContain(text);
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
});

function open(cookie: string, suffix = ""): Promise<Response> {
  return SELF.fetch(`${ORIGIN}/admin/system${suffix}`, { headers: { Cookie: cookie }, redirect: "manual" });
}

async function nav(cookie: string): Promise<string> {
  const page = await SELF.fetch(`${ORIGIN}/admin/orders`, { headers: { Cookie: cookie } });
  return page.text();
}
