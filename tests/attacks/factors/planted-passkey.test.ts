import { SELF } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { Secret, TOTP } from "otpauth";
import { expect, test } from "vitest";
import { makeEmailToken } from "#app/accounts/emails/email-tokens.server.ts";
import { factorsOf } from "#app/accounts/factors/factors.server.ts";
import { browserOf } from "#app/accounts/factors/passkey-challenges.server.ts";
import { passkeyOptions } from "#app/accounts/factors/passkey-check.server.ts";
import { registerPasskey, registrationOptions } from "#app/accounts/factors/passkeys.server.ts";
import { newRecoveryCodes } from "#app/accounts/factors/recovery-codes.server.ts";
import { confirmTotp, startTotpSetup } from "#app/accounts/factors/totp.server.ts";
import { resetPassword } from "#app/accounts/recovery/password-reset.server.ts";
import { logInByPasskey } from "#app/accounts/sign-in/second-step.server.ts";
import { passkeys, passwordResets, totpSecrets, users } from "#app/db/schema.server.ts";
import { programAccess } from "#app/orders/program-access.server.ts";
import { SoftwareAuthenticator } from "#tests/stand-ins/software-authenticator.ts";
import { db } from "#tests/workerd/customer.ts";
import { newAccount } from "#tests/workerd/new-account.ts";
import { newVisit } from "#tests/workerd/new-visit.ts";
import { inSession, ownerOf, signedIn } from "#tests/workerd/signed-in-account.ts";
import { loadContext } from "#tests/workerd/test-context.ts";

const ORIGIN = "https://growline.example";
const FIRST = "Confirm your email address first.";
const NO_FACTORS = { passkeys: [], hasTotp: false, recoveryCodesLeft: 0 };
const context = loadContext({ env: { ...env, PUBLIC_ORIGIN: ORIGIN } });

type Account = { userId: string; email: string };

test("cannot plant a passkey or an app in a sign-up with somebody else's address, which the owner then confirms", async () => {
  const stranger = await signedIn("customer", "Test Customer", null);
  await expect(plantPasskey(stranger)).rejects.toThrow("email_unconfirmed");
  expect(await startTotpSetup(db, env, stranger)).toBeNull();
  const refused = await submit("/account/two-step", { intent: "start-totp" }, stranger.cookie);
  expect([refused.status, await refused.text()]).toEqual([403, expect.stringContaining(FIRST)]);
  await db.update(users).set({ emailConfirmedAt: 1 }).where(eq(users.id, stranger.userId));
  await resetWith(stranger.userId);
  expect(await factorsOf(db, stranger.userId)).toEqual(NO_FACTORS);
});

test("shows an unconfirmed account how to confirm its address in place of the forms for factors", async () => {
  const { cookie } = await signedIn("customer", "Test Customer", null);
  const page = await SELF.fetch(`${ORIGIN}/account/two-step`, { headers: { Cookie: cookie } });
  const html = await page.text();
  expect(html).toContain(FIRST);
  expect(html).toContain('action="/account/verify-email"');
  expect(html).not.toContain("Add passkey");
  expect(html).not.toContain("start-totp");
});

test("confirms no app whose setup was stored before, while the address is unconfirmed", async () => {
  const { userId, email } = await newAccount();
  const owner = await ownerOf(userId);
  const setup = await startTotpSetup(db, env, { ...owner, email });
  await db.update(users).set({ emailConfirmedAt: null }).where(eq(users.id, userId));
  const code = new TOTP({ secret: Secret.fromBase32(setup?.secret ?? "") }).generate();
  expect(await confirmTotp(db, env, owner, code)).toBe(false);
});

test("a reset removes every factor of an unconfirmed account", async () => {
  const { userId } = await newAccount("customer", "Test Customer", null);
  await db.insert(totpSecrets).values({ userId, sealedSecret: "", createdAt: 1, confirmedAt: 1 });
  await db.batch(newRecoveryCodes(db, await ownerOf(userId)).statements);
  const key = { publicKey: "", signCount: 0, transports: "", name: "Planted", deviceType: "singleDevice" } as const;
  const flags = { backedUp: false, isSecondFactor: true };
  await db.insert(passkeys).values({ id: crypto.randomUUID(), userId, ...key, ...flags, createdAt: 1 });
  await resetWith(userId);
  expect(await factorsOf(db, userId)).toEqual(NO_FACTORS);
});

test("keeps the factors of an owner who resets the password of a confirmed address", async () => {
  const account = await newAccount();
  const own = await plantPasskey(account);
  await resetWith(account.userId);
  expect(await logInWith(own)).toMatchObject({ ok: true, userId: account.userId });
});

async function plantPasskey(account: Account): Promise<SoftwareAuthenticator> {
  const authenticator = await SoftwareAuthenticator.create();
  const { options, challengeId } = await registrationOptions(context, newVisit(), account, "b");
  const credential = await authenticator.register(options, { origin: ORIGIN });
  const passkey = { challengeId, credential, browser: "b", name: "Planted", isSecondFactor: false };
  const registered = await inSession(account.userId, ({ userId, sessionId }) =>
    registerPasskey(context, newVisit(), userId, { ...passkey, sessionId }),
  );
  if (!registered.ok) throw new Error(registered.reason);
  return authenticator;
}

async function logInWith(authenticator: SoftwareAuthenticator) {
  const { browser } = await browserOf(env, newVisit());
  const { options, challengeId } = await passkeyOptions(context, newVisit(), { purpose: "log_in" }, browser);
  const credential = await authenticator.authenticate(options, { origin: ORIGIN });
  return logInByPasskey(context, newVisit(), { challengeId, credential, browser });
}

/** Resets the password as whoever opens the emailed link. */
async function resetWith(userId: string): Promise<void> {
  const { token, digest } = makeEmailToken();
  await db.insert(passwordResets).values({ tokenDigest: digest, userId, expiresAt: Date.now() + 60_000 });
  const access = programAccess(db, env);
  const reset = await resetPassword(context, newVisit(), { token, password: "another good password" }, access);
  expect(reset).toEqual({ ok: true });
}

function submit(path: string, form: Record<string, string>, cookie: string): Promise<Response> {
  const headers = { Origin: ORIGIN, Host: new URL(ORIGIN).host, Cookie: cookie };
  return SELF.fetch(ORIGIN + path, { method: "POST", headers, body: new URLSearchParams(form), redirect: "manual" });
}
