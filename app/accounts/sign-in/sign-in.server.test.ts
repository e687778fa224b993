import { env } from "cloudflare:workers";
import type { AppLoadContext } from "@remix-run/cloudflare";
import bcrypt from "bcryptjs";
import { eq, inArray } from "drizzle-orm";
import { beforeEach, expect, test, vi } from "vitest";
import { listSecurityEvents } from "#app/accounts/events/security-events.server.ts";
import { limitAttempts } from "#app/accounts/password/attempts.server.ts";
import { listSessions, newSession } from "#app/accounts/session/auth-sessions.server.ts";
import { signedInCookies, type Visit } from "#app/accounts/visit/visit.server.ts";
import {
  emailChangeUndos,
  emails,
  emailVerifications,
  knownDevices,
  passkeys,
  profiles,
  tempMysqlPasswords,
  users,
  wallets,
} from "#app/db/schema.server.ts";
import { openContent } from "#app/email/queue-email.server.ts";
import { db } from "#tests/workerd/customer.ts";
import { emailsTo } from "#tests/workerd/email-api.ts";
import { withoutTable } from "#tests/workerd/missing-table.ts";
import { newAccount, PASSWORD, storedAccount } from "#tests/workerd/new-account.ts";
import { newVisit } from "#tests/workerd/new-visit.ts";
import { startSession, storedSignIn } from "#tests/workerd/signed-in-account.ts";
import { loadContext } from "#tests/workerd/test-context.ts";
import { loadAuthPage } from "./auth-page-loader.server.ts";
import { completeLogIn } from "./complete-sign-in.server.ts";
import { createAccount } from "./create-account.server.ts";
import { logInBy } from "./log-in-door.server.ts";
import { pendingLogInToken, readPendingLogIn } from "./pending-log-in.server.ts";
import { logIn, signUp } from "./sign-in.server.ts";
import { signedInResponse } from "./signed-in-response.server.ts";

const INVALID = "Invalid email or password. Please check your credentials and try again.";
const ORIGIN = "https://growline.example";
const work: Promise<unknown>[] = [];
const wake = vi.fn(async () => {});
const EMAIL_DISPATCHER = { getByName: () => ({ wake }) } as unknown as Env["EMAIL_DISPATCHER"];
const context = contextWith({});

beforeEach(async () => {
  await Promise.all(work);
  work.length = 0;
  wake.mockClear();
});

test("logs in, and remembers the device and the log-in for this account alone", async () => {
  const [account, other] = [await newAccount(), await newAccount()];
  const before = Date.now();
  const signedIn = await logIn(context, newVisit(), { email: account.email, password: PASSWORD });
  if (!signedIn.ok || signedIn.isPending) throw new Error("not logged in");
  expect(signedIn).toMatchObject({ userId: account.userId, toast: null });
  expect((await listSessions(db, account.userId)).map(({ id }) => id)).toEqual([signedIn.sessionId]);
  const [device, ...more] = await db.select().from(knownDevices).where(eq(knownDevices.userId, account.userId));
  expect([device?.firstSeenAt, more]).toEqual([device?.lastSeenAt, []]);
  expect(device?.firstSeenAt).toBeGreaterThanOrEqual(before);
  expect(await eventsOf(account.userId)).toEqual(["log_in"]);
  expect([await listSessions(db, other.userId), await eventsOf(other.userId)]).toEqual([[], []]);
  expect(await emailsTo(account.email)).toEqual([]);
  expect(wake).not.toHaveBeenCalled();
});

test("refuses a wrong password and an unknown address alike, and tells the owner of the attempt", async () => {
  const { userId, email } = await newAccount();
  const refused = { ok: false, status: 400, code: "invalid_credentials", field: null, headers: {}, text: INVALID };
  const uniform = contextWith({ LOGIN_ERRORS: "uniform" });
  expect(await logIn(uniform, newVisit(), { email, password: "wrong" })).toEqual(refused);
  expect(await logIn(uniform, newVisit(), { email: "nobody@test.example", password: PASSWORD })).toEqual(refused);
  expect(await listSessions(db, userId)).toEqual([]);
  expect(await eventsOf(userId)).toEqual(["log_in_failed"]);
});

test("refuses a suspended account only after its right password", async () => {
  const [{ userId, email }, other] = [await newAccount(), await newAccount()];
  await db.update(users).set({ suspendedAt: 1 }).where(eq(users.id, userId));
  expect(await logIn(context, newVisit(), { email, password: PASSWORD })).toEqual({
    ok: false,
    status: 403,
    code: "user_banned",
    text: "This account is suspended. Contact support.",
    field: null,
    headers: {},
  });
  const events = await settledEvents(userId);
  expect(events).toMatchObject([{ kind: "denied", detail: { reason: "suspended" } }]);
  expect(await logIn(context, newVisit(), { email, password: "wrong" })).toMatchObject({ status: 400 });
  expect(await listSessions(db, userId)).toEqual([]);
  expect(await logIn(context, newVisit(), { email: other.email, password: PASSWORD })).toMatchObject({ ok: true });
});

test("refuses the eleventh attempt with the time to wait, and forgets the others after the right password", async () => {
  const { email } = await newAccount();
  const attempt = (password: string) => logIn(context, from("203.0.113.40"), { email, password });
  await attempt("wrong");
  expect(await attempt(PASSWORD)).toMatchObject({ ok: true });
  for (let at = 0; at < 10; at++) expect(await attempt("wrong")).toMatchObject({ status: 400 });
  expect(await attempt(PASSWORD)).toEqual({
    ok: false,
    status: 429,
    code: "over_request_rate_limit",
    text: "Too many attempts. Please try again in 15 minutes.",
    field: null,
    headers: { "Retry-After": expect.stringMatching(/^(8|9)\d\d$/) },
  });
});

test("checks ten of fifty passwords that arrive at once", async () => {
  const [{ email }, other] = [await newAccount(), await newAccount()];
  const attempt = () => logIn(context, newVisit(), { email, password: "wrong" });
  const refused = await Promise.all(Array.from({ length: 50 }, attempt));
  const statuses = refused.map((one) => (one.ok ? 200 : one.status));
  expect(statuses.filter((status) => status === 400)).toHaveLength(10);
  expect(statuses.filter((status) => status === 429)).toHaveLength(40);
  expect(await logIn(context, newVisit(), { email, password: PASSWORD })).toMatchObject({ status: 429 });
  expect(await logIn(context, newVisit(), { email: other.email, password: PASSWORD })).toMatchObject({ ok: true });
});

test("forgets the attempts of a log-in that waits for its second factor", async () => {
  const { userId, email } = await newAccount();
  await addPasskey(userId);
  const visit = from("203.0.113.41");
  for (let round = 0; round < 2; round++) {
    for (let at = 0; at < 9; at++) await limitAttempts(context, visit, "sign_in", { account: email });
    expect(await logIn(context, visit, { email, password: PASSWORD })).toMatchObject({ ok: true, isPending: true });
  }
  expect(await listSessions(db, userId)).toEqual([]);
});

test("asks for a second factor that is added while the password is checked", async () => {
  const { userId, email } = await newAccount();
  const adding = meanwhile(2, () => addPasskey(userId));
  expect(await logIn(adding, newVisit(), { email, password: PASSWORD })).toMatchObject({ ok: true, isPending: true });
  expect(await listSessions(db, userId)).toEqual([]);
});

test("refuses an account that is suspended while its password is checked", async () => {
  const { userId, email } = await newAccount();
  const suspending = meanwhile(2, () => db.update(users).set({ suspendedAt: 1 }).where(eq(users.id, userId)));
  expect(await logIn(suspending, newVisit(), { email, password: PASSWORD })).toMatchObject({ code: "user_banned" });
  expect(await listSessions(db, userId)).toEqual([]);
  expect(await eventsOf(userId)).toEqual(["denied"]);
});

test("logs nobody in to another account that takes the address while the password is checked", async () => {
  const [{ userId, email }, other] = [await newAccount(), await newAccount()];
  const moving = meanwhile(2, () =>
    db.batch([
      db
        .update(users)
        .set({ email: `x${email}`, passwordHash: "new" })
        .where(eq(users.id, userId)),
      db
        .update(profiles)
        .set({ email: `x${email}` })
        .where(eq(profiles.userId, userId)),
      db.update(users).set({ email }).where(eq(users.id, other.userId)),
      db.update(profiles).set({ email }).where(eq(profiles.userId, other.userId)),
    ]),
  );
  expect(await logIn(moving, newVisit(), { email, password: PASSWORD })).toMatchObject({ status: 400, text: INVALID });
  expect([await listSessions(db, userId), await listSessions(db, other.userId)]).toEqual([[], []]);
});

test("refuses a password that changes while it is checked, and tells the owner", async () => {
  const { userId, email } = await newAccount();
  const changing = meanwhile(2, () => db.update(users).set({ passwordHash: "new" }).where(eq(users.id, userId)));
  expect(await logIn(changing, newVisit(), { email, password: PASSWORD })).toMatchObject({
    status: 400,
    text: INVALID,
  });
  expect(await listSessions(db, userId)).toEqual([]);
  expect(await eventsOf(userId)).toEqual(["log_in_failed"]);
});

test("logs in with a legacy password and welcomes its owner", async () => {
  const { email } = await legacyAccount();
  expect(await logIn(context, newVisit(), { email, password: PASSWORD })).toMatchObject({
    ok: true,
    toast: "Password successfully migrated! Welcome back!",
  });
});

test("welcomes one of two simultaneous log-ins as the one that migrated the password, whose answer was lost", async () => {
  const { email } = await legacyAccount();
  const attempt = (through: AppLoadContext) => logIn(through, newVisit(), { email, password: PASSWORD });
  let second: ReturnType<typeof attempt> | undefined;
  const swapped = Promise.withResolvers<void>();
  // Both read the account before one of them migrates it.
  const waiting = contextWith({}, { batch: (statements) => swapped.promise.then(() => db.batch(statements)) }, 2);
  const losing: AppLoadContext["db"]["batch"] = async (statements) => {
    await db.batch(statements);
    swapped.resolve();
    await second;
    throw new Error("Network connection lost");
  };
  second = attempt(waiting);
  const first = await attempt(contextWith({}, { batch: losing }, 2));
  expect(first).toMatchObject({ ok: true, toast: "Password successfully migrated! Welcome back!" });
  expect(await second).toMatchObject({ ok: true, toast: "Welcome back! Password migration complete." });
});

test("tells apart a fault before and after a legacy password was migrated, and counts neither as a failure", async () => {
  const [current, legacy] = [await newAccount(), await legacyAccount()];
  const failing = (n: number) => contextWith({}, { batch: () => Promise.reject(new Error("D1 is away")) }, n);
  const fault = { ok: false, status: 503, code: "unexpected_failure", field: null, headers: {} };
  expect(await logIn(failing(2), newVisit(), { email: current.email, password: PASSWORD })).toEqual({
    ...fault,
    text: "Authentication failed",
  });
  expect(await logIn(failing(3), newVisit(), { email: legacy.email, password: PASSWORD })).toEqual({
    ...fault,
    text: "Migration successful but login failed. Please try logging in again.",
  });
  // Nothing of the failed batch was written, and the migrated password works.
  expect([await listSessions(db, current.userId), await listSessions(db, legacy.userId)]).toEqual([[], []]);
  expect(await db.$count(knownDevices, inArray(knownDevices.userId, [current.userId, legacy.userId]))).toBe(0);
  const again = await logIn(context, newVisit(), { email: legacy.email, password: PASSWORD });
  expect(again).toMatchObject({ ok: true, toast: null });
  const noTable = withoutTable(env.DB, "temp_mysql_passwords", () =>
    logIn(context, newVisit(), { email: current.email, password: PASSWORD }),
  );
  expect(await noTable).toEqual({ ...fault, text: expect.stringMatching(/^Database error: /) });
  expect([await eventsOf(current.userId), await eventsOf(legacy.userId)]).toEqual([[], ["log_in"]]);
});

test("signs up with an unconfirmed address, an empty wallet, a session and a link that confirms it", async () => {
  const email = `${crypto.randomUUID()}@test.example`;
  const account = { email, password: PASSWORD, fullName: "Ada" };
  const made = await signUp(context, newVisit(), { ...account, next: "/dashboard/keys" });
  if (!made.ok) throw new Error(made.text);
  const { userId, sessionId } = made;
  expect(made.toast).toBeNull();
  expect(await db.select().from(profiles).where(eq(profiles.userId, userId))).toMatchObject([
    { email, fullName: "Ada", role: "customer" },
  ]);
  expect(await db.select().from(users).where(eq(users.id, userId))).toMatchObject([{ email, emailConfirmedAt: null }]);
  expect(await db.select().from(wallets).where(eq(wallets.userId, userId))).toMatchObject([{ balance: 0 }]);
  expect((await listSessions(db, userId)).map(({ id }) => id)).toEqual([sessionId]);
  expect(await eventsOf(userId)).toEqual(["signed_up"]);
  expect(await db.$count(emailVerifications, eq(emailVerifications.userId, userId))).toBe(1);
  const [link, ...more] = await emailsTo(email);
  expect([link?.kind, more]).toEqual(["email_verification", []]);
  expect((await openContent(env, link?.id ?? "", link?.sealedContent ?? "")).text).toContain("dashboard%2Fkeys");
  expect(wake).toHaveBeenCalledTimes(1);
  const taken = { ok: false, status: 422, code: "user_already_exists", field: "email", headers: {} };
  const text = "An account with this email already exists. Log in instead.";
  expect(await signUp(context, newVisit(), { ...account, email: email.toUpperCase() })).toEqual({ ...taken, text });
});

test.for([
  ["Trustno1", "common_password", ["pwned"]],
  ["Lovelace99", "context_password", ["characters"]],
] as const)("signs nobody up with the password %s: %s", async ([password, reason, reasons]) => {
  const email = `${crypto.randomUUID()}@test.example`;
  const account = { email, password, fullName: "Ada Lovelace" };
  expect(await signUp(context, newVisit(), account)).toMatchObject({
    ok: false,
    status: 422,
    code: "weak_password",
    field: "password",
    weakPassword: { reasons },
    headers: {},
  });
  expect(await createAccount(db, account)).toEqual({ ok: false, reason });
  expect(await db.$count(users, eq(users.email, email))).toBe(0);
  expect(await db.$count(emails, eq(emails.recipient, email))).toBe(0);
});

test("refuses the eleventh sign-up with an address, with the time to wait", async () => {
  const email = `${crypto.randomUUID()}@test.example`;
  const attempt = () => signUp(context, from("203.0.113.42"), { email, password: "Trustno1", fullName: "" });
  for (let at = 0; at < 10; at++) expect(await attempt()).toMatchObject({ status: 422 });
  expect(await attempt()).toMatchObject({ ok: false, status: 429, code: "over_request_rate_limit", field: null });
});

const LATER = Date.now() + 60 * 60_000;
const UNDOS: [state: string, undo: { usedAt?: number; expiresAt?: number; of?: string }, isFree: boolean][] = [
  ["can still be given back", {}, false],
  ["was given back", { usedAt: 1 }, true],
  ["can't be given back any more", { expiresAt: Date.now() }, true],
  ["is another one", { of: "another@test.example" }, true],
];

test.for(UNDOS)("signs up with an address that %s: %o, %s", async ([, undo, isFree]) => {
  const { userId } = await storedAccount();
  const email = `${crypto.randomUUID()}@test.example`;
  const { usedAt = null, expiresAt = LATER, of = email } = undo;
  const link = { tokenDigest: crypto.randomUUID(), userId, createdAt: 1 };
  await db.insert(emailChangeUndos).values({ ...link, oldEmail: of, usedAt, expiresAt });
  const created = await createAccount(db, { email, password: PASSWORD, fullName: "" });
  expect(created).toEqual(isFree ? { ok: true, userId: expect.any(String) } : { ok: false, reason: "email_taken" });
});

test("reports a fault while an account is created", async () => {
  const failing = withoutTable(env.DB, "wallets", () =>
    createAccount(db, { email: `${crypto.randomUUID()}@test.example`, password: PASSWORD, fullName: "" }),
  );
  await expect(failing).rejects.toThrow();
});

test("keeps a log-in that waits for its second factor for five minutes", async () => {
  const { userId } = await storedAccount();
  const now = Math.ceil(Date.now() / 1000) * 1000;
  const pending = { userId, passwordHash: "a hash", how: "migrated" } as const;
  const visit = newVisit({ pendingLogIn: await pendingLogInToken(context, pending, now) });
  const expiresAt = now + 300_000;
  expect(await readPendingLogIn(context, visit, expiresAt - 1000)).toEqual({
    ...pending,
    history: { hasDevices: false, isKnown: false },
    factors: { passkeys: [], hasTotp: false, recoveryCodesLeft: 0 },
    token: { id: expect.any(String), expiresAt },
  });
  expect(await readPendingLogIn(context, visit, expiresAt)).toBeNull();
  expect(await readPendingLogIn(context, newVisit(), now)).toBeNull();
  await db.update(users).set({ passwordHash: null }).where(eq(users.id, userId));
  expect(await readPendingLogIn(context, visit, now)).toBeNull();
});

test("ends only the session that the browser had before", async () => {
  const [account, other] = [await newAccount(), await newAccount()];
  const { userId } = account;
  const kept = await startSession(db, { userId });
  const previous = await startSession(db, { userId: other.userId });
  const visit = newVisit({ previousSession: previous });
  const session = newSession(db, { userId, visit });
  const signIn = { userId, session, history: { hasDevices: false, isKnown: false }, toast: "Welcome" };
  expect(await completeLogIn(context, visit, signIn)).toMatchObject({
    toast: "Welcome",
    sessionId: session.id,
  });
  expect(await listSessions(db, other.userId)).toEqual([]);
  expect((await listSessions(db, userId)).map(({ id }) => id).sort()).toEqual([kept, session.id].sort());
});

test("leads a viewer who is logged in on, and others to the form", async () => {
  const { cookie } = await storedSignIn();
  const load = (query: string, headers = {}) =>
    loadAuthPage({ request: new Request(`${ORIGIN}/auth/login${query}`, { headers }), context });
  expect(await load("?redirectTo=/admin")).toEqual({ redirectTo: "/admin" });
  expect(await load("?redirectTo=//evil.example")).toEqual({ redirectTo: "/dashboard" });
  const location = (thrown: unknown) => (thrown instanceof Response ? thrown.headers.get("Location") : null);
  expect(await load("?redirectTo=/admin", { Cookie: cookie }).catch(location)).toBe("/admin");
  expect(await load("", { Cookie: cookie }).catch(location)).toBe("/dashboard");
});

test("issues the tokens of a new session with both cookies, and none if it has ended", async () => {
  const { email, userId } = await newAccount();
  const signedIn = await logIn(context, newVisit(), { email, password: PASSWORD });
  if (!signedIn.ok || signedIn.isPending) throw new Error("not logged in");
  const response = await signedInResponse(context, newVisit(), signedIn);
  const cookies = await signedInCookies(env, newVisit(), signedIn);
  expect(response.headers.getSetCookie()).toEqual(cookies);
  expect(cookies).toEqual([
    expect.stringMatching(/^__Host-growline_auth=/),
    expect.stringMatching(/^__Host-growline_device=/),
  ]);
  expect(await response.json()).toMatchObject({ user: { id: userId }, token_type: "bearer" });
  const ended = await signedInResponse(context, newVisit(), { ...signedIn, sessionId: "ended" });
  expect([ended.status, ended.headers.getSetCookie()]).toEqual([400, []]);
});

test("logs in by the form, and says what is wrong without the password", async () => {
  const { email } = await newAccount();
  const submit = (fields: Record<string, string>) => {
    const form = new FormData();
    for (const [name, value] of Object.entries({ intent: "password", ...fields })) form.set(name, value);
    const way = fields.intent === "passkey" ? "passkey" : "password";
    return logInBy(way, Object.assign(new Request(ORIGIN), { context, visit: newVisit(), form }), "/next");
  };
  const answer = await submit({ email, password: PASSWORD });
  if ("refused" in answer) throw new Error("refused");
  expect([answer.status, answer.headers.get("Location")]).toEqual([302, "/next"]);
  expect(answer.headers.getSetCookie()).toHaveLength(2);
  expect(await submit({ email: "", password: PASSWORD })).toEqual({
    ok: false,
    status: 400,
    headers: {},
    isOver: false,
    refused: {
      intent: "password",
      ok: false,
      message: undefined,
      fieldErrors: { email: "Enter your email address" },
      values: { email: "" },
      success: false,
      error: "Enter your email address",
    },
  });
  expect(await submit({ email, password: "wrong" })).toEqual({
    ok: false,
    status: 400,
    headers: {},
    isOver: false,
    refused: {
      intent: "password",
      ok: false,
      message: "No legacy password found.",
      values: { email },
      success: false,
      error: "No legacy password found.",
    },
  });
  expect(await submit({ intent: "passkey", challengeId: "made up", credential: "{}" })).toEqual({
    ok: false,
    status: 400,
    headers: {},
    isOver: false,
    refused: {
      intent: "passkey",
      ok: false,
      message: "That took too long. Try again.",
      values: {},
      success: false,
      error: "That took too long. Try again.",
    },
  });
});

type Account = { userId: string; email: string };

/** An account whose hash a log-in doesn't have to replace. */
async function legacyAccount(): Promise<Account> {
  const account = await storedAccount("customer", { passwordHash: null });
  const mysqlPasswordHash = await bcrypt.hash(PASSWORD, 4);
  await db.insert(tempMysqlPasswords).values({ userId: account.userId, mysqlPasswordHash });
  return account;
}

async function addPasskey(userId: string): Promise<void> {
  const key = { id: crypto.randomUUID(), userId, publicKey: "", signCount: 0, name: "Key", createdAt: 1 };
  await db.insert(passkeys).values({ ...key, deviceType: "singleDevice", backedUp: false, isSecondFactor: true });
}

async function settledEvents(userId: string) {
  await Promise.all(work);
  return (await listSecurityEvents(db, userId, { limit: 40 })).reverse();
}

async function eventsOf(userId: string): Promise<string[]> {
  return (await settledEvents(userId)).map(({ kind }) => kind);
}

/** A context in which something happens just before the n-th batch or insert. */
function meanwhile(n: number, happens: () => PromiseLike<unknown>): AppLoadContext {
  const batch: AppLoadContext["db"]["batch"] = async (statements) => {
    await happens();
    return db.batch(statements);
  };
  return contextWith({}, { batch }, n);
}

/** `batch` replaces the database's from its n-th call on; the n-th is the first one. */
function contextWith(
  bindings: Partial<Env>,
  { batch }: { batch?: AppLoadContext["db"]["batch"] } = {},
  n = 1,
): AppLoadContext {
  let calls = 0;
  const counted: AppLoadContext["db"]["batch"] = (statements) => {
    calls += 1;
    return batch && calls === n ? batch(statements) : db.batch(statements);
  };
  return loadContext({
    env: { ...env, EMAIL_DISPATCHER, PUBLIC_ORIGIN: ORIGIN, ...bindings },
    db: Object.assign(Object.create(db), { batch: counted }),
    waitUntil: (one) => void work.push(one),
  });
}

function from(network: string): Visit {
  return newVisit({ network });
}
