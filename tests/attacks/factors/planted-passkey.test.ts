import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { makeEmailToken } from "#app/accounts/emails/email-tokens.server.ts";
import { factorsOf } from "#app/accounts/factors/factors.server.ts";
import { browserOf } from "#app/accounts/factors/passkey-challenges.server.ts";
import { passkeyOptions } from "#app/accounts/factors/passkey-check.server.ts";
import { registerPasskey, registrationOptions } from "#app/accounts/factors/passkeys.server.ts";
import { newRecoveryCodes } from "#app/accounts/factors/recovery-codes.server.ts";
import { resetPassword } from "#app/accounts/recovery/password-reset.server.ts";
import { logInByPasskey } from "#app/accounts/sign-in/second-step.server.ts";
import { signUp } from "#app/accounts/sign-in/sign-in.server.ts";
import { passwordResets, totpSecrets } from "#app/db/schema.server.ts";
import { programAccess } from "#app/orders/program-access.server.ts";
import { SoftwareAuthenticator } from "#tests/stand-ins/software-authenticator.ts";
import { db } from "#tests/workerd/customer.ts";
import { newAccount, PASSWORD } from "#tests/workerd/new-account.ts";
import { loadContext } from "#tests/workerd/test-context.ts";

const ORIGIN = "https://growline.example";
const context = loadContext({ env: { ...env, PUBLIC_ORIGIN: ORIGIN } });

type Account = { userId: string; email: string };

test("cannot log in by a passkey that a stranger planted in an unverified sign-up with the owner's address", async () => {
  const email = `${crypto.randomUUID()}@test.example`;
  const made = await signUp(context, post(), { email, password: PASSWORD, fullName: "" });
  if (!made.ok) throw new Error(made.text);
  const planted = await plantPasskey({ userId: made.userId, email });
  await db.insert(totpSecrets).values({ userId: made.userId, sealedSecret: "", createdAt: 1, confirmedAt: 1 });
  await db.batch(newRecoveryCodes(db, made.userId).statements);
  await resetWith(made.userId);
  expect(await logInWith(planted)).toMatchObject({ ok: false });
  expect(await factorsOf(db, made.userId)).toEqual({ passkeys: [], hasTotp: false, recoveryCodesLeft: 0 });
});

test("keeps the factors of an owner who resets the password of a confirmed address", async () => {
  const account = await newAccount();
  const own = await plantPasskey(account);
  await resetWith(account.userId);
  expect(await logInWith(own)).toMatchObject({ ok: true, userId: account.userId });
});

async function plantPasskey(account: Account): Promise<SoftwareAuthenticator> {
  const authenticator = await SoftwareAuthenticator.create();
  const { options, challengeId } = await registrationOptions(context, post(), account, "b");
  const credential = await authenticator.register(options, { origin: ORIGIN });
  const passkey = { challengeId, credential, browser: "b", name: "Planted", isSecondFactor: false };
  const registered = await registerPasskey(context, post(), account.userId, passkey);
  if (!registered.ok) throw new Error(registered.reason);
  return authenticator;
}

async function logInWith(authenticator: SoftwareAuthenticator) {
  const { browser, cookie } = await browserOf(env, post());
  const request = new Request(`${ORIGIN}/auth/login`, { headers: { Cookie: cookie.split(";")[0] ?? "" } });
  const { options, challengeId } = await passkeyOptions(context, request, { purpose: "log_in" }, browser);
  const credential = await authenticator.authenticate(options, { origin: ORIGIN });
  return logInByPasskey(context, request, { challengeId, credential }, browser);
}

/** Resets the password as whoever opens the emailed link. */
async function resetWith(userId: string): Promise<void> {
  const { token, digest } = makeEmailToken();
  await db.insert(passwordResets).values({ tokenDigest: digest, userId, expiresAt: Date.now() + 60_000 });
  const access = programAccess(db, env);
  const reset = await resetPassword(context, post(), { token, password: "another good password" }, access);
  expect(reset).toEqual({ ok: true });
}

function post(): Request {
  return new Request(`${ORIGIN}/any`, { method: "POST" });
}
