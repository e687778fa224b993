import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { Secret, TOTP } from "otpauth";
import { expect, test } from "vitest";
import { listSecurityEvents } from "#app/accounts/events/security-events.server.ts";
import { browserOf } from "#app/accounts/factors/passkey-challenges.server.ts";
import { passkeyOptions } from "#app/accounts/factors/passkey-check.server.ts";
import { registerPasskey, registrationOptions } from "#app/accounts/factors/passkeys.server.ts";
import { newRecoveryCodes } from "#app/accounts/factors/recovery-codes.server.ts";
import { confirmTotp, startTotpSetup } from "#app/accounts/factors/totp.server.ts";
import { secondStepCookie, type Visit } from "#app/accounts/visit/visit.server.ts";
import { authSessions, passkeys, users } from "#app/db/schema.server.ts";
import { action as submitSecondStep } from "#app/routes/auth/second-step.tsx";
import { action as passwordGrant } from "#app/routes/auth/v1/token.ts";
import { SoftwareAuthenticator } from "#tests/stand-ins/software-authenticator.ts";
import { db } from "#tests/workerd/customer.ts";
import { newAccount, PASSWORD } from "#tests/workerd/new-account.ts";
import { newVisit } from "#tests/workerd/new-visit.ts";
import { inSession } from "#tests/workerd/signed-in-account.ts";
import { loadContext } from "#tests/workerd/test-context.ts";
import { readPendingLogIn } from "./pending-log-in.server.ts";
import { type FactorProof, logInByPasskey, passSecondStep, readSecondStep } from "./second-step.server.ts";
import { logIn } from "./sign-in.server.ts";

const ORIGIN = "https://growline.example";
const afterResponse: Promise<unknown>[] = [];
const context = loadContext({
  env: { ...env, PUBLIC_ORIGIN: ORIGIN },
  waitUntil: (work) => void afterResponse.push(work),
});

test("starts no session for the password alone, records a wrong code, and starts one with the second factor", async () => {
  const { userId, email, recovery } = await protectedAccount();
  const token = await pendingToken(email);
  expect(await sessionsOf(userId)).toEqual([]);
  expect(token).not.toContain("scrypt");
  expect(await takeStep(token, "000000")).toMatchObject({ ok: false, status: 400, isOver: false });
  expect(await sessionsOf(userId)).toEqual([]);
  await Promise.all(afterResponse);
  expect(await listSecurityEvents(db, userId, { limit: 9 })).toMatchObject([
    { kind: "denied", detail: { action: "second_step" } },
  ]);
  expect(await takeStep(token, recovery[0] ?? "")).toMatchObject({ ok: true, userId });
  expect(await sessionsOf(userId)).toMatchObject([{ secondFactorAt: expect.any(Number) }]);
});

test.for<[code: string, text: string]>([
  ["", "Enter a code"],
  ["000000", "This code is wrong"],
])("refuses the form with the code %j as a log-in: %s", async ([code, text]) => {
  const token = await pendingToken((await protectedAccount()).email);
  const [cookie = ""] = (await secondStepCookie({ url: ORIGIN }).serialize(token)).split(";");
  const body = new URLSearchParams({ code });
  const request = new Request(`${ORIGIN}/auth/second-step`, { method: "POST", headers: { Cookie: cookie }, body });
  const error: string = expect.stringContaining(text);
  expect(await submitSecondStep({ request, context, params: {} })).toMatchObject({
    data: { ok: false, fieldErrors: { code: error }, success: false, error },
    init: { status: 400 },
  });
});

test("lets a log-in pass once, of five parallel ones with different codes too", async () => {
  const { userId, email, recovery } = await protectedAccount();
  const token = await pendingToken(email);
  const passed = await Promise.all(recovery.slice(0, 5).map((code) => takeStep(token, code)));
  expect(passed.filter(({ ok }) => ok)).toHaveLength(1);
  expect(await sessionsOf(userId)).toHaveLength(1);
  expect(await takeStep(token, recovery[6] ?? "")).toMatchObject({ ok: false, isOver: true });
});

test("forgets the log-in after five minutes, when the cookie was changed, and when the password has changed", async () => {
  const { userId, email } = await protectedAccount();
  const token = await pendingToken(email);
  const visit = newVisit({ pendingLogIn: token });
  expect(await readPendingLogIn(context, visit)).toMatchObject({ userId });
  expect(await readPendingLogIn(context, visit, Date.now() + 5 * 60_000 + 1000)).toBeNull();
  expect(await readPendingLogIn(context, newVisit({ pendingLogIn: `${token}x` }))).toBeNull();
  await db.update(users).set({ passwordHash: "another hash" }).where(eq(users.id, userId));
  expect(await readPendingLogIn(context, visit)).toBeNull();
});

test("starts no session if the password changes while the second factor is checked", async () => {
  const { userId, email, recovery } = await protectedAccount();
  const visit = newVisit({ pendingLogIn: await pendingToken(email) });
  const step = await stepOf(visit);
  await db.update(users).set({ passwordHash: "another hash" }).where(eq(users.id, userId));
  const proof: FactorProof = { kind: "code", code: recovery[0] ?? "" };
  expect(step && (await passSecondStep(context, visit, step, proof))).toMatchObject({ ok: false, isOver: true });
  expect(await sessionsOf(userId)).toEqual([]);
});

test("refuses another account's code and passkey", async () => {
  const [mine, other] = [await protectedAccount(), await protectedAccount()];
  const theirs = await passkeyOf(other);
  const token = await pendingToken(mine.email);
  expect(await takeStep(token, other.recovery[0] ?? "")).toMatchObject({ ok: false });
  const { visit, proof } = await respond(token, theirs, { purpose: "second_step", userId: mine.userId });
  const step = await stepOf(visit);
  expect(step && (await passSecondStep(context, visit, step, { kind: "passkey", ...proof }))).toMatchObject({
    ok: false,
  });
  expect(await sessionsOf(mine.userId)).toEqual([]);
});

test("takes the second step with a passkey", async () => {
  const account = await newAccount();
  const authenticator = await passkeyOf(account);
  const token = await pendingToken(account.email);
  const use = { purpose: "second_step", userId: account.userId } as const;
  const { visit, proof } = await respond(token, authenticator, use);
  const step = await stepOf(visit);
  expect(step && (await passSecondStep(context, visit, step, { kind: "passkey", ...proof }))).toMatchObject({
    ok: true,
    userId: account.userId,
  });
});

test("asks for no second step because of a passkey that is not asked for after the password", async () => {
  const account = await newAccount();
  await passkeyOf(account, false);
  expect(await logIn(context, newVisit(), { email: account.email, password: PASSWORD })).toMatchObject({
    ok: true,
    isPending: false,
  });
});

test("logs in by a passkey alone, as by both factors, and not once the passkey is removed", async () => {
  const account = await newAccount();
  const authenticator = await passkeyOf(account);
  const first = await respond(null, authenticator, { purpose: "log_in" });
  expect(await logInByPasskey(context, first.visit, first.proof)).toMatchObject({
    ok: true,
    isPending: false,
    userId: account.userId,
  });
  expect(await sessionsOf(account.userId)).toMatchObject([{ secondFactorAt: expect.any(Number) }]);
  await db.delete(passkeys).where(eq(passkeys.userId, account.userId));
  const second = await respond(null, authenticator, { purpose: "log_in" });
  expect(await logInByPasskey(context, second.visit, second.proof)).toMatchObject({ ok: false });
});

test("refuses a suspended account's passkey, and tells its owner", async () => {
  const account = await newAccount();
  const authenticator = await passkeyOf(account);
  await db.update(users).set({ suspendedAt: 1 }).where(eq(users.id, account.userId));
  const { visit, proof } = await respond(null, authenticator, { purpose: "log_in" });
  expect(await logInByPasskey(context, visit, proof)).toEqual({
    ok: false,
    status: 403,
    text: "This account is suspended. Contact support.",
    isOver: false,
    headers: {},
    reason: "suspended",
  });
  expect(await sessionsOf(account.userId)).toEqual([]);
  await Promise.all(afterResponse);
  const [event] = await listSecurityEvents(db, account.userId, { limit: 1 });
  expect(event).toMatchObject({ kind: "denied", detail: { reason: "suspended" } });
});

test("issues no tokens for the password alone", async () => {
  const { userId, email } = await protectedAccount();
  const request = new Request(`${ORIGIN}/auth/v1/token?grant_type=password`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ email, password: PASSWORD }),
  });
  const response = await passwordGrant({ request, context, params: {} });
  expect(response.status).toBe(403);
  expect(response.headers.getSetCookie()).toEqual([]);
  expect(await response.json()).toMatchObject({ error_code: "insufficient_aal" });
  expect(await sessionsOf(userId)).toEqual([]);
});

type Account = { userId: string; email: string };

/** An account with an authenticator app and recovery codes. */
async function protectedAccount(): Promise<Account & { recovery: string[] }> {
  const account = await newAccount();
  return inSession(account.userId, async (owner) => {
    const setup = await startTotpSetup(db, env, { ...account, ...owner });
    const code = new TOTP({ secret: Secret.fromBase32(setup?.secret ?? "") }).generate();
    if (!(await confirmTotp(db, env, owner, code))) throw new Error("not confirmed");
    const { codes, statements } = newRecoveryCodes(db, owner);
    await db.batch(statements);
    return { ...account, recovery: codes };
  });
}

async function passkeyOf(account: Account, isSecondFactor = true): Promise<SoftwareAuthenticator> {
  const authenticator = await SoftwareAuthenticator.create();
  const visit = newVisit();
  const { options, challengeId } = await registrationOptions(context, visit, account, "b");
  const credential = await authenticator.register(options, { origin: ORIGIN });
  const passkey = { challengeId, credential, browser: "b", name: "Key", isSecondFactor };
  const registered = await inSession(account.userId, ({ userId, sessionId }) =>
    registerPasskey(context, visit, userId, { ...passkey, sessionId }),
  );
  if (!registered.ok) throw new Error(registered.reason);
  return authenticator;
}

/** Logs in with the password and returns the token of the log-in that waits. */
async function pendingToken(email: string): Promise<string> {
  const pending = await logIn(context, newVisit(), { email, password: PASSWORD });
  if (!pending.ok || !pending.isPending) throw new Error("no second step was asked for");
  return pending.token;
}

async function takeStep(pendingLogIn: string, code: string) {
  const visit = newVisit({ pendingLogIn });
  const step = await stepOf(visit);
  if (!step) throw new Error("no log-in waits");
  return passSecondStep(context, visit, step, { kind: "code", code });
}

/** The step of a browser in which nobody is logged in. */
function stepOf(visit: Visit) {
  return readSecondStep(context, visit, async () => null);
}

async function respond(
  pendingLogIn: string | null,
  authenticator: SoftwareAuthenticator,
  use: { purpose: "log_in" } | { purpose: "second_step"; userId: string },
) {
  const { browser } = await browserOf(env, newVisit());
  const visit = newVisit({ pendingLogIn, passkeyBrowser: browser });
  const { options, challengeId } = await passkeyOptions(context, visit, use, browser);
  const credential = await authenticator.authenticate(options, { origin: ORIGIN });
  return { visit, proof: { challengeId, credential, browser } };
}

function sessionsOf(userId: string) {
  return db.select().from(authSessions).where(eq(authSessions.userId, userId));
}
