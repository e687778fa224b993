import { env } from "cloudflare:workers";
import { eq, inArray } from "drizzle-orm";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import {
  alertDeliveries,
  alerts,
  jobRuns,
  orders,
  priceRules,
  providerBalances,
  providers,
  providerUseDays,
  quarantine,
} from "#app/db/schema.server.ts";
import { BALANCE_EVERY_MS } from "#app/orders/providers/provider-balance.server.ts";
import { MICRO } from "#app/product.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "#app/time.ts";
import {
  backupRow,
  beginAlerts,
  clears,
  completeBackup,
  failingProvider,
  held,
  mails,
  messages,
  minute,
  minutes,
  night,
  now,
  onlyMessage,
  original,
  pass,
  wait,
} from "#tests/workerd/alert-site.ts";
import { db, service } from "#tests/workerd/customer.ts";
import { withoutTable } from "#tests/workerd/missing-table.ts";
import { readProvider } from "#tests/workerd/place-orders.ts";
import { sandboxProvider } from "#tests/workerd/sandbox-service.ts";

beforeEach(beginAlerts);
afterEach(() => {
  vi.useRealTimers();
});

test("says nothing about a condition that comes back within ten minutes, and again about one that comes back later", async () => {
  const [orderId = 0] = await held("drop");
  const setHeld = (fulfillment: "held" | "accepted") =>
    db.update(orders).set({ fulfillment, heldFor: null }).where(eq(orders.id, orderId));
  await minute();
  for (let flap = 0; flap < 2; flap++) {
    await setHeld("accepted");
    await minute();
    await wait(8 * MINUTE_MS);
    await setHeld("held");
    await minute();
  }
  expect(await messages()).toHaveLength(1);
  await setHeld("accepted");
  await clears();
  await setHeld("held");
  await minute();
  expect((await messages()).map(({ type }) => type)).toEqual(["alert.opened", "alert.closed", "alert.opened"]);
  await db.update(orders).set({ fulfillment: "accepted", heldFor: null });
});

test("alerts staff when a provider's breaker opens, until its balance can be read again", async () => {
  const providerId = await failingProvider("500", 5);
  await minute();
  expect((await onlyMessage("opened")).subject).toMatch(/^\[Growline\] Sandbox .* doesn't respond$/);
  await wait(BALANCE_EVERY_MS);
  await minute();
  expect((await readProvider(providerId)).failures).toBe(0);
  await clears();
  expect((await onlyMessage("closed")).subject).toMatch(/^\[Growline\] Resolved: Sandbox .* doesn't respond$/);
});

test("alerts staff when a provider refuses our key", async () => {
  await failingProvider("key", 1);
  await minute();
  expect((await onlyMessage("opened")).subject).toMatch(/ refuses our API key$/);
});

test("alerts staff when a provider's funds will last less than three days at the last week's pace, in its currency", async () => {
  const providerId = await sandboxProvider();
  let balance = 1000;
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
    if (!String(init?.body).includes("action=balance")) return original(input, init);
    return Response.json({ balance: balance.toFixed(2), currency: "EUR" });
  });
  const spend = async (amount: number) => {
    balance -= amount;
    await pass(24 * HOUR_MS, ["minute", "night"]);
    await minute();
  };
  await minute();
  for (let day = 0; day < 6; day++) await spend(100);
  // 400 left at 100 a day.
  expect(await messages()).toEqual([]);
  await spend(110);
  await minute();
  const opened = await onlyMessage("opened");
  expect(opened.subject).toMatch(/^\[Growline\] Funds at Sandbox .* run out soon$/);
  expect(opened.text).toMatch(
    /The balance is 290\.00 EUR, and 101\.\d\d EUR are spent per day: enough for 2\.9 days\./,
  );

  balance += 5000;
  await wait(BALANCE_EVERY_MS);
  await minute();
  await clears();
  expect((await onlyMessage("closed")).subject).toContain("Resolved: Funds at Sandbox");
  const [row] = await db.select().from(providerBalances).where(eq(providerBalances.providerId, providerId));
  expect(row).toMatchObject({ balance: 5290 * MICRO, currency: "EUR" });
});

test("alerts staff when a provider refuses orders because our funds have run out", async () => {
  await failingProvider("funds", 1);
  await minute();
  expect((await onlyMessage("opened")).subject).toMatch(/ has none of our funds left$/);
});

test("tells once of a provider that took more than its orders cost, until a day adds up", async () => {
  const providerId = await sandboxProvider();
  // Noon: the day before is judged.
  await pass(((36 * HOUR_MS - (now % DAY_MS)) % DAY_MS) + DAY_MS, ["minute", "night"]);
  const today = Math.floor(now / DAY_MS);
  await db.insert(providerBalances).values({
    providerId,
    askedAt: now + 9 * DAY_MS,
    balance: 500 * MICRO,
    currency: "USD",
    readAt: now,
    firstReadAt: now - 9 * DAY_MS,
  });
  const spend = (day: number, spent: number) =>
    db.insert(providerUseDays).values({ providerId, day, spent: spent * MICRO, cost: 20 * MICRO });
  await spend(today - 2, 20);
  await spend(today - 1, 27);
  // Today isn't over.
  await spend(today, 50);
  await minutes(3);
  const opened = await onlyMessage("opened");
  expect(opened.subject).toMatch(/^\[Growline\] Sandbox .* took more than its orders cost$/);
  expect(opened.text).toContain("our balance there fell by 27.00 USD, and our orders cost 20.00 USD.");
  expect(opened.text).toContain(`https://growline.example/admin/providers/${providerId}#costs`);

  await db
    .update(providerUseDays)
    .set({ spent: 20 * MICRO })
    .where(eq(providerUseDays.day, today));
  await pass(12 * HOUR_MS + 30 * MINUTE_MS, ["minute", "night"]);
  await minute();
  // Half an hour into the next day, the balance may not have been read since midnight.
  expect(await messages()).toHaveLength(1);
  await pass(HOUR_MS);
  await clears();
  expect((await onlyMessage("closed")).subject).toContain("Resolved: Sandbox");
  // No order cost this. The ledger check of a later night would find it.
  await db.delete(providerUseDays).where(eq(providerUseDays.providerId, providerId));
});

test("alerts staff to catalog changes that wait for a decision, until all are decided", async () => {
  const providerId = await sandboxProvider();
  const serviceId = await service({ providerId, providerServiceId: "1" });
  await db.insert(quarantine).values({ providerId, serviceId, reason: "rise", paused: false, foundAt: now });
  await minute();
  const opened = await onlyMessage("opened");
  expect(opened.subject).toBe("[Growline] 1 change of providers' catalogs waits for a decision");
  expect(opened.text).toContain("https://growline.example/admin/providers/quarantine");
  await db.update(quarantine).set({ decision: "keep", decidedAt: now });
  await clears();
  expect((await onlyMessage("closed")).subject).toContain("Resolved: 1 change");
});

test("alerts staff when a catalog that is read each night can't be read for three nights", async () => {
  const [ruled, other] = [await sandboxProvider(), await sandboxProvider()];
  await db.insert(priceRules).values({ providerId: ruled, category: "", margin: 2000 });
  const read = (catalogReadAt: number) =>
    db
      .update(providers)
      .set({ catalogReadAt })
      .where(inArray(providers.id, [ruled, other]));
  await read(now - 73 * HOUR_MS);
  await minute();
  expect(await messages()).toEqual([]);
  await read(now - 75 * HOUR_MS);
  await minute();
  const opened = await onlyMessage("opened");
  expect(opened.subject).toMatch(/^\[Growline\] The catalog of Sandbox .* can't be read$/);
  expect(opened.text).toContain("It was last read at");
  expect(opened.text).toContain(`https://growline.example/admin/providers/${ruled}`);
  await read(now);
  await clears();
  expect((await onlyMessage("closed")).subject).toContain("Resolved: The catalog of Sandbox");
});

test("alerts staff when a job keeps failing, and not when it fails once", async () => {
  const failing = () => withoutTable(env.DB, "webhook_endpoints", () => minute());
  await failing();
  await minutes(2);
  expect(await messages()).toEqual([]);
  for (let run = 0; run < 4; run++) await failing();
  await minute({ fails: true, table: "webhook_endpoints" });
  const subjects = (await messages()).map(({ data }) => data.subject);
  expect(subjects).toContain("queue catalog webhooks");
  const mail = (await mails()).find(({ subject }) => subject.includes("queue catalog webhooks"));
  expect(mail?.subject).toBe("[Growline] The job “queue catalog webhooks” fails");
  expect(mail?.text).toContain("no such table: webhook_endpoints");
  await minute();
  await wait(10 * MINUTE_MS);
  await clears();
  const closed = (await messages()).filter(({ type }) => type === "alert.closed").map(({ data }) => data.subject);
  expect(closed.toSorted()).toEqual(subjects.toSorted());
});

test("tells once of a job that fails every other minute, and once when ten runs in a row succeeded", async () => {
  const failing = () => minute({ fails: true, table: "webhook_endpoints" });
  const ofJob = async () => (await messages()).filter(({ data }) => data.subject === "queue catalog webhooks");
  const types = async () => (await ofJob()).map(({ type }) => type);
  for (let run = 0; run < 2; run++) {
    await failing();
    await minute();
  }
  expect(await types()).toEqual([]);
  for (let run = 0; run < 2; run++) {
    await failing();
    await minute();
  }
  expect(await types()).toEqual(["alert.opened"]);
  const mail = (await mails()).find(({ subject }) => subject.includes("queue catalog webhooks"));
  expect(mail?.subject).toBe("[Growline] The job “queue catalog webhooks” fails");
  expect(mail?.text).toMatch(
    /3 of its runs have failed since .*, and others succeeded: .*no such table: webhook_endpoints/,
  );
  // Rarely enough for moments without three failures in ten runs.
  await failing();
  await minutes(9);
  expect(await types()).toEqual(["alert.opened"]);
  await minutes(1);
  await clears();
  expect(await types()).toEqual(["alert.opened", "alert.closed"]);
});

test("tells of a night that never came since the site's first minute", async () => {
  await minute();
  await pass(25 * HOUR_MS);
  await minute();
  expect(await messages()).toEqual([]);
  await pass(2 * HOUR_MS);
  await minute();
  expect((await onlyMessage("opened")).subject).toMatch(/^\[Growline\] \d+ jobs of each night are late$/);
  await night();
  await clears();
  expect((await onlyMessage("closed")).subject).toContain("Resolved:");
});

test("tells once of a night whose jobs did not run", async () => {
  await night();
  await pass(25 * HOUR_MS);
  await minute();
  expect(await messages()).toEqual([]);
  await pass(2 * HOUR_MS);
  await minutes(2);
  expect((await onlyMessage("opened")).subject).toMatch(/^\[Growline\] \d+ jobs of each night are late$/);
  await night();
  await clears();
  expect((await onlyMessage("closed")).subject).toContain("Resolved:");
});

test("tells once of minutes whose jobs did not run, when they run again", async () => {
  await minutes(2);
  await wait(HOUR_MS);
  await minutes(2);
  expect((await onlyMessage("opened")).subject).toMatch(/^\[Growline\] \d+ jobs of each minute are late$/);
  await clears();
  expect((await onlyMessage("closed")).subject).toContain("Resolved:");
});

test("tells of a night without a complete backup, until one is complete", async () => {
  await completeBackup("2027-01-01T03-17-00Z", now);
  await minute();
  await pass(25 * HOUR_MS);
  await backupRow("2027-01-02T03-17-00Z", { error: "no space left" });
  await minute();
  expect(await messages()).toEqual([]);
  await pass(2 * HOUR_MS, ["minute", "night"]);
  await minute({ with: { BACKUP_KEYS: "1:key" } });
  const opened = await onlyMessage("opened");
  expect(opened.subject).toBe("[Growline] The backup is late");
  expect(opened.text).toMatch(/is in no backup\. The last error: no space left\./);
  await completeBackup("2027-01-02T03-17-00Z", now);
  await clears();
  expect((await onlyMessage("closed")).subject).toBe("[Growline] Resolved: The backup is late");
});

test("tells at once of a backup that was given up, and goes on while the next one runs", async () => {
  await completeBackup("2027-01-01T03-17-00Z", now);
  await backupRow("2027-01-02T03-17-00Z", { failedAt: now, error: "the schema was changed" });
  await minute();
  expect((await onlyMessage("opened")).subject).toBe("[Growline] The backup failed");
  await backupRow("2027-01-03T03-17-00Z", {});
  await clears();
  expect(await messages()).toHaveLength(1);
  await completeBackup("2027-01-03T03-17-00Z", now);
  await clears();
  await onlyMessage("closed");
});

test("tells of a site that never made a backup, and that it has no key for them", async () => {
  await env.DB.exec("delete from backup_runs");
  await minute();
  await pass(25 * HOUR_MS);
  await minute();
  expect(await messages()).toEqual([]);
  await pass(2 * HOUR_MS, ["minute", "night"]);
  await minute();
  const opened = await onlyMessage("opened");
  expect(opened.subject).toBe("[Growline] No backup has been made");
  expect(opened.text).toContain("The last error: BACKUP_KEYS is not set.");
  await withoutTable(env.DB, "backup_runs", () => clears());
  expect(await messages()).toHaveLength(1);
});

test("tells of a database at 70 percent of its limit", async () => {
  const tiny = { DATABASE_LIMIT_GB: "0.000001" };
  await minute({ with: tiny });
  expect((await messages()).map(({ data }) => data.subject).toSorted()).toEqual(["DB", "DB_SUPPORT"]);
  expect((await mails()).map(({ subject }) => subject.replace(/\d+%/, "…")).toSorted()).toEqual([
    "[Growline] The database DB is … full",
    "[Growline] The database DB_SUPPORT is … full",
  ]);
  await clears();
  expect(await messages()).toHaveLength(4);
});

test("deletes an alert 90 days after its end, with its deliveries, and no open one", async () => {
  await held("drop");
  await minute();
  await wait(100 * 24 * HOUR_MS);
  await night();
  expect(await db.$count(alerts)).toBe(1);
  await db.update(orders).set({ fulfillment: "accepted", heldFor: null });
  await db.delete(jobRuns);
  await minute();
  await clears();
  await wait(91 * 24 * HOUR_MS);
  await night();
  expect(await db.$count(alerts)).toBe(0);
  expect(await db.$count(alertDeliveries)).toBe(0);
});
