import { env } from "cloudflare:workers";
import { eq, inArray, sql } from "drizzle-orm";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { resolveHeld } from "#app/console/orders/decisions/order-admin.server.ts";
import {
  alertDeliveries,
  alerts,
  emails,
  jobRuns,
  ledgerFaults,
  orders,
  priceRules,
  providerBalances,
  providers,
  providerUseDays,
  quarantine,
  wallets,
} from "#app/db/schema.server.ts";
import { CLEAR_AFTER_MS } from "#app/monitoring/alerts/alert-changes.ts";
import { BALANCE_EVERY_MS, readBalances } from "#app/orders/providers/provider-balance.server.ts";
import { lastJudgedDay } from "#app/orders/providers/reconciled-day.ts";
import { CURRENCY, MICRO } from "#app/product.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "#app/time.ts";
import {
  alertEnv,
  backupRow,
  beginAlerts,
  clears,
  completeBackup,
  failPosts,
  held,
  mails,
  messages,
  minute,
  minutes,
  night,
  now,
  onlyMessage,
  original,
  type Posted,
  posts,
  wait,
} from "#tests/workerd/alert-site.ts";
import { customerWith, db, service } from "#tests/workerd/customer.ts";
import { queueTo, sendQueued, withoutDispatcher } from "#tests/workerd/email-api.ts";
import { sandboxProvider } from "#tests/workerd/sandbox-service.ts";
import { faultyAddress } from "#tools/stand-ins/email-faults.ts";
import { EVERY_MINUTE } from "../cron-triggers.ts";
import { runScheduledJobs } from "../scheduled-jobs.ts";

const STAFF = { userId: "staff-1", name: "Grace Admin" };

beforeEach(beginAlerts);
afterEach(() => {
  vi.useRealTimers();
});

test("tells of held orders once, however many there become, and once when none is left", async () => {
  const [first] = await held("drop");
  await minute();
  const opened = await onlyMessage("opened");
  expect(opened.subject).toBe("[Growline] 1 order is held");
  expect(opened.text).toContain("What to do: Each order's page says why. Look the order up in the provider's panel");
  expect(opened.text).toContain("https://growline.example/admin/orders?state=held");
  const [second] = await held("html");
  await minutes(6);
  expect(await messages()).toHaveLength(1);

  for (const orderId of [first, second]) await resolveHeld(db, env, STAFF, orderId ?? 0, { kind: "refused" }, "");
  await clears();
  expect((await onlyMessage("closed")).subject).toBe("[Growline] Resolved: 2 orders are held");
});

test("tells of each other condition that holds, and of the end of each", async () => {
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) =>
    String(init?.body).includes("action=balance")
      ? Response.json({ balance: 290, currency: CURRENCY })
      : original(input, init),
  );
  const ids: number[] = [];
  for (let made = 0; made < 6; made++) ids.push(await sandboxProvider());
  const [failing = 0, key = 0, funds = 0, low = 0, costly = 0, unread = 0] = ids;
  const set = (id: number, columns: Partial<typeof providers.$inferInsert>) =>
    db.update(providers).set(columns).where(eq(providers.id, id));
  await set(failing, { failures: 5, openUntil: now + HOUR_MS });
  await set(key, { pausedFor: "key" });
  await set(funds, { pausedFor: "funds" });
  await set(unread, { catalogReadAt: now - 75 * HOUR_MS });
  await db.insert(priceRules).values({ providerId: unread, category: "", margin: 2000 });
  const known = { askedAt: now, balance: 290 * MICRO, currency: CURRENCY, readAt: now, firstReadAt: now - 9 * DAY_MS };
  await db.insert(providerBalances).values([low, costly].map((providerId) => ({ providerId, ...known })));
  const [today, judged] = [Math.floor(now / DAY_MS), lastJudgedDay(now)];
  await db.insert(providerUseDays).values([
    // More than a third of the balance a day, as its orders cost.
    ...Array.from({ length: 7 }, (_, at) => ({
      ...{ providerId: low, day: today - 1 - at, spent: 140 * MICRO, cost: 140 * MICRO },
    })),
    { providerId: costly, day: judged, spent: 27 * MICRO, cost: 20 * MICRO },
  ]);
  const serviceId = await service({ providerId: key, providerServiceId: "1" });
  await db.insert(quarantine).values({ providerId: key, serviceId, reason: "rise", paused: false, foundAt: now });
  await backupRow("2027-01-01T03-17-00Z", { cutAt: now - 27 * HOUR_MS, finishedAt: now - 27 * HOUR_MS });
  const ran = { startedAt: now, finishedAt: now, succeededAt: now, createdAt: now - DAY_MS };
  await db.insert(jobRuns).values([
    { ...ran, job: "queue catalog webhooks", schedule: "minute", failingSince: now - HOUR_MS, error: "it broke" },
    { ...ran, job: "read balances", schedule: "minute", failedAt: [1, 2, 3].map((at) => now - at * MINUTE_MS) },
    { ...ran, job: "check ledger", schedule: "night", finishedAt: now - 27 * HOUR_MS },
  ]);

  await minute({ with: { DATABASE_LIMIT_GB: "0.000001" } });
  const told = async () =>
    (await mails()).map(({ subject }) => subject.replace(/Sandbox \S+/, "Sandbox").replace(/\d+%/, "…"));
  const opened = [
    "1 change of providers' catalogs waits for a decision",
    "1 job of each night is late",
    "Funds at Sandbox run out soon",
    "Sandbox doesn't respond",
    "Sandbox has none of our funds left",
    "Sandbox refuses our API key",
    "Sandbox took more than its orders cost",
    "The backup is late",
    "The catalog of Sandbox can't be read",
    "The database DB is … full",
    "The database DB_SUPPORT is … full",
    "The job “queue catalog webhooks” fails",
    "The job “read balances” fails",
  ];
  expect((await told()).toSorted()).toEqual(opened.map((title) => `[Growline] ${title}`));

  await db.update(providers).set({ enabled: false });
  await db.update(quarantine).set({ decision: "keep", decidedAt: now });
  await completeBackup("2027-01-02T03-17-00Z", now);
  await db.update(jobRuns).set({ failedAt: [], failingSince: null, finishedAt: now });
  await clears();
  // A run posts ten.
  await minute();
  expect((await messages()).filter(({ type }) => type === "alert.closed")).toHaveLength(opened.length);
  expect(await told()).toHaveLength(2 * opened.length);
  // No order cost this. The ledger check of a later night would find it.
  await db.delete(providerUseDays).where(inArray(providerUseDays.providerId, ids));
});

test("tells of a ledger that doesn't add up, until the nightly check finds it right again", async () => {
  const { userId } = await customerWith(MICRO);
  const setBalance = (by: number) =>
    db
      .update(wallets)
      .set({ balance: sql`${wallets.balance} + ${by}` })
      .where(eq(wallets.userId, userId));
  await setBalance(5);
  await night();
  await minute();
  expect((await onlyMessage("opened")).subject).toBe("[Growline] The ledger doesn't add up");
  await setBalance(-5);
  await night();
  expect(await db.$count(ledgerFaults)).toBe(0);
  await clears();
  expect((await onlyMessage("closed")).subject).toBe("[Growline] Resolved: The ledger doesn't add up");
});

test("tells by webhook at once that emails aren't being sent, and by email once they are", async () => {
  const id = await queueTo(faultyAddress("down"));
  await sendQueued();
  await db.update(emails).set({ lastError: "HTTP 503: no mailbox for jane@test.example" });
  await wait(16 * MINUTE_MS);
  await runScheduledJobs(EVERY_MINUTE, alertEnv());
  const [opened] = await messages();
  expect(opened).toMatchObject({ type: "alert.opened", data: { condition: "email_failing" } });
  expect(opened?.text).toContain("1 email waits");
  expect(opened?.text).toContain("HTTP 503: no mailbox for [email]");
  // The email service is back.
  await sendQueued();
  expect(await db.$count(emails, eq(emails.id, id))).toBe(1);
  await clears();
  expect((await onlyMessage("closed")).subject).toBe("[Growline] Resolved: Emails aren't being sent");
});

test("sends one message from runs that overlap, at the beginning and at the end", async () => {
  await held("drop");
  await Promise.all([1, 2, 3].map(() => runScheduledJobs(EVERY_MINUTE, alertEnv())));
  await onlyMessage("opened");
  await db.update(orders).set({ fulfillment: "accepted", heldFor: null });
  await minute();
  await wait(CLEAR_AFTER_MS);
  await Promise.all([1, 2, 3].map(() => runScheduledJobs(EVERY_MINUTE, alertEnv())));
  await onlyMessage("closed");
});

test("posts to a failing webhook again, signed, under the same id, and the end after the beginning", async () => {
  failPosts("?fail=2");
  await held("drop");
  await minute();
  await db.update(orders).set({ fulfillment: "accepted", heldFor: null });
  await clears();
  await minutes(2);
  const received = await posts();
  expect(received.map(({ body }) => (JSON.parse(body) as Posted).type)).toEqual([
    "alert.opened",
    "alert.opened",
    "alert.opened",
    "alert.closed",
  ]);
  expect(new Set(received.map(({ headers }) => headers["webhook-id"])).size).toBe(2);
  const [delivery] = await db.select().from(alertDeliveries).orderBy(alertDeliveries.createdAt);
  expect(delivery).toMatchObject({ attempts: 3, lastStatus: 204, lastError: null, nextAttemptAt: null });
});

test("keeps what a kill after the claim left behind for the next run", async () => {
  await held("drop");
  await minute();
  await db.update(alertDeliveries).set({ deliveredAt: null, nextAttemptAt: now + MINUTE_MS });
  await minutes(2);
  expect(await posts()).toHaveLength(2);
  expect(new Set((await posts()).map(({ headers }) => headers["webhook-id"])).size).toBe(1);
  await db.update(orders).set({ fulfillment: "accepted", heldFor: null });
});

test("opens an alert that nobody is told of where no channel is set", async () => {
  await held("drop");
  await runScheduledJobs(EVERY_MINUTE, withoutDispatcher(env));
  expect(await db.$count(alerts)).toBe(1);
  expect(await db.$count(alertDeliveries)).toBe(0);
  expect(await db.$count(emails)).toBe(0);
  await db.update(orders).set({ fulfillment: "accepted", heldFor: null });
});

test("asks for a balance each 15 minutes and counts what it fell by once in runs that overlap", async () => {
  const providerId = await sandboxProvider();
  let balance = 100;
  const asked = vi
    .spyOn(globalThis, "fetch")
    .mockImplementation(async () => Response.json({ balance, currency: "USD" }));
  const run = () => Promise.all([readBalances(db, env), readBalances(db, env)]);
  await run();
  expect(asked).toHaveBeenCalledTimes(1);
  balance = 90;
  await wait(BALANCE_EVERY_MS);
  await run();
  expect(asked).toHaveBeenCalledTimes(2);
  const { results } = await env.DB.prepare("select spent from provider_use_days where provider_id = ?")
    .bind(providerId)
    .all();
  expect(results).toEqual([{ spent: 10 * MICRO }]);
});
