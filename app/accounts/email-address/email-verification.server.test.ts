import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { makeEmailToken } from "#app/accounts/emails/email-tokens.server.ts";
import { sha256 } from "#app/crypto/sha256.server.ts";
import { countAttempt } from "#app/db/rate-limit.server.ts";
import { emailVerifications, securityEvents, users } from "#app/db/schema.server.ts";
import { openContent } from "#app/email/queue-email.server.ts";
import { HOUR_MS } from "#app/time.ts";
import { db } from "#tests/workerd/customer.ts";
import { emailsTo, withoutDispatcher } from "#tests/workerd/email-api.ts";
import { accountWithoutPassword } from "#tests/workerd/new-account.ts";
import { newVisit } from "#tests/workerd/new-visit.ts";
import { loadContext } from "#tests/workerd/test-context.ts";
import { confirmEmail, resendVerification, verificationStatements } from "./email-verification.server.ts";

const NOW = Date.UTC(2027, 0, 1);
const visit = newVisit();
const woken = vi.fn();
const context = loadContext({ env: withoutDispatcher(env), waitUntil: woken });

beforeEach(() => {
  vi.setSystemTime(NOW);
  woken.mockClear();
});
afterEach(() => {
  vi.useRealTimers();
});

test("emails a link that works for 48 hours, leads on to a path, and replaces one that is still queued", async () => {
  const [account, other] = [await unconfirmed(), await unconfirmed()];
  await db.batch(await verificationStatements(context, visit, other));
  await db.batch(await verificationStatements(context, visit, account));
  await db.batch(await verificationStatements(context, visit, account, "/dashboard?a=b"));
  const [queued, ...others] = await emailsTo(account.email);
  expect(others).toEqual([]);
  expect(queued).toMatchObject({ kind: "email_verification", userId: account.userId });
  const { text } = await openContent(env, queued?.id ?? "", queued?.sealedContent ?? "");
  const link = new URL(/https:\S+/.exec(text)?.[0] ?? "");
  expect(link.origin + link.pathname).toBe("https://growline.example/account/verify-email");
  expect(link.searchParams.get("next")).toBe("/dashboard?a=b");
  const tokenDigest = sha256(link.searchParams.get("token") ?? "");
  const [stored] = await db.select().from(emailVerifications).where(eq(emailVerifications.tokenDigest, tokenDigest));
  expect(stored).toEqual({ tokenDigest, ...account, expiresAt: NOW + 48 * HOUR_MS });
  // The link before it stays valid: it may have arrived.
  expect(await linksOf(account)).toBe(2);
  expect(await emailsTo(other.email)).toHaveLength(1);
});

test.for([
  { name: "email_verification", max: 5, of: "an account" },
  { name: "email_verification:address", max: 30, of: "a network address" },
])("sends $max more emails for $of per hour", async ({ name, max }) => {
  const account = await unconfirmed();
  const ip = `198.51.100.${max}`;
  const from = newVisit({ network: ip });
  const limit = { name, who: name === "email_verification" ? account.userId : ip, max, periodMs: HOUR_MS };
  for (let i = 1; i < max; i++) await countAttempt(db, [limit]);
  expect(await resendVerification(context, from, account)).toEqual({ ok: true });
  expect(woken).toHaveBeenCalledTimes(1);
  expect(await resendVerification(context, from, account)).toEqual({ ok: false, retryAfterSeconds: 3600 });
  expect(woken).toHaveBeenCalledTimes(1);
  expect(await linksOf(account)).toBe(1);
  vi.setSystemTime(NOW + HOUR_MS);
  expect(await resendVerification(context, from, account)).toEqual({ ok: true });
});

test("confirms the account that the link was sent to, and ends all of its links", async () => {
  const [account, other] = [await unconfirmed(), await unconfirmed()];
  const [token] = [await link(account), await link(account), await link(other)];
  expect(await confirmEmail(context, visit, token, NOW)).toEqual(account);
  expect(await confirmedAt(account)).toBe(NOW);
  expect(await linksOf(account)).toBe(0);
  expect(await eventsOf(account)).toMatchObject([{ kind: "email_verified" }]);
  expect([await confirmedAt(other), await linksOf(other), await eventsOf(other)]).toEqual([null, 1, []]);
  expect(await confirmEmail(context, visit, token, NOW)).toBeNull();
});

test("keeps the time of an earlier confirmation", async () => {
  const account = await accountWithoutPassword({ emailConfirmedAt: 7 });
  expect(await confirmEmail(context, visit, await link(account), NOW)).toEqual(account);
  expect(await confirmedAt(account)).toBe(7);
});

test("refuses a link exactly when it expires, to another address, and a made-up one", async () => {
  const account = await unconfirmed();
  const token = await link(account);
  for (const [typed, now] of [
    [token, NOW + HOUR_MS],
    [await link({ ...account, email: "former@test.example" }), NOW],
    ["made-up", NOW],
  ] as const) {
    expect(await confirmEmail(context, visit, typed, now)).toBeNull();
  }
  expect([await confirmedAt(account), await linksOf(account), await eventsOf(account)]).toEqual([null, 2, []]);
  expect(await confirmEmail(context, visit, token, NOW + HOUR_MS - 1)).toEqual(account);
});

type Account = { userId: string; email: string };

function unconfirmed(): Promise<Account> {
  return accountWithoutPassword({ emailConfirmedAt: null });
}

/** Stores a link that expires in an hour, and returns its token. */
async function link({ userId, email }: Account): Promise<string> {
  const { token, digest } = makeEmailToken();
  await db.insert(emailVerifications).values({ tokenDigest: digest, userId, email, expiresAt: NOW + HOUR_MS });
  return token;
}

async function confirmedAt({ userId }: Account) {
  const [user] = await db.select().from(users).where(eq(users.id, userId));
  return user?.emailConfirmedAt;
}

function linksOf({ userId }: Account) {
  return db.$count(emailVerifications, eq(emailVerifications.userId, userId));
}

function eventsOf({ userId }: Account) {
  return db.select().from(securityEvents).where(eq(securityEvents.userId, userId));
}
