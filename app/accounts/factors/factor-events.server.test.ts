import { env } from "cloudflare:workers";
import { eq, sql } from "drizzle-orm";
import { afterEach, expect, test, vi } from "vitest";
import { emails, securityEvents } from "#app/db/schema.server.ts";
import { openContent } from "#app/email/queue-email.server.ts";
import { HOUR_MS } from "#app/time.ts";
import { db } from "#tests/workerd/customer.ts";
import { withoutDispatcher } from "#tests/workerd/email-api.ts";
import { accountWithoutPassword } from "#tests/workerd/new-account.ts";
import { newVisit } from "#tests/workerd/new-visit.ts";
import { loadContext } from "#tests/workerd/test-context.ts";
import { announceChange, announceUse, factorName, type NamedFactor } from "./factor-events.server.ts";

const ORIGIN = "https://growline.example";
const visit = newVisit();
const work: Promise<unknown>[] = [];
const wake = vi.fn(async () => {});
const EMAIL_DISPATCHER = { getByName: () => ({ wake }) } as unknown as Env["EMAIL_DISPATCHER"];
const context = loadContext({ env: { ...env, EMAIL_DISPATCHER }, waitUntil: (one) => void work.push(one) });

const PASSKEY: NamedFactor = { kind: "passkey", name: "Phone" };

afterEach(() => {
  vi.useRealTimers();
});

test.for<{ factor: NamedFactor; name: string; subject: string }>([
  { factor: PASSKEY, name: "Passkey “Phone”", subject: "The passkey “Phone”" },
  { factor: { kind: "totp" }, name: "Authenticator app", subject: "An authenticator app" },
  { factor: { kind: "codes" }, name: "Recovery codes", subject: "A new set of recovery codes" },
])("records and emails that $subject was added or removed", async ({ factor, name, subject }) => {
  expect(factorName(factor)).toBe(name);
  const [account, other] = [await accountWithoutPassword(), await accountWithoutPassword()];
  await announceChange(context, visit, account.userId, { kind: "factor_added", factor, alert: "a-token" });
  await announceChange(context, visit, account.userId, { kind: "factor_removed", factor });
  expect(await eventsOf(account)).toMatchObject([
    { kind: "factor_added", detail: { factor: name } },
    { kind: "factor_removed", detail: { factor: name } },
  ]);
  const [added, removed] = await emailsOf(account);
  expect(added).toContain(`${subject} was added to your account.`);
  expect(removed).toContain(`${subject} was removed from your account.`);
  for (const text of [added, removed]) expect(text).toContain(`${ORIGIN}/account/two-step\n`);
  // One link rejects an added factor; a removed one can only be set up again.
  expect(added).toContain(`${ORIGIN}/account/not-me?token=a-token\n`);
  expect(added).not.toContain("/reset-password");
  expect(removed).toContain(`${ORIGIN}/reset-password\n`);
  expect(removed).not.toContain("not-me");
  expect(await emailsOf(other)).toEqual([]);
});

test("wakes the dispatcher of the emails", async () => {
  const { userId } = await accountWithoutPassword();
  await Promise.all(work);
  wake.mockClear();
  await announceChange(context, visit, userId, { kind: "factor_removed", factor: PASSKEY });
  await Promise.all(work);
  expect(wake).toHaveBeenCalledTimes(1);
});

test("emails ten changes of a kind per hour, and those of other kinds, and records every one", async () => {
  const start = Date.now();
  vi.setSystemTime(start);
  const account = await accountWithoutPassword();
  const remove = () => announceChange(context, visit, account.userId, { kind: "factor_removed", factor: PASSKEY });
  for (let i = 0; i < 11; i++) await remove();
  expect(await emailsOf(account)).toHaveLength(10);
  expect(await eventsOf(account)).toHaveLength(11);
  for (const change of [
    { kind: "factor_removed", factor: { kind: "totp" } },
    { kind: "factor_added", factor: PASSKEY, alert: "x" },
    { kind: "recovery_code_used", left: 3 },
  ] as const) {
    await announceChange(context, visit, account.userId, change);
  }
  expect(await emailsOf(account)).toHaveLength(13);
  vi.setSystemTime(start + HOUR_MS);
  await remove();
  expect(await emailsOf(account)).toHaveLength(14);
});

test("emails the use of a recovery code, with what is left, and only records the use of other factors", async () => {
  const account = await accountWithoutPassword();
  await announceUse(context, visit, account.userId, { factor: "recovery_code", left: 9 });
  await announceUse(context, visit, account.userId, { factor: "totp" });
  await Promise.all(work);
  await announceUse(context, visit, account.userId, { factor: "passkey" });
  await Promise.all(work);
  expect(await eventsOf(account)).toMatchObject([
    { kind: "recovery_code_used", detail: { left: "9" } },
    { kind: "factor_used", detail: { factor: "Authenticator app" } },
    { kind: "factor_used", detail: { factor: "Passkey" } },
  ]);
  const [text, ...others] = await emailsOf(account);
  expect(others).toEqual([]);
  expect(text).toContain("A recovery code was used. You have 9 left.");
  expect(text).toContain(`${ORIGIN}/reset-password\n`);
});

test("does nothing for an account that has been deleted meanwhile", async () => {
  const before = await db.$count(emails);
  const change = { kind: "factor_removed", factor: PASSKEY } as const;
  await announceChange(loadContext({ env: withoutDispatcher(env) }), visit, "nobody", change);
  expect(await db.$count(emails)).toBe(before);
});

function eventsOf({ userId }: { userId: string }) {
  return db.select().from(securityEvents).where(eq(securityEvents.userId, userId)).orderBy(securityEvents.id);
}

/** Returns the texts of the emails to the account, oldest first. */
async function emailsOf({ userId, email }: { userId: string; email: string }): Promise<string[]> {
  const queued = await db.select().from(emails).where(eq(emails.userId, userId)).orderBy(sql`rowid`);
  for (const { kind, recipient } of queued) expect([kind, recipient]).toEqual(["factor_notice", email]);
  return Promise.all(
    queued.map(async ({ id, sealedContent }) => (await openContent(env, id, sealedContent ?? "")).text),
  );
}
