import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { passkeys, users } from "#app/db/schema.server.ts";
import { type Signing, SoftwareAuthenticator } from "#tests/stand-ins/software-authenticator.ts";
import { db } from "#tests/workerd/customer.ts";
import { newAccount } from "#tests/workerd/new-account.ts";
import { factorsOf } from "./factors.server.ts";
import { CHALLENGE_MS } from "./passkey-challenges.server.ts";
import { checkPasskey, passkeyOptions } from "./passkey-check.server.ts";
import { changePasskey, MAX_PASSKEYS, registerPasskey, registrationOptions } from "./passkeys.server.ts";

const ORIGIN = "https://growline.example";
const request = new Request(`${ORIGIN}/auth/login`);
const context = { db, env: { ...env, PUBLIC_ORIGIN: ORIGIN } };
const BROWSER = "this browser";

test("registers a passkey and logs in with it, without naming the account", async () => {
  const account = await newAccount();
  const authenticator = await registered(account, { name: "Phone" });
  expect((await factorsOf(db, account.userId)).passkeys).toMatchObject([
    { id: authenticator.id, name: "Phone", isSynced: false, isSecondFactor: true, lastUsedAt: null },
  ]);
  const { options } = await passkeyOptions(context, request, { purpose: "log_in" }, BROWSER);
  expect(options).toMatchObject({ rpId: "growline.example", userVerification: "required" });
  expect(options.allowCredentials).toBeUndefined();
  const expected = { ok: true, userId: account.userId, passkeyId: authenticator.id };
  expect(await logIn(authenticator)).toEqual(expected);
  expect((await factorsOf(db, account.userId)).passkeys[0]?.lastUsedAt).toEqual(expect.any(Number));
});

test.each<[string, Partial<Signing>]>([
  ["another origin", { origin: "https://growline.example.evil.example" }],
  ["another port", { origin: "https://growline.example:8443" }],
  ["another relying party", { rpId: "evil.example" }],
  ["another challenge", { challenge: "AAAA" }],
  ["no user verification", { isUserVerified: false }],
  ["another account's user handle", { userHandle: Buffer.from("somebody else").toString("base64url") }],
])("refuses a log-in with %s", async (_name, signing) => {
  const authenticator = await registered(await newAccount());
  expect(await logIn(authenticator, signing)).toEqual({ ok: false, reason: "refused" });
  expect(await logIn(authenticator)).toMatchObject({ ok: true });
});

test.each<[string, Partial<Signing>]>([
  ["another origin", { origin: "https://evil.example" }],
  ["another relying party", { rpId: "evil.example" }],
  ["another challenge", { challenge: "AAAA" }],
  ["no user verification", { isUserVerified: false }],
])("registers no passkey with %s", async (_name, signing) => {
  const account = await newAccount();
  expect(await register(account, await SoftwareAuthenticator.create(), {}, signing)).toEqual({
    ok: false,
    reason: "refused",
  });
  expect((await factorsOf(db, account.userId)).passkeys).toEqual([]);
});

test("refuses a signature of another key, and a response that is not one", async () => {
  const authenticator = await registered(await newAccount());
  const { options, challengeId } = await passkeyOptions(context, request, { purpose: "log_in" }, BROWSER);
  const real = await authenticator.authenticate(options, { origin: ORIGIN });
  const other = await (await SoftwareAuthenticator.create()).authenticate(options, { origin: ORIGIN });
  const forged = { ...real, response: { ...real.response, signature: other.response.signature } };
  for (const credential of [forged, null, "x", {}, { ...real, id: 7 }, { ...real, response: {} }]) {
    const checked = await checkPasskey(
      context,
      request,
      { purpose: "log_in" },
      { challengeId, credential, browser: BROWSER },
    );
    expect(checked).toEqual({ ok: false, reason: "refused" });
  }
});

test("takes a challenge once, of ten parallel responses too", async () => {
  const authenticator = await registered(await newAccount());
  const { options, challengeId } = await passkeyOptions(context, request, { purpose: "log_in" }, BROWSER);
  const credential = await authenticator.authenticate(options, { origin: ORIGIN });
  const check = () =>
    checkPasskey(context, request, { purpose: "log_in" }, { challengeId, credential, browser: BROWSER });
  const checked = await Promise.all(Array.from({ length: 10 }, check));
  expect(checked.filter(({ ok }) => ok)).toHaveLength(1);
  expect(await check()).toEqual({ ok: false, reason: "expired" });
});

test("refuses a challenge of another browser, another use or another account, and one that has expired", async () => {
  const [account, other] = [await newAccount(), await newAccount()];
  const authenticator = await registered(account);
  const use = { purpose: "second_step", userId: account.userId } as const;
  const { options, challengeId } = await passkeyOptions(context, request, use, BROWSER);
  expect(options.allowCredentials).toMatchObject([{ id: authenticator.id, transports: ["internal"] }]);
  const credential = await authenticator.authenticate(options, { origin: ORIGIN });
  const sent = { challengeId, credential, browser: BROWSER };
  const expired = { ok: false, reason: "expired" };
  expect(await checkPasskey(context, request, use, { ...sent, browser: "" })).toEqual(expired);
  expect(await checkPasskey(context, request, use, { ...sent, browser: "another" })).toEqual(expired);
  expect(await checkPasskey(context, request, use, { ...sent, challengeId: `${challengeId}x` })).toEqual(expired);
  expect(await checkPasskey(context, request, { purpose: "log_in" }, sent)).toEqual(expired);
  expect(await checkPasskey(context, request, { ...use, purpose: "confirm" }, sent)).toEqual(expired);
  expect(await checkPasskey(context, request, { ...use, userId: other.userId }, sent)).toEqual(expired);
  expect(await checkPasskey(context, request, use, sent, Date.now() + CHALLENGE_MS + 1000)).toEqual(expired);
  expect(await checkPasskey(context, request, use, sent)).toMatchObject({ ok: true, userId: account.userId });
});

test("refuses another account's passkey as a second step, and an unknown one", async () => {
  const [account, other] = [await newAccount(), await newAccount()];
  const theirs = await registered(other);
  const use = { purpose: "second_step", userId: account.userId } as const;
  const { options, challengeId } = await passkeyOptions(context, request, use, BROWSER);
  for (const authenticator of [theirs, await SoftwareAuthenticator.create()]) {
    const credential = await authenticator.authenticate(options, { origin: ORIGIN });
    expect(await checkPasskey(context, request, use, { challengeId, credential, browser: BROWSER })).toEqual({
      ok: false,
      reason: "unknown_passkey",
    });
  }
});

test("refuses a sign count that did not rise, unless the passkey is synced", async () => {
  const onDevice = await registered(await newAccount());
  expect(await logIn(onDevice, { counter: 5 })).toMatchObject({ ok: true });
  for (const counter of [5, 4, 0]) expect(await logIn(onDevice, { counter })).toEqual({ ok: false, reason: "refused" });
  expect(await logIn(onDevice, { counter: 6 })).toMatchObject({ ok: true });
  const synced = await registered(await newAccount(), {}, { isSynced: true });
  for (const counter of [5, 3, 0]) expect(await logIn(synced, { counter })).toMatchObject({ ok: true });
});

test("refuses the passkey of an account that is being deleted", async () => {
  const account = await newAccount();
  const authenticator = await registered(account);
  await db.update(users).set({ passwordHash: null }).where(eq(users.id, account.userId));
  expect(await logIn(authenticator)).toEqual({ ok: false, reason: "unknown_passkey" });
});

test("keeps a passkey with its first account", async () => {
  const [account, other] = [await newAccount(), await newAccount()];
  const authenticator = await registered(account);
  expect(await register(other, authenticator)).toEqual({ ok: false, reason: "already_registered" });
  const userHandle = Buffer.from(account.userId).toString("base64url");
  expect(await logIn(authenticator, { userHandle })).toMatchObject({ userId: account.userId });
});

test("stores 20 passkeys at most, in parallel too", async () => {
  const account = await newAccount();
  const row = { userId: account.userId, publicKey: "", signCount: 0, name: "", createdAt: 1 };
  const flags = { deviceType: "singleDevice", backedUp: false, isSecondFactor: false } as const;
  for (let i = 0; i < MAX_PASSKEYS - 1; i++)
    await db.insert(passkeys).values({ ...row, ...flags, id: crypto.randomUUID() });
  const attempts = Array.from({ length: 3 }, async () => register(account, await SoftwareAuthenticator.create()));
  const results = await Promise.all(attempts);
  expect(results.filter(({ ok }) => ok)).toHaveLength(1);
  expect(results.filter((result) => !result.ok && result.reason === "too_many_passkeys")).toHaveLength(2);
});

test("changes the owner's passkey only", async () => {
  const [account, other] = [await newAccount(), await newAccount()];
  const { id } = await registered(account);
  const change = { name: "Key", isSecondFactor: false };
  expect(await changePasskey(db, other.userId, id, change)).toBe(false);
  expect(await changePasskey(db, account.userId, id, change)).toBe(true);
  expect((await factorsOf(db, account.userId)).passkeys).toMatchObject([change]);
});

type Account = { userId: string; email: string };

async function register(
  account: Account,
  authenticator: SoftwareAuthenticator,
  { name = "Passkey", isSecondFactor = true } = {},
  signing: Partial<Signing> = {},
) {
  const { options, challengeId } = await registrationOptions(context, request, account, BROWSER);
  const credential = await authenticator.register(options, { origin: ORIGIN, ...signing });
  const passkey = { challengeId, credential, browser: BROWSER, name, isSecondFactor };
  return registerPasskey(context, request, account.userId, passkey);
}

async function registered(
  account: Account,
  given: { name?: string; isSecondFactor?: boolean } = {},
  kind: { isSynced?: boolean } = {},
): Promise<SoftwareAuthenticator> {
  const authenticator = await SoftwareAuthenticator.create(kind);
  const result = await register(account, authenticator, given);
  if (!result.ok) throw new Error(result.reason);
  return authenticator;
}

async function logIn(authenticator: SoftwareAuthenticator, signing: Partial<Signing> = {}) {
  const { options, challengeId } = await passkeyOptions(context, request, { purpose: "log_in" }, BROWSER);
  const credential = await authenticator.authenticate(options, { origin: ORIGIN, ...signing });
  return checkPasskey(context, request, { purpose: "log_in" }, { challengeId, credential, browser: BROWSER });
}
