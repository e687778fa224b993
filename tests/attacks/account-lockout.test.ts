import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { startDeletion } from "#app/accounts/deletion/start-deletion.server.ts";
import { knownDevice, rememberDevice } from "#app/accounts/devices/known-devices.server.ts";
import { requestEmailChange } from "#app/accounts/email-address/email-change.server.ts";
import { browserOf } from "#app/accounts/factors/passkey-challenges.server.ts";
import { passkeyOptions } from "#app/accounts/factors/passkey-check.server.ts";
import { registerPasskey, registrationOptions } from "#app/accounts/factors/passkeys.server.ts";
import { limitAttempts } from "#app/accounts/password/attempts.server.ts";
import { MAX_WAITING_PER_ADDRESS } from "#app/accounts/password/hash-queue.server.ts";
import { changePassword } from "#app/accounts/profile/profile.server.ts";
import { requestReset, resetPassword } from "#app/accounts/recovery/password-reset.server.ts";
import { logInByPasskey } from "#app/accounts/sign-in/second-step.server.ts";
import { logIn } from "#app/accounts/sign-in/sign-in.server.ts";
import { readVisit, type Visit } from "#app/accounts/visit/visit.server.ts";
import { sha256 } from "#app/crypto/sha256.server.ts";
import { connect } from "#app/db/db.server.ts";
import { rateLimits } from "#app/db/schema.server.ts";
import { newEmailMemory } from "#app/email/email-pace.ts";
import { runEmailQueue } from "#app/email/email-queue.server.ts";
import type { Email } from "#app/email/send-email.server.ts";
import { programAccess } from "#app/orders/program-access.server.ts";
import { SoftwareAuthenticator } from "#tests/stand-ins/software-authenticator.ts";
import { withoutDispatcher } from "#tests/workerd/email-api.ts";
import { newAccount, PASSWORD } from "#tests/workerd/new-account.ts";
import { newVisit } from "#tests/workerd/new-visit.ts";
import { inSession, startSession } from "#tests/workerd/signed-in-account.ts";
import { loadContext } from "#tests/workerd/test-context.ts";

const db = connect(env.DB);
const context = loadContext({ env: withoutDispatcher(env) });
const ORIGIN = "https://growline.example";
const BROWSER = "this browser";
const OWNER = "203.0.113.1";
const NEXT = "another good password";

test("cannot lock the owner out by 100 wrong passwords from one other address", async () => {
  const { email } = await newAccount();
  expect(await guess(email, "198.51.100.1", 100)).toEqual({ wrong: 10, refused: 90 });
  expect(await logIn(context, from(OWNER), { email, password: PASSWORD })).toMatchObject({ ok: true });
});

test("cannot keep a signed-in owner from changing the password, the address or deleting the account", async () => {
  const { userId, email } = await newAccount();
  const viewer = { userId, email, sessionId: await startSession(db, { userId }) };
  // Even from the owner's own network.
  await guess(email, OWNER, 12);
  const newEmail = `${crypto.randomUUID()}@test.example`;
  const owner = from(OWNER);
  expect(await requestEmailChange(context, owner, viewer, { newEmail, password: PASSWORD })).toEqual({ ok: true });
  expect(await changePassword(context, owner, viewer, { current: PASSWORD, next: NEXT })).toEqual({ ok: true });
  expect(await startDeletion(context, owner, viewer, NEXT)).toEqual({ ok: true });
});

test("cannot guess the password with a stolen session more than ten times", async () => {
  const { userId, email } = await newAccount();
  const stolen = { userId, email, sessionId: await startSession(db, { userId }) };
  const own = { ...stolen, sessionId: await startSession(db, { userId }) };
  const guesses = await inTurn(12, () => startDeletion(context, from("198.51.100.2"), stolen, "wrong"));
  expect(guesses.filter((guessed) => !guessed.ok && guessed.reason === "wrong_password")).toHaveLength(10);
  expect(guesses.at(-1)).toMatchObject({ reason: "too_many", status: 429 });
  expect(await startDeletion(context, from(OWNER), own, PASSWORD)).toEqual({ ok: true });
});

test("cannot guess one account's password from many addresses more than 100 times an hour", async () => {
  const account = `${crypto.randomUUID()}@test.example`;
  await useUp(account, 80);
  const guesses = Array.from({ length: 45 }, (_, at) =>
    limitAttempts(context, from(`198.51.100.${at % 15}`), "sign_in", { account }),
  );
  expect((await Promise.all(guesses)).filter(({ ok }) => ok)).toHaveLength(20);
});

test("cannot make the database write from an address over the outer limit by a cookie that names a device", async () => {
  // Anybody gets signed ids, for challenges, and a signature doesn't tell which cookie it was made for.
  const { cookie } = await browserOf(env, from(OWNER));
  const device = cookie.split(";")[0]?.replace("growline_passkey", "growline_device") ?? "";
  const withCookie = (network: string) =>
    readVisit(
      context,
      new Request(`${ORIGIN}/auth/login`, { headers: { "CF-Connecting-IP": network, Cookie: device } }),
    );
  const own = await newAccount();
  expect(await logIn(context, await withCookie(OWNER), { email: own.email, password: PASSWORD })).toMatchObject({
    ok: true,
  });
  expect(await knownDevice(db, await withCookie(OWNER), own)).not.toBeNull();
  const [address, before] = ["198.51.100.90", await db.$count(rateLimits)];
  const AUTH_RATE_LIMIT = { limit: async ({ key }: { key: string }) => ({ success: key !== address }) };
  const flooded = loadContext({ env: { ...context.env, AUTH_RATE_LIMIT } });
  for (const email of [`${crypto.randomUUID()}@test.example`, (await newAccount()).email]) {
    expect(await logIn(flooded, await withCookie(address), { email, password: PASSWORD })).toMatchObject({
      status: 429,
    });
    expect(await requestReset(flooded, await withCookie(address), email)).toMatchObject({ status: 429 });
  }
  expect(await db.$count(rateLimits)).toBe(before);
  const owner = { email: own.email, password: PASSWORD };
  expect(await logIn(flooded, await withCookie(address), owner)).toMatchObject({ ok: true });
});

test("cannot keep the owner's known device or passkey out by using up all attempts of the account", async () => {
  const account = await newAccount();
  const { email, userId } = account;
  const deviceId = "the owner's device";
  await db.batch(rememberDevice(db, userId, sha256(deviceId), Date.now()));
  const passkey = await passkeyOf(account);
  await useUp(email, 100);
  const owner = { email, password: PASSWORD };
  expect(await logIn(context, from("192.0.2.1"), owner)).toMatchObject({ ok: false, status: 429 });
  expect(await logIn(context, from("192.0.2.1", deviceId), owner)).toMatchObject({ ok: true, userId });
  const { options, challengeId } = await passkeyOptions(context, from(OWNER), { purpose: "log_in" }, BROWSER);
  const credential = await passkey.authenticate(options, { origin: ORIGIN });
  const proof = { challengeId, credential, browser: BROWSER };
  expect(await logInByPasskey(context, from("192.0.2.1"), proof)).toMatchObject({ ok: true, userId });
});

test("cannot invalidate the reset link that the owner has asked for", async () => {
  const { email, userId } = await newAccount();
  const mailbox = mailboxOf();
  await requestReset(mailbox.context, from(OWNER), email);
  expect(await mailbox.tokens(email)).toHaveLength(1);
  await requestReset(mailbox.context, from("198.51.100.3"), email);
  const [first = "", second = ""] = await mailbox.tokens(email);
  expect(await resetPassword(context, from(OWNER), { token: first, password: NEXT }, programAccess(db, env))).toEqual({
    ok: true,
  });
  expect(await logIn(context, from(OWNER), { email, password: NEXT })).toMatchObject({ ok: true, userId });
  const again = await resetPassword(
    context,
    from(OWNER),
    { token: second, password: PASSWORD },
    programAccess(db, env),
  );
  expect(again).toEqual({ ok: false, reason: "link_expired" });
});

test("cannot fill the owner's mailbox with reset links, nor have the owner's own request refused", async () => {
  const { userId, email } = await newAccount();
  const mailbox = mailboxOf();
  const flood = await Promise.all(
    Array.from({ length: 30 }, (_, at) => requestReset(mailbox.context, from(`198.51.100.${at}`), email)),
  );
  expect(flood.every(({ ok }) => ok)).toBe(true);
  expect(await requestReset(mailbox.context, from(OWNER), email)).toEqual({ ok: true });
  expect(await mailbox.tokens(email)).toHaveLength(3);
  // The owner's known device gets another link.
  const deviceId = "the owner's device";
  await db.batch(rememberDevice(db, userId, sha256(deviceId), Date.now()));
  expect(await requestReset(mailbox.context, from(OWNER, deviceId), email)).toEqual({ ok: true });
  const tokens = await mailbox.tokens(email);
  expect(tokens).toHaveLength(4);
  const token = tokens.at(-1) ?? "";
  expect(await resetPassword(context, from(OWNER), { token, password: NEXT }, programAccess(db, env))).toEqual({
    ok: true,
  });
});

/** Sends `count` wrong passwords, as many at once as may wait for their hash, and counts the replies. */
async function guess(email: string, address: string, count: number): Promise<{ wrong: number; refused: number }> {
  const replies: Awaited<ReturnType<typeof logIn>>[] = [];
  while (replies.length < count) {
    const wrong = Array.from({ length: Math.min(MAX_WAITING_PER_ADDRESS, count - replies.length) }, () =>
      logIn(context, from(address), { email, password: "wrong" }),
    );
    replies.push(...(await Promise.all(wrong)));
  }
  const having = (code: string) => replies.filter((reply) => !reply.ok && reply.code === code).length;
  return { wrong: having("invalid_credentials"), refused: having("over_request_rate_limit") };
}

/** Counts as many failures of the account as if they had come from other addresses. */
async function useUp(account: string, count: number): Promise<void> {
  await limitAttempts(context, from("192.0.2.100"), "sign_in", { account });
  const ofAccount = eq(rateLimits.key, `sign_in:account:${sha256(account)}`);
  expect(await db.update(rateLimits).set({ count }).where(ofAccount).returning()).toHaveLength(1);
}

async function inTurn<T>(count: number, run: () => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  for (let at = 0; at < count; at++) results.push(await run());
  return results;
}

/** A context whose emails are collected. `tokens` sends what is queued and returns the tokens of the links to `email`. */
function mailboxOf() {
  const sent: Email[] = [];
  const EMAIL = { send: async (mail: Email) => void sent.push(mail) } as unknown as SendEmail;
  const mailContext = loadContext({ env: { ...withoutDispatcher(env), EMAIL } });
  return {
    context: mailContext,
    async tokens(email: string): Promise<string[]> {
      await runEmailQueue(db, mailContext.env, newEmailMemory());
      const links = sent.filter(({ to }) => to === email).map(({ text }) => /token=([\w-]{43})/.exec(text)?.[1]);
      return links.filter((token) => token !== undefined);
    },
  };
}

/** Registers a passkey that logs in without a password and is no second factor. */
async function passkeyOf(account: { userId: string; email: string }): Promise<SoftwareAuthenticator> {
  const passkey = await SoftwareAuthenticator.create();
  const { options, challengeId } = await registrationOptions(context, from(OWNER), account, BROWSER);
  const credential = await passkey.register(options, { origin: ORIGIN });
  const registration = { challengeId, credential, browser: BROWSER, name: "Key", isSecondFactor: false };
  const result = await inSession(account.userId, ({ userId, sessionId }) =>
    registerPasskey(context, from(OWNER), userId, { ...registration, sessionId }),
  );
  expect(result).toMatchObject({ ok: true });
  return passkey;
}

function from(network: string, deviceId: string | null = null): Visit {
  return newVisit({ network, deviceId });
}
