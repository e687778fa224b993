import { env } from "cloudflare:workers";
import type { AppLoadContext } from "@remix-run/cloudflare";
import { eq, type inArray, sql } from "drizzle-orm";
import { afterEach, expect, test, vi } from "vitest";
import { makeEmailToken } from "#app/accounts/emails/email-tokens.server.ts";
import { limitAttempts } from "#app/accounts/password/attempts.server.ts";
import { unlimitedCaller } from "#app/accounts/password/hash-queue.server.ts";
import { verifiedHash } from "#app/accounts/password/verified-password.server.ts";
import type { Visit } from "#app/accounts/visit/visit.server.ts";
import { emails, passwordResets, profiles, type Role, securityEvents, users } from "#app/db/schema.server.ts";
import { openContent } from "#app/email/queue-email.server.ts";
import { HOUR_MS } from "#app/time.ts";
import { db } from "#tests/workerd/customer.ts";
import { emailsTo, withoutDispatcher } from "#tests/workerd/email-api.ts";
import { accessOf, addAccess, storedAccount, WHOLE_ACCESS } from "#tests/workerd/new-account.ts";
import { newVisit } from "#tests/workerd/new-visit.ts";
import { loadContext } from "#tests/workerd/test-context.ts";
import { isResetToken, requestReset, resetPassword } from "./password-reset.server.ts";
import { insertReset } from "./reset-tokens.server.ts";

const context = loadContext({ env: { ...withoutDispatcher(env), PUBLIC_ORIGIN: "https://growline.example" } });
const NEXT = "seven blue whales";
const noAccess = { statements: () => [], finish: async () => {} };
const AFTER_RESET = {
  ...WHOLE_ACCESS,
  legacyHash: "",
  sessions: 0,
  resets: 0,
  emailChanges: 0,
  emailVerifications: 0,
  devices: 0,
  setupLinks: [],
  alerts: ["factor"],
  queued: ["address_confirmation", "factor_notice", "password_changed"],
  events: ["password_reset"],
};

afterEach(() => vi.restoreAllMocks());

test("ends everything that the password opened, keeps the factors, and touches no other account", async () => {
  const [owner, other] = [await storedAccount("agent"), await storedAccount("agent")];
  for (const { userId } of [owner, other]) await addAccess(userId);
  const before = await profileAndUser(other.userId);
  const token = await newReset(owner.userId);
  expect(await reset(token)).toEqual({ ok: true });
  const { passwordHash, ...after } = await accessOf(owner.userId);
  expect({ ...after, passwordHash: "a hash" }).toEqual(AFTER_RESET);
  expect(await verifiedHash(db, owner.userId, NEXT, unlimitedCaller())).toBe(passwordHash);
  expect(await profileAndUser(owner.userId)).toMatchObject([{ role: "agent" }, { emailConfirmedAt: 1 }]);
  expect(await accessOf(other.userId)).toEqual(WHOLE_ACCESS);
  expect(await profileAndUser(other.userId)).toEqual(before);
  expect(await isResetToken(db, token)).toBe(false);
  expect(await reset(token)).toEqual({ ok: false, reason: "link_expired" });
});

test.for<[Role, string[]]>([
  ["admin", ["role_changed", "password_reset"]],
  ["customer", ["password_reset"]],
])("takes the role and factors of a %s whose address nobody had confirmed, and confirms it", async ([role, events]) => {
  const unconfirmed = { emailConfirmedAt: null };
  const [owner, other] = [await storedAccount(role, unconfirmed), await storedAccount(role, unconfirmed)];
  for (const { userId } of [owner, other]) await addAccess(userId);
  const before = Date.now();
  expect(await reset(await newReset(owner.userId))).toEqual({ ok: true });
  const [profile, user] = await profileAndUser(owner.userId);
  expect(profile?.role).toBe("customer");
  expect(user?.emailConfirmedAt).toBeGreaterThanOrEqual(before);
  const after = await accessOf(owner.userId);
  expect(after).toMatchObject({ passkeys: [], apps: [], recoveryCodes: [], events });
  expect(after.queued.filter((kind) => kind === "factor_notice")).toHaveLength(role === "admin" ? 2 : 1);
  expect(await accessOf(other.userId)).toEqual(WHOLE_ACCESS);
  expect(await profileAndUser(other.userId)).toMatchObject([{ role }, { emailConfirmedAt: null }]);
});

test("ends other access in the same batch, for the owner of the link alone, and hands on what that returned", async () => {
  const { userId, email } = await storedAccount("agent");
  const finished: unknown[][] = [];
  const access = {
    statements: (owner: Parameters<typeof inArray>[1] & object) => [
      db.select({ id: users.id }).from(users).where(sql`${users.id} in (${owner})`),
      db.select({ email: users.email }).from(users).where(sql`${users.id} in (${owner})`),
    ],
    finish: async (results: unknown[]) => void finished.push(results),
  };
  expect(await reset("made up", NEXT, access)).toEqual({ ok: false, reason: "link_expired" });
  expect(finished).toEqual([]);
  expect(await reset(await newReset(userId), NEXT, access)).toEqual({ ok: true });
  expect(finished).toEqual([[[{ id: userId }], [{ email }]]]);
});

test("accepts a reset link until an hour has passed, once", async () => {
  const { userId } = await storedAccount();
  const start = Date.now();
  const now = vi.spyOn(Date, "now").mockReturnValue(start);
  const token = await newReset(userId);
  expect(await db.select().from(passwordResets).where(eq(passwordResets.userId, userId))).toEqual([
    expect.objectContaining({ userId, expiresAt: start + HOUR_MS, usedAt: null }),
  ]);
  now.mockReturnValue(start + HOUR_MS - 1);
  expect([await isResetToken(db, token), await isResetToken(db, `${token}x`)]).toEqual([true, false]);
  now.mockReturnValue(start + HOUR_MS);
  expect(await isResetToken(db, token)).toBe(false);
  now.mockReturnValue(start);
  await db.update(passwordResets).set({ usedAt: 1 }).where(eq(passwordResets.userId, userId));
  expect(await isResetToken(db, token)).toBe(false);
});

test("refuses a weak password and keeps the link", async () => {
  const { userId } = await storedAccount();
  const token = await newReset(userId);
  expect(await reset(token, "Trustno1")).toEqual({ ok: false, reason: "common_password" });
  await db.update(profiles).set({ fullName: "Zebulon Quartermain" }).where(eq(profiles.userId, userId));
  expect(await reset(token, "Quartermain1")).toEqual({ ok: false, reason: "context_password" });
  expect(await isResetToken(db, token)).toBe(true);
  expect((await accessOf(userId)).passwordHash).toBe("a hash");
});

test("changes nothing if the link is used while the new password is hashed", async () => {
  const { userId } = await storedAccount();
  await addAccess(userId);
  const token = await newReset(userId);
  const before = await accessOf(userId);
  const link = db.update(passwordResets).set({ usedAt: 1 }).where(eq(passwordResets.userId, userId));
  const using = { ...context, db: Object.assign(Object.create(db), { batch: usedBefore(() => link.run()) }) };
  const input = { token, password: NEXT };
  expect(await resetPassword(using, from("203.0.113.1"), input, noAccess)).toEqual({
    ok: false,
    reason: "link_expired",
  });
  expect(await accessOf(userId)).toEqual({ ...before, resets: 0 });
});

test("tells the owner of the new password, with a link for another one", async () => {
  const { userId, email } = await storedAccount();
  await reset(await newReset(userId));
  const [notice, ...more] = await emailsTo(email);
  expect([notice?.kind, notice?.userId, more]).toEqual(["password_changed", userId, []]);
  const { text } = await openContent(env, notice?.id ?? "", notice?.sealedContent ?? "");
  expect(text).toContain("https://growline.example/reset-password");
  expect(text).toContain("All API keys were revoked");
});

test("emails a link for a new password to the account's address, however it is typed", async () => {
  const [{ userId, email }, other] = [await storedAccount(), await storedAccount()];
  await addAccess(userId);
  expect(await requestReset(context, from("203.0.113.2"), ` ${email.toUpperCase()} `)).toEqual({ ok: true });
  const { resets, events, queued } = await accessOf(userId);
  expect({ resets, events, queued }).toEqual({
    resets: 2,
    events: ["password_reset_requested"],
    queued: ["address_confirmation", "factor_notice", "password_reset", "password_reset", "staff_setup"],
  });
  const sent = (await emailsTo(email)).find(({ kind, sealedContent }) => kind === "password_reset" && sealedContent);
  expect(sent?.userId).toBe(userId);
  const { text } = await openContent(env, sent?.id ?? "", sent?.sealedContent ?? "");
  const token = /https:\/\/growline\.example\/reset-password\?token=([\w-]+)/.exec(text)?.[1] ?? "";
  expect(await isResetToken(db, token)).toBe(true);
  expect(await accessOf(other.userId)).toMatchObject({ resets: 0, events: [], queued: [] });
});

test("stores nothing for an address without an account", async () => {
  const count = () => Promise.all([emails, passwordResets, securityEvents].map((table) => db.$count(table)));
  const before = await count();
  expect(await requestReset(context, from("203.0.113.3"), "nobody@test.example")).toEqual({ ok: true });
  expect(await count()).toEqual(before);
});

test("sends three links in a quarter of an hour, and refuses a caller's fourth request", async () => {
  const { userId, email } = await storedAccount();
  for (let at = 0; at < 3; at++) expect(await requestReset(context, from("203.0.113.4"), email)).toEqual({ ok: true });
  expect(await requestReset(context, from("203.0.113.4"), email)).toMatchObject({ ok: false, status: 429 });
  expect(await requestReset(context, from("203.0.113.5"), email)).toEqual({ ok: true });
  expect((await accessOf(userId)).resets).toBe(3);
});

test("lets the owner log in again at once, however many guesses there were", async () => {
  const { userId, email } = await storedAccount();
  const visit = from("203.0.113.6");
  const attempt = () => limitAttempts(context, visit, "sign_in", { account: email });
  for (let at = 0; at < 10; at++) await attempt();
  expect((await attempt()).ok).toBe(false);
  expect(await resetPassword(context, visit, { token: await newReset(userId), password: NEXT }, noAccess)).toEqual({
    ok: true,
  });
  expect(await attempt()).toMatchObject({ ok: true });
});

test("wakes the dispatcher of emails after a visit and a reset", async () => {
  const { userId, email } = await storedAccount();
  const wake = vi.fn(async () => {});
  const EMAIL_DISPATCHER = { getByName: () => ({ wake }) } as unknown as Env["EMAIL_DISPATCHER"];
  const work: Promise<unknown>[] = [];
  const waking = loadContext({ env: { ...env, EMAIL_DISPATCHER }, waitUntil: (one) => void work.push(one) });
  await requestReset(waking, from("203.0.113.7"), email);
  await Promise.all(work);
  expect(wake).toHaveBeenCalledTimes(1);
  const input = { token: await newReset(userId), password: NEXT };
  await resetPassword(waking, from("203.0.113.7"), input, noAccess);
  await Promise.all(work);
  expect(wake).toHaveBeenCalledTimes(2);
});

async function newReset(userId: string): Promise<string> {
  const { token, digest } = makeEmailToken();
  await insertReset(db, sql`(${userId})`, digest);
  return token;
}

function reset(token: string, password = NEXT, access: Parameters<typeof resetPassword>[3] = noAccess) {
  return resetPassword(context, from("203.0.113.1"), { token, password }, access);
}

/** Returns a `batch` that runs `first` before. */
function usedBefore(first: () => Promise<unknown>): AppLoadContext["db"]["batch"] {
  return async (statements) => {
    await first();
    return db.batch(statements);
  };
}

function from(network: string): Visit {
  return newVisit({ network });
}

async function profileAndUser(userId: string) {
  const [profile] = await db.select().from(profiles).where(eq(profiles.userId, userId));
  const [user] = await db.select().from(users).where(eq(users.id, userId));
  return [profile, user] as const;
}
