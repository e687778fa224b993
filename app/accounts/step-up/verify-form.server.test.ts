import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { Secret, TOTP } from "otpauth";
import { beforeEach, expect, test } from "vitest";
import { listSecurityEvents } from "#app/accounts/events/security-events.server.ts";
import { browserOf } from "#app/accounts/factors/passkey-challenges.server.ts";
import { passkeyOptions } from "#app/accounts/factors/passkey-check.server.ts";
import { registerPasskey, registrationOptions } from "#app/accounts/factors/passkeys.server.ts";
import { newRecoveryCodes } from "#app/accounts/factors/recovery-codes.server.ts";
import { confirmTotp, startTotpSetup } from "#app/accounts/factors/totp.server.ts";
import { signAccessToken } from "#app/accounts/tokens/access-tokens.server.ts";
import { authSessions, passkeys, type Role, recoveryCodes, totpSecrets } from "#app/db/schema.server.ts";
import { SoftwareAuthenticator } from "#tests/stand-ins/software-authenticator.ts";
import { db } from "#tests/workerd/customer.ts";
import { emailsTo, withoutDispatcher } from "#tests/workerd/email-api.ts";
import { cheapHash, PASSWORD } from "#tests/workerd/new-account.ts";
import { newVisit } from "#tests/workerd/new-visit.ts";
import { type SignedInAccount, startSession, storedSignIn } from "#tests/workerd/signed-in-account.ts";
import { loadContext } from "#tests/workerd/test-context.ts";
import { requireProvenTokenViewer, requireTokenViewer } from "./token-viewer.server.ts";
import { proofMethodsOf, submitVerifyForm } from "./verify-form.server.ts";

const ORIGIN = "https://growline.example";
const work: Promise<unknown>[] = [];
const context = loadContext({
  env: { ...withoutDispatcher(env), PUBLIC_ORIGIN: ORIGIN },
  waitUntil: (one) => void work.push(one),
});
const DENIED = { kind: "denied", detail: { action: "confirm_identity" } };
const LIMITED = { kind: "limited" };
const WRONG_CODE =
  "This code is wrong or was used before. Enter the newest code from your app, or an unused recovery code.";
let me: SignedInAccount;
/** My session on another device. */
let second: string;

beforeEach(async () => {
  work.length = 0;
  me = await storedSignIn("customer", { passwordHash: cheapHash() });
  second = await startSession(db, { userId: me.userId });
  await db.update(authSessions).set({ verifiedAt: 0 }).where(eq(authSessions.userId, me.userId));
});

const NOTHING = { hasPassword: true, hasPasskeys: false, hasCodes: false, hasTotp: false };

test("offers the password only where there is no other factor", async () => {
  expect(await proofMethodsOf(db, me.userId)).toEqual(NOTHING);
  await addCodes();
  const [last, ...others] = await db.select().from(recoveryCodes).where(eq(recoveryCodes.userId, me.userId));
  for (const { digest } of others) await spendCode(digest);
  expect(await proofMethodsOf(db, me.userId)).toEqual({ ...NOTHING, hasCodes: true });
  await spendCode(last?.digest ?? "");
  expect(await proofMethodsOf(db, me.userId)).toEqual(NOTHING);
  await db.insert(totpSecrets).values({ userId: me.userId, sealedSecret: "", createdAt: 1 });
  expect(await proofMethodsOf(db, me.userId)).toEqual(NOTHING);
  await db.update(totpSecrets).set({ confirmedAt: 1 }).where(eq(totpSecrets.userId, me.userId));
  const withApp = { hasPassword: false, hasPasskeys: false, hasCodes: true, hasTotp: true };
  expect(await proofMethodsOf(db, me.userId)).toEqual(withApp);
  const { userId } = await storedSignIn();
  await addPasskey(userId);
  expect(await proofMethodsOf(db, userId)).toEqual({ ...NOTHING, hasPassword: false, hasPasskeys: true });
});

test("records a proof by the password in this session alone", async () => {
  expect(await submit({ intent: "password", password: "wrong" })).toEqual({
    status: 400,
    result: { intent: "password", ok: false, fieldErrors: { password: "Incorrect password." }, values: {} },
  });
  expect(await submit({ intent: "password", password: "" })).toMatchObject({
    status: 400,
    result: { ok: false, fieldErrors: { password: "Enter your current password" }, values: {} },
  });
  expect(await proofs()).toEqual([false, false]);
  expect(await submit({ password: PASSWORD })).toEqual({ status: 200, result: { intent: "password", ok: true } });
  expect(await proofs()).toEqual([true, false]);
  expect(await rowOf(me.sessionId)).toMatchObject({ secondFactorAt: null });
  expect(await events()).toMatchObject([DENIED]);
});

test("takes no password where the account has another factor", async () => {
  await addPasskey(me.userId);
  expect(await submit({ intent: "password", password: PASSWORD })).toEqual({
    status: 400,
    result: { intent: "password", ok: false, message: "Use a passkey or a code instead.", values: {} },
  });
  expect(await proofs()).toEqual([false, false]);
  expect(await events()).toMatchObject([DENIED]);
});

test("refuses the eleventh wrong password or code of a session, and not those of another one", async () => {
  for (let at = 0; at < 5; at++) await submit({ intent: "password", password: "wrong" });
  for (let at = 0; at < 5; at++) await submit({ intent: "code", code: "wrong" });
  await settle();
  const forms: Record<string, string>[] = [
    { intent: "password", password: PASSWORD },
    { intent: "code", code: "wrong" },
  ];
  for (const fields of forms) {
    const refused = await submit(fields);
    const message = "Too many attempts. Please try again in 15 minutes.";
    expect(refused).toMatchObject({ status: 429, result: { intent: fields.intent, ok: false, message, values: {} } });
    expect(Number(refused.headers?.["Retry-After"])).toBeGreaterThan(800);
  }
  expect(await proofs()).toEqual([false, false]);
  expect(await events()).toMatchObject([LIMITED, LIMITED, ...Array(10).fill(DENIED)]);
  expect((await submit({ password: PASSWORD }, second)).status).toBe(200);
});

test("records a proof by a recovery code, once, and tells how many are left", async () => {
  const [code = ""] = await addCodes();
  for (let at = 0; at < 9; at++) {
    expect(await submit({ intent: "code", code: "AAAA-BBBB" })).toEqual({
      status: 400,
      result: { intent: "code", ok: false, fieldErrors: { code: WRONG_CODE }, values: {} },
    });
  }
  expect(await submit({ intent: "code", code: " " })).toMatchObject({
    status: 400,
    result: { fieldErrors: { code: "Enter a code" } },
  });
  expect(await submit({ intent: "code", code: ` ${code} ` })).toEqual({
    status: 200,
    result: { intent: "code", ok: true },
  });
  expect(await proofs()).toEqual([true, false]);
  expect((await rowOf(me.sessionId)).secondFactorAt).toEqual(expect.any(Number));
  expect(await events()).toMatchObject([
    { kind: "recovery_code_used", detail: { left: "9" } },
    ...Array(9).fill(DENIED),
  ]);
  expect(await emailsTo(me.email)).toMatchObject([{ kind: "factor_notice" }]);
  // The right code cleared the count, and is used up.
  for (let at = 0; at < 10; at++) expect((await submit({ intent: "code", code })).status).toBe(400);
  expect((await submit({ intent: "code", code })).status).toBe(429);
});

test("records a proof by a code of an app, and refuses the sixth guess", async () => {
  const now = Date.now();
  const setup = await startTotpSetup(db, env, me, now);
  const totp = new TOTP({ secret: Secret.fromBase32(setup?.secret ?? "") });
  // Confirmed by the code of the step before, so that the present one is unused.
  expect(await confirmTotp(db, env, me, totp.generate({ timestamp: now - 30_000 }), now)).toBe(true);
  const code = totp.generate({ timestamp: now });
  expect((await submit({ intent: "code", code })).result).toEqual({ intent: "code", ok: true });
  expect(await proofs()).toEqual([true, false]);
  expect(await events()).toMatchObject([{ kind: "factor_used", detail: { factor: "Authenticator app" } }]);
  for (let at = 0; at < 5; at++) expect((await submit({ intent: "code", code }, second)).status).toBe(400);
  const refused = await submit({ intent: "code", code }, second);
  expect(refused.status).toBe(429);
  expect(Number(refused.headers?.["Retry-After"])).toBeGreaterThan(800);
  expect(await events()).toContainEqual(expect.objectContaining({ kind: "limited", detail: DENIED.detail }));
});

test("records a proof by a passkey made for this, and by no other response", async () => {
  const authenticator = await registered();
  for (const userId of [crypto.randomUUID(), me.userId]) {
    const { browser } = await browserOf(env, newVisit());
    const visit = newVisit({ passkeyBrowser: browser });
    const use = { purpose: "confirm", userId } as const;
    const { options, challengeId } = await passkeyOptions(context, visit, use, browser);
    const credential = await authenticator.authenticate(options, { origin: ORIGIN });
    const form = formOf({ intent: "passkey", challengeId, credential: JSON.stringify(credential) });
    const submitted = await submitVerifyForm(context, visit, me, form);
    if (userId !== me.userId) {
      expect(submitted).toMatchObject({ status: 400, result: { intent: "passkey", ok: false } });
      expect(await proofs()).toEqual([false, false]);
      expect(await events()).toMatchObject([DENIED]);
    } else expect(submitted).toEqual({ status: 200, result: { intent: "passkey", ok: true } });
  }
  expect(await proofs()).toEqual([true, false]);
  expect((await rowOf(me.sessionId)).secondFactorAt).toEqual(expect.any(Number));
  expect(await events()).toMatchObject([{ kind: "factor_used", detail: { factor: "Passkey" } }, DENIED]);
});

const TOKENS: [role: Role, isSecondFactor: boolean | null, secondFactorAt: number | null, code: string | null][] = [
  ["customer", null, null, null],
  ["customer", false, null, null],
  ["customer", true, null, "insufficient_aal"],
  ["customer", true, 1, null],
  ["agent", null, null, "insufficient_aal"],
  ["agent", true, 1, null],
];

test.for(TOKENS)("lets the token of a %s change factors, with a second step %s taken at %s: %s", async (row) => {
  const [role, isSecondFactor, secondFactorAt, code] = row;
  const account = await storedSignIn(role);
  if (isSecondFactor !== null) await addPasskey(account.userId, isSecondFactor);
  await db.update(authSessions).set({ secondFactorAt }).where(eq(authSessions.id, account.sessionId));
  const held = loadContext({ env: { ...env, STAFF_SECOND_FACTOR: "required" } });
  const request = await tokenRequest(account);
  for (const require of [requireTokenViewer, requireProvenTokenViewer]) {
    if (code === null) expect(await require(request, held)).toMatchObject({ userId: account.userId, role });
    else expect(await refusalOf(require(request, held))).toEqual([403, code]);
  }
  await db.update(authSessions).set({ verifiedAt: 0 }).where(eq(authSessions.id, account.sessionId));
  expect(await refusalOf(requireProvenTokenViewer(request, held))).toEqual(
    code === null ? [400, "reauthentication_needed"] : [403, code],
  );
  await db.update(authSessions).set({ revokedAt: 1 }).where(eq(authSessions.id, account.sessionId));
  expect(await refusalOf(requireTokenViewer(request, held))).toEqual([403, "session_not_found"]);
});

async function refusalOf(promise: Promise<unknown>): Promise<unknown> {
  const thrown = await promise.catch((error: unknown) => error);
  if (!(thrown instanceof Response)) return thrown;
  return [thrown.status, (await thrown.json<{ error_code: string }>()).error_code];
}

async function tokenRequest({ userId, sessionId, email }: SignedInAccount): Promise<Request> {
  const token = await signAccessToken(env.SESSION_SECRET, { userId, sessionId, email }, Date.now());
  return new Request(ORIGIN, { headers: { Authorization: `Bearer ${token}` } });
}

function submit(fields: Record<string, string>, sessionId = me.sessionId) {
  return submitVerifyForm(context, newVisit(), { userId: me.userId, sessionId }, formOf(fields));
}

function formOf(fields: Record<string, string>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries({ intent: "password", ...fields })) form.set(name, value);
  return form;
}

async function settle(): Promise<void> {
  await Promise.all(work);
}

async function events() {
  await settle();
  return listSecurityEvents(db, me.userId, { limit: 40 });
}

/** Returns whether my session and my other one have a recent proof. */
async function proofs(): Promise<boolean[]> {
  const rows = await Promise.all([me.sessionId, second].map(rowOf));
  return rows.map(({ verifiedAt }) => verifiedAt > 0);
}

async function rowOf(id: string) {
  const [row] = await db.select().from(authSessions).where(eq(authSessions.id, id));
  if (!row) throw new Error("no session");
  return row;
}

async function addCodes(): Promise<string[]> {
  const { codes, statements } = newRecoveryCodes(db, me);
  await db.batch(statements);
  return codes;
}

async function spendCode(digest: string): Promise<void> {
  await db.update(recoveryCodes).set({ usedAt: 1 }).where(eq(recoveryCodes.digest, digest));
}

async function addPasskey(userId: string, isSecondFactor = true): Promise<void> {
  const key = { id: crypto.randomUUID(), userId, publicKey: "", signCount: 0, name: "Key", createdAt: 1 };
  await db.insert(passkeys).values({ ...key, deviceType: "singleDevice", backedUp: false, isSecondFactor });
}

async function registered(): Promise<SoftwareAuthenticator> {
  const authenticator = await SoftwareAuthenticator.create();
  const { options, challengeId } = await registrationOptions(context, newVisit(), me, "b");
  const credential = await authenticator.register(options, { origin: ORIGIN });
  const passkey = { challengeId, credential, browser: "b", name: "Key", isSecondFactor: true, sessionId: me.sessionId };
  const made = await registerPasskey(context, newVisit(), me.userId, passkey);
  if (!made.ok) throw new Error(made.reason);
  return authenticator;
}
