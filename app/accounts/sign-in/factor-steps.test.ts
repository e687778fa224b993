import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { Secret, TOTP } from "otpauth";
import { beforeEach, expect, test } from "vitest";
import { listSecurityEvents } from "#app/accounts/events/security-events.server.ts";
import { factorsOf } from "#app/accounts/factors/factors.server.ts";
import { newRecoveryCodes } from "#app/accounts/factors/recovery-codes.server.ts";
import { confirmTotp, startTotpSetup } from "#app/accounts/factors/totp.server.ts";
import { readHeldViewer } from "#app/accounts/session/viewer.server.ts";
import type { Visit } from "#app/accounts/visit/visit.server.ts";
import { authSessions } from "#app/db/schema.server.ts";
import { db } from "#tests/workerd/customer.ts";
import { withoutDispatcher } from "#tests/workerd/email-api.ts";
import { newVisit } from "#tests/workerd/new-visit.ts";
import { type SignedInAccount, startSession, storedSignIn } from "#tests/workerd/signed-in-account.ts";
import { loadContext } from "#tests/workerd/test-context.ts";
import {
  challengeResponse,
  passkeyNotFound,
  passkeyRefusedResponse,
  passkeysResponse,
} from "./passkey-responses.server.ts";
import { type PendingLogIn, pendingLogInToken, readPendingLogIn } from "./pending-log-in.server.ts";
import { logInByPasskey, passSecondStep, readSecondStep, type SecondStep } from "./second-step.server.ts";

const ORIGIN = "https://growline.example";
const work: Promise<unknown>[] = [];
const context = loadContext({ env: withoutDispatcher(env), waitUntil: (one) => void work.push(one) });
const OVER = {
  ok: false,
  status: 400,
  text: "This log-in has expired. Enter your password again.",
  isOver: true,
  headers: {},
};
let me: SignedInAccount;
let codes: string[];
let totp: TOTP;

beforeEach(async () => {
  me = await storedSignIn();
  const now = Date.now();
  const setup = await startTotpSetup(db, env, me, now);
  totp = new TOTP({ secret: Secret.fromBase32(setup?.secret ?? "") });
  await confirmTotp(db, env, me, totp.generate({ timestamp: now - 30_000 }), now);
  const made = newRecoveryCodes(db, me);
  await db.batch(made.statements);
  codes = made.codes;
});

test("asks a session for the factor that it started without, and no other session", async () => {
  const step = await stepOf(me.cookie);
  const { userId, sessionId } = me;
  expect(step).toEqual({ kind: "session", userId, sessionId, factors: await factorsOf(db, userId) });
  expect(step?.factors).toMatchObject({ hasTotp: true, recoveryCodesLeft: 10 });
  await db.update(authSessions).set({ secondFactorAt: 1 }).where(eq(authSessions.id, sessionId));
  expect(await stepOf(me.cookie)).toBeNull();
  const plain = await storedSignIn();
  expect(await stepOf(plain.cookie)).toBeNull();
  expect(await stepOf("")).toBeNull();
});

test("asks for the factor of a log-in that waits, whoever is logged in", async () => {
  const { pending, visit } = await waiting();
  expect(await readSecondStep(context, visit, () => readHeldViewer(requestWith(me.cookie), context))).toEqual({
    kind: "log_in",
    userId: me.userId,
    factors: await factorsOf(db, me.userId),
    pending,
  });
});

test("records a factor in its session alone, and how many recovery codes are left", async () => {
  const other = await startSession(db, { userId: me.userId });
  await db.update(authSessions).set({ verifiedAt: 0 }).where(eq(authSessions.userId, me.userId));
  expect(await take(await sessionStep(), codes[0] ?? "")).toEqual({
    ok: true,
    isPending: false,
    sessionId: null,
    role: "customer",
  });
  const at = expect.any(Number);
  expect(await rowOf(me.sessionId)).toMatchObject({ secondFactorAt: at, verifiedAt: at });
  expect((await rowOf(me.sessionId)).verifiedAt).toBeGreaterThan(0);
  expect(await rowOf(other)).toMatchObject({ secondFactorAt: null, verifiedAt: 0 });
  expect(await events()).toMatchObject([{ kind: "recovery_code_used", detail: { left: "9" } }]);
});

test("tells the owner of a code of the app that was used, and that it can't be used again", async () => {
  const code = totp.generate();
  expect(await take(await sessionStep(), code)).toMatchObject({ ok: true });
  expect(await events()).toMatchObject([{ kind: "factor_used", detail: { factor: "Authenticator app" } }]);
  expect(await take(await sessionStep(), code)).toEqual({
    ok: false,
    status: 400,
    text: "This code is wrong or was used before. Enter the newest code from your app, or an unused recovery code.",
    isOver: false,
    headers: {},
  });
  const [newest] = await events();
  expect(newest).toMatchObject({ kind: "denied", detail: { action: "second_step" } });
});

test("refuses the sixth code of an app with the time to wait, and still takes a recovery code", async () => {
  const step = await sessionStep();
  const wrong = totp.generate({ timestamp: 0 });
  for (let at = 0; at < 5; at++) expect(await take(step, wrong)).toMatchObject({ status: 400 });
  expect(await take(step, wrong)).toEqual({
    ok: false,
    status: 429,
    text: "Too many attempts. Please try again in 15 minutes. A passkey or a recovery code works right away.",
    isOver: false,
    headers: { "Retry-After": expect.stringMatching(/^(8|9)\d\d$/) },
  });
  const recorded = await events();
  expect(recorded).toContainEqual(expect.objectContaining({ kind: "limited", detail: { action: "second_step" } }));
  expect(recorded).toHaveLength(6);
  expect(await take(step, codes[0] ?? "")).toMatchObject({ ok: true });
});

test("starts the session of a log-in that waited, once, and welcomes who migrated a password", async () => {
  const { pending } = await waiting();
  const step = { kind: "log_in", userId: me.userId, factors: await factorsOf(db, me.userId), pending } as const;
  const passed = await take(step, codes[0] ?? "");
  if (!passed.ok || passed.sessionId === null) throw new Error("not logged in");
  expect(passed).toMatchObject({ userId: me.userId, toast: "Password successfully migrated! Welcome back!" });
  expect(await rowOf(passed.sessionId)).toMatchObject({ userId: me.userId, secondFactorAt: expect.any(Number) });
  expect(await take(step, codes[1] ?? "")).toEqual(OVER);
  const stale = { ...(await waiting()).pending, passwordHash: "an older hash" };
  expect(await take({ ...step, pending: stale }, codes[2] ?? "")).toEqual(OVER);
  expect(await db.$count(authSessions, eq(authSessions.userId, me.userId))).toBe(2);
});

test("refuses a passkey whose challenge we didn't make", async () => {
  const proof = { challengeId: "made up", credential: {}, browser: "b" };
  const refused = { ok: false, status: 400, text: "That took too long. Try again.", isOver: false, headers: {} };
  expect(await logInByPasskey(context, newVisit(), proof)).toEqual({ ...refused, reason: "expired" });
  expect(await passSecondStep(context, newVisit(), await sessionStep(), { kind: "passkey", ...proof })).toEqual(
    refused,
  );
});

test.for([
  ["expired", 400, "webauthn_challenge_expired"],
  ["refused", 400, "webauthn_verification_failed"],
  ["unknown_passkey", 400, "webauthn_credential_not_found"],
  ["already_registered", 422, "webauthn_credential_exists"],
  ["too_many_passkeys", 422, "too_many_passkeys"],
  ["email_unconfirmed", 422, "email_not_confirmed"],
] as const)("answers a token client about a passkey that is %s with %i %s", async ([reason, status, code]) => {
  const response = passkeyRefusedResponse(reason, "A text");
  expect(response.status).toBe(status);
  expect(await response.json()).toEqual({ code: status, error_code: code, msg: "A text" });
});

test("writes passkeys and challenges as the client library reads them, for no cache", async () => {
  const key = { id: "k", name: "Phone", createdAt: 0, lastUsedAt: null, isSynced: true, isSecondFactor: true };
  const list = passkeysResponse([key, { ...key, lastUsedAt: 1000 }]);
  const shown = { id: "k", friendly_name: "Phone", created_at: "1970-01-01T00:00:00.000Z" };
  expect(await list.json()).toEqual([shown, { ...shown, last_used_at: "1970-01-01T00:00:01.000Z" }]);
  expect(list.headers.get("Cache-Control")).toBe("no-store");
  const challenge = challengeResponse({ challengeId: "c", options: { a: 1 }, expiresAt: 5999 });
  expect(await challenge.json()).toEqual({ challenge_id: "c", options: { a: 1 }, expires_at: 5 });
  const missing = passkeyNotFound();
  expect([missing.status, await missing.json()]).toMatchObject([404, { error_code: "webauthn_credential_not_found" }]);
});

/** A log-in that waits for its second factor. */
async function waiting(): Promise<{ pending: PendingLogIn; visit: Visit }> {
  const token = await pendingLogInToken(context, { userId: me.userId, passwordHash: "a hash", how: "migrated" });
  const visit = newVisit({ pendingLogIn: token });
  const pending = await readPendingLogIn(context, visit);
  if (!pending) throw new Error("no log-in waits");
  return { pending, visit };
}

function stepOf(cookie: string) {
  return readSecondStep(context, newVisit(), () => readHeldViewer(requestWith(cookie), context));
}

async function sessionStep(): Promise<SecondStep> {
  return { kind: "session", userId: me.userId, sessionId: me.sessionId, factors: await factorsOf(db, me.userId) };
}

function take(step: SecondStep, code: string) {
  return passSecondStep(context, newVisit(), step, { kind: "code", code });
}

async function events() {
  await Promise.all(work);
  return listSecurityEvents(db, me.userId, { limit: 20 });
}

async function rowOf(id: string) {
  const [row] = await db.select().from(authSessions).where(eq(authSessions.id, id));
  if (!row) throw new Error("no session");
  return row;
}

function requestWith(cookie = ""): Request {
  return new Request(`${ORIGIN}/auth/second-step`, { method: "POST", headers: { Cookie: cookie } });
}
