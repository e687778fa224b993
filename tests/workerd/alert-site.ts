import { env } from "cloudflare:workers";
import { eq, inArray } from "drizzle-orm";
import { Webhook } from "standardwebhooks";
import { expect, inject, vi } from "vitest";
import {
  alerts,
  backupRuns,
  emails,
  type JobSchedule,
  jobRuns,
  orders,
  providers,
  quarantine,
} from "#app/db/schema.server.ts";
import { CLEAR_AFTER_MS } from "#app/monitoring/alerts/alert-changes.ts";
import { HOUR_MS, MINUTE_MS } from "#app/time.ts";
import { db } from "#tests/workerd/customer.ts";
import { attemptsAt, emailsTo, sendQueued, withoutDispatcher } from "#tests/workerd/email-api.ts";
import { withoutTable } from "#tests/workerd/missing-table.ts";
import { placeOrders } from "#tests/workerd/place-orders.ts";
import { submitOrder } from "#tests/workerd/run-fulfillment.ts";
import { type SandboxFault, sandboxLink } from "#tools/stand-ins/sandbox-faults.ts";
import { EVERY_MINUTE, NIGHTLY } from "#workers/cron-triggers.ts";
import { runScheduledJobs } from "#workers/scheduled-jobs.ts";

/** The site as its alerts see it, whose clock a test moves. */

const SECRET = `whsec_${btoa("a-secret-for-alerts-in-tests")}`;

/** The clock of the worker, so that hours pass at once. */
export let now = Date.UTC(2027, 0, 4, 10);
let path = "";
let inbox = "";

/** Begins a test: the site has a complete backup, and nothing to tell of. */
export async function beginAlerts(): Promise<void> {
  vi.useFakeTimers({ toFake: ["Date"], now });
  path = `/alerts-${crypto.randomUUID()}`;
  inbox = `${crypto.randomUUID()}@test.example`;
  vi.spyOn(console, "error").mockImplementation(() => {});
  await db.delete(alerts);
  await db.delete(jobRuns);
  await db.delete(emails);
  await db.update(providers).set({ enabled: false });
  await db.delete(quarantine);
  await env.DB.exec("delete from backup_runs");
  await completeBackup("2027-01-01T03-17-00Z", now + 365 * 24 * HOUR_MS);
}

/** Makes the alerts' webhook fail, as the stand-in understands it. */
export function failPosts(query: string): void {
  path += query;
}

export type Posted = {
  type: string;
  text: string;
  data: { condition: string; subject: string; opened_at: string; closed_at: string | null };
};

export const original = globalThis.fetch;

export function alertEnv(): Env {
  return withoutDispatcher({
    ...env,
    PUBLIC_ORIGIN: "https://growline.example",
    ALERT_EMAIL: inbox,
    ALERT_WEBHOOK_URL: inject("webhooks").url + path,
    ALERT_WEBHOOK_SECRET: SECRET,
  });
}

export async function completeBackup(id: string, cutAt: number): Promise<void> {
  await backupRow(id, { cutAt, finishedAt: cutAt });
}

export async function backupRow(id: string, columns: Partial<typeof backupRuns.$inferInsert>): Promise<void> {
  const row = { id, startedAt: now, progress: "{}", error: null, ...columns };
  await db.insert(backupRuns).values(row).onConflictDoUpdate({ target: backupRuns.id, set: row });
}

export async function wait(ms: number): Promise<void> {
  now += ms;
  vi.setSystemTime(now);
}

/** Lets a time pass in which the jobs of these schedules ran. */
export async function pass(ms: number, ran: JobSchedule[] = ["minute"]): Promise<void> {
  await wait(ms);
  await db.update(jobRuns).set({ startedAt: now, finishedAt: now }).where(inArray(jobRuns.schedule, ran));
}

/** Lets a minute pass and runs its jobs, then sends the emails. */
export async function minute({
  with: settings = {},
  fails = false,
  table = "",
}: {
  with?: Partial<Env>;
  fails?: boolean;
  table?: string;
} = {}) {
  await wait(MINUTE_MS);
  const run = () => runScheduledJobs(EVERY_MINUTE, { ...alertEnv(), ...settings }).catch(() => {});
  if (fails) await withoutTable(env.DB, table, run);
  else await run();
  await sendQueued();
}

export async function minutes(count: number): Promise<void> {
  for (let run = 0; run < count; run++) await minute();
}

export async function night(): Promise<void> {
  await runScheduledJobs(NIGHTLY, alertEnv());
}

/** The condition is over for ten minutes. */
export async function clears(): Promise<void> {
  await minute();
  await wait(CLEAR_AFTER_MS);
  await minute();
}

/** Places orders with that fault and submits them. */
export async function held(fault: SandboxFault): Promise<number[]> {
  const { orderIds } = await placeOrders([sandboxLink(fault, crypto.randomUUID())]);
  for (const orderId of orderIds) await submitOrder(orderId);
  await db.update(providers).set({ enabled: false });
  return orderIds;
}

/** Returns a provider to which so many calls failed that way, whose orders wait for nobody. */
export async function failingProvider(fault: SandboxFault, count: number): Promise<number> {
  const links = Array.from({ length: count }, () => sandboxLink(fault, crypto.randomUUID()));
  const { providerId, orderIds } = await placeOrders(links);
  for (const orderId of orderIds) await submitOrder(orderId);
  await db.update(orders).set({ fulfillment: "rejected", heldFor: null, leaseUntil: 0 });
  await db.update(orders).set({ status: "Canceled" }).where(eq(orders.providerId, providerId));
  return providerId;
}

export async function posts(): Promise<{ headers: Record<string, string>; body: string }[]> {
  const url = new URL(inject("webhooks").url + path);
  const response = await original(url.origin + url.pathname);
  return response.json();
}

/** Returns what the webhook got, each verified. */
export async function messages(): Promise<Posted[]> {
  return (await posts()).map(({ headers, body }) => {
    vi.useRealTimers();
    const at = Number(headers["webhook-timestamp"]) * 1000;
    vi.useFakeTimers({ toFake: ["Date"], now: at });
    const posted = new Webhook(SECRET).verify(body, headers) as Posted;
    vi.setSystemTime(now);
    return posted;
  });
}

export async function mails() {
  const { url, key } = inject("emailApi");
  const response = await original(url, { headers: { Authorization: `Bearer ${key}` } });
  const received = await response.json<{ to: string[]; subject: string; text: string }[]>();
  return received.filter(({ to }) => to.includes(inbox)).reverse();
}

/** Returns the one email of that kind. Expects one webhook of it, too. */
export async function onlyMessage(kind: "opened" | "closed") {
  const isOfKind = (subject: string) => subject.includes("Resolved:") === (kind === "closed");
  expect((await messages()).filter(({ type }) => type === `alert.${kind}`)).toHaveLength(1);
  await sendQueued();
  const [mail, ...others] = (await mails()).filter(({ subject }) => isOfKind(subject));
  expect(others).toEqual([]);
  expect((await emailsTo(inbox)).every(({ status }) => status === "sent")).toBe(true);
  expect(await attemptsAt(inbox)).toBe((await mails()).length);
  if (!mail) throw new Error("no email arrived");
  return mail;
}
