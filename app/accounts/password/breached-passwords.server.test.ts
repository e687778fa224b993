import { env } from "cloudflare:workers";
import { createHash } from "node:crypto";
import bcrypt from "bcryptjs";
import { expect, inject, test } from "vitest";
import { storeLegacyAccounts } from "#app/accounts/legacy/legacy-import.server.ts";
import { changePassword } from "#app/accounts/profile/profile.server.ts";
import { resetPassword } from "#app/accounts/recovery/password-reset.server.ts";
import { logIn, signUp } from "#app/accounts/sign-in/sign-in.server.ts";
import { connect } from "#app/db/db.server.ts";
import { passwordResets } from "#app/db/schema.server.ts";
import { programAccess } from "#app/orders/program-access.server.ts";
import { withoutDispatcher } from "#tests/workerd/email-api.ts";
import { newAccount, PASSWORD } from "#tests/workerd/new-account.ts";
import { newVisit } from "#tests/workerd/new-visit.ts";
import { startSession } from "#tests/workerd/signed-in-account.ts";
import { loadContext } from "#tests/workerd/test-context.ts";
import { isBreachedPassword } from "./breached-passwords.server.ts";

/** In the list of tools/stand-ins/breached-passwords.ts. */
const BREACHED = "correcthorsebatterystaple";
const TEXT = "This password appears in lists of leaked passwords. Choose another one.";
const db = connect(env.DB);
const { url } = inject("breachedPasswords");
const context = loadContext({ env: { ...withoutDispatcher(env), PWNED_PASSWORDS_URL: url } });
const access = programAccess(db, env);

test("refuses a leaked password at sign-up, at a change and at a reset", async () => {
  const email = `${crypto.randomUUID()}@test.example`;
  expect(await signUp(context, newVisit(), { email, password: BREACHED, fullName: "" })).toMatchObject({
    status: 422,
    code: "weak_password",
    field: "password",
    text: TEXT,
    weakPassword: { reasons: ["pwned"] },
  });
  const { userId, ...account } = await newAccount();
  const viewer = { userId, email: account.email, sessionId: await startSession(db, { userId }) };
  const refused = { ok: false, reason: "breached_password" };
  expect(await changePassword(context, newVisit(), viewer, { current: PASSWORD, next: BREACHED })).toEqual(refused);

  const tokenDigest = createHash("sha256").update("a token").digest("hex");
  await db.insert(passwordResets).values({ tokenDigest, userId, expiresAt: Date.now() + 60_000 });
  expect(await resetPassword(context, newVisit(), { token: "a token", password: BREACHED }, access)).toEqual(refused);
  // The link still works for another password.
  const reset = await resetPassword(context, newVisit(), { token: "a token", password: "a long password" }, access);
  expect(reset).toEqual({ ok: true });
});

test("does not keep an account with a leaked legacy password from logging in", async () => {
  const email = `${crypto.randomUUID()}@test.example`;
  const hash = await bcrypt.hash(BREACHED, 4);
  await storeLegacyAccounts(env.DB, [{ id: crypto.randomUUID(), email, hash, fullName: "", createdAt: 1 }]);
  expect(await logIn(context, newVisit(), { email, password: BREACHED })).toMatchObject({ ok: true });
});

test("sends the first five characters of the SHA-1 and nothing else of the password", async () => {
  const password = `${crypto.randomUUID()} a secret`;
  const digest = createHash("sha1").update(password).digest("hex").toUpperCase();
  expect(await isBreachedPassword({ PWNED_PASSWORDS_URL: url }, password)).toBe(false);
  const requests: string[] = await (await fetch(`${url}/requests`)).json();
  expect(requests).toContain(`/range/${digest.slice(0, 5)}`);
  for (const path of requests) expect(path).toMatch(/^(\/\w+)?\/range\/[0-9A-F]{5}$/);
});

test("ignores the padding of a range", async () => {
  const prefix = createHash("sha1").update("0").digest("hex").slice(0, 5).toUpperCase();
  const range = await (await fetch(`${url}/range/${prefix}`, { headers: { "Add-Padding": "true" } })).text();
  expect(range.split("\r\n")).toHaveLength(800);
  expect(range).toMatch(/^[0-9A-F]{35}:0\r\n/);
});

test("accepts the password when the service is off, fails, redirects or never ends", async () => {
  for (const PWNED_PASSWORDS_URL of ["", `${url}/failing`, `${url}/moved`, `${url}/endless`, "http://127.0.0.1:1"]) {
    expect(await isBreachedPassword({ PWNED_PASSWORDS_URL }, BREACHED), PWNED_PASSWORDS_URL).toBe(false);
  }
  expect(await isBreachedPassword({ PWNED_PASSWORDS_URL: url }, BREACHED)).toBe(true);
});

test("refuses a common password even when the service fails, and one made of the owner's name", async () => {
  const offline = { ...context, env: { ...context.env, PWNED_PASSWORDS_URL: `${url}/failing` } };
  const refusal = async (password: string) => {
    const made = await signUp(offline, newVisit(), { email: "ada@test.example", password, fullName: "Ada Lovelace" });
    return made.ok ? null : made.text;
  };
  expect(await refusal("Trustno1")).toBe("This password is too common. Choose another one.");
  expect(await refusal("L0ve1ace99")).toBe(
    'This password is mostly your name, your email address or "Growline". Choose another one.',
  );
});
