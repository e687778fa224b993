import { env } from "cloudflare:workers";
import { isNull } from "drizzle-orm";
import { beforeEach, expect, test, vi } from "vitest";
import { alertDeliveries, alerts, emailSuppressions, emails } from "#app/db/schema.server.ts";
import { suppress } from "#app/email/suppressions.server.ts";
import { MINUTE_MS } from "#app/time.ts";
import { db } from "#tests/workerd/customer.ts";
import { sendQueued } from "#tests/workerd/email-api.ts";
import type { Check } from "./alert-changes.ts";
import { alertRows, applyChecks, selectOpenAlerts } from "./alerts.server.ts";
import { readAlerts } from "./shown-alerts.server.ts";

const NOW = Date.UTC(2027, 0, 4, 10);
const SECRET = `whsec_${btoa("a-secret-for-alerts-in-tests")}`;
const BY_EMAIL = { ...env, ALERT_EMAIL: "ops@test.example" };
const BY_BOTH = { ...BY_EMAIL, ALERT_WEBHOOK_URL: "https://hooks.example/alerts", ALERT_WEBHOOK_SECRET: SECRET };

const held: Check = {
  condition: "held_orders",
  readings: [{ condition: "held_orders", subject: "", facts: { orders: 1, since: NOW } }],
};
const over: Check = { condition: "held_orders", readings: [] };
const failed = (...jobs: string[]): Check => ({
  condition: "job_failed",
  readings: jobs.map((subject) => ({
    condition: "job_failed",
    subject,
    facts: { since: NOW, failures: null, error: "no" },
  })),
});

beforeEach(async () => {
  vi.spyOn(console, "error").mockImplementation(() => {});
  vi.spyOn(console, "log").mockImplementation(() => {});
  await db.delete(alerts);
  await db.delete(emails);
});

test("tells by webhook while no email can be encrypted", async () => {
  await applyChecks(db, { ...BY_BOTH, ENCRYPTION_KEYS: "" }, [], [held], NOW);
  expect(await db.$count(alerts)).toBe(1);
  expect(await db.$count(alertDeliveries)).toBe(1);
  expect(await db.$count(emails)).toBe(0);
});

test("still emails an alert after two days in which the email service took nothing", async () => {
  await applyChecks(db, BY_EMAIL, [], [held], NOW);
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 48 * 60 * MINUTE_MS });
  await sendQueued();
  vi.useRealTimers();
  expect((await db.select().from(emails)).map(({ status }) => status)).toEqual(["sent"]);
});

test("opens no alert that nobody would hear of, so that the next run tells it", async () => {
  await expect(applyChecks(db, { ...BY_EMAIL, ENCRYPTION_KEYS: "" }, [], [held], NOW)).rejects.toThrow();
  expect(await db.$count(alerts)).toBe(0);
  await applyChecks(db, BY_EMAIL, [], [held], NOW + 60_000);
  expect(await db.$count(emails)).toBe(1);
});

test("tells of the other alerts where one can't be stored, and then fails", async () => {
  await env.DB.exec(
    "create trigger refused before insert on alerts when new.subject = 'second' begin select raise(abort, 'refused'); end",
  );
  try {
    await expect(applyChecks(db, BY_BOTH, [], [failed("first", "second", "third")], NOW)).rejects.toThrow("refused");
  } finally {
    await env.DB.exec("drop trigger refused");
  }
  const subjects = (await db.select().from(alerts)).map(({ subject }) => subject);
  expect(subjects.toSorted()).toEqual(["first", "third"]);
});

test("waits longer each time for the end of what keeps coming back, and forgets it after a day", async () => {
  let at = NOW;
  const minute = async (check: Check) => {
    at += MINUTE_MS;
    await applyChecks(db, BY_EMAIL, alertRows(await selectOpenAlerts(db, at)), [check], at);
  };
  /** Returns how many messages were queued while the condition held for a minute, and then not for so many. */
  const flap = async (clearMinutes: number) => {
    const before = await db.$count(emails);
    await minute(held);
    for (let passed = 0; passed < clearMinutes; passed++) await minute(over);
    return (await db.$count(emails)) - before;
  };
  expect(await flap(12)).toBe(2);
  // Again each quarter of an hour, for a morning.
  const morning: number[] = [];
  for (let time = 0; time < 12; time++) morning.push(await flap(12));
  expect(morning).toEqual([1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
  expect(await flap(25)).toBe(1);
  expect([await flap(25), await flap(45)]).toEqual([1, 1]);

  at += 24 * 60 * MINUTE_MS;
  expect(await flap(12)).toBe(2);
});

test("doesn't wait longer for what ended for the first time, whatever else ended", async () => {
  const endAfter = async (at: number, check: Check) => {
    const apply = async (now: number, one: Check) =>
      applyChecks(db, BY_EMAIL, alertRows(await selectOpenAlerts(db, now)), [one], now);
    await apply(at, check);
    for (const minutes of [1, 11]) await apply(at + minutes * MINUTE_MS, { ...check, readings: [] } as Check);
    return (await db.select().from(alerts).where(isNull(alerts.closedAt))).length;
  };
  expect(await endAfter(NOW, held)).toBe(0);
  expect(await endAfter(NOW + 20 * MINUTE_MS, failed("first"))).toBe(0);
  expect(await endAfter(NOW + 40 * MINUTE_MS, failed("second"))).toBe(0);
});

test("shows that an address of the alerts gets no emails", async () => {
  const address = "ops@test.example";
  expect((await readAlerts(db, BY_EMAIL)).channels.problems).toEqual([]);
  await suppress(db, { address, reason: "bounced", detail: null, at: NOW });
  expect((await readAlerts(db, BY_EMAIL)).channels.problems).toEqual([
    `Emails to ${address} are suppressed. Allow them on the page Emails.`,
  ]);
  await db.delete(emailSuppressions);
});
