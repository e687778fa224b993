import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { authSessions, passkeys, users } from "#app/db/schema.server.ts";
import { type Signing, SoftwareAuthenticator } from "#tests/stand-ins/software-authenticator.ts";
import { db } from "#tests/workerd/customer.ts";
import { accountWithoutPassword } from "#tests/workerd/new-account.ts";
import { newVisit } from "#tests/workerd/new-visit.ts";
import { ownerOf, startSession } from "#tests/workerd/signed-in-account.ts";
import { factorsOf } from "./factors.server.ts";
import { browserOf, CHALLENGE_MS, makeChallenge, readChallenge } from "./passkey-challenges.server.ts";
import { checkPasskey, descriptorsOf, passkeyOptions } from "./passkey-check.server.ts";
import { changePasskey, registerPasskey, registrationOptions } from "./passkeys.server.ts";

const ORIGIN = "https://growline.example";
const visit = newVisit();
const context = { db, env: { ...env, PUBLIC_ORIGIN: ORIGIN } };
const BROWSER = "this browser";

test("registers a passkey and logs in with it, without naming the account", async () => {
  const account = await newAccount();
  const authenticator = await registered(account, { name: "Phone" });
  expect((await factorsOf(db, account.userId)).passkeys).toMatchObject([
    { id: authenticator.id, name: "Phone", isSynced: false, isSecondFactor: true, lastUsedAt: null },
  ]);
  const { options } = await passkeyOptions(context, visit, { purpose: "log_in" }, BROWSER);
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

test("registers no passkey from a response that is not one", async () => {
  const account = await newAccount();
  const { challengeId } = await registrationOptions(context, visit, account, BROWSER);
  for (const credential of [null, "x", {}]) {
    const { sessionId } = account;
    const passkey = { challengeId, credential, browser: BROWSER, name: "", isSecondFactor: true, sessionId };
    const refused = { ok: false, reason: "refused" };
    expect(await registerPasskey(context, visit, account.userId, passkey)).toEqual(refused);
  }
});

test("refuses a signature of another key, and a response that is not one", async () => {
  const authenticator = await registered(await newAccount());
  const { options, challengeId } = await passkeyOptions(context, visit, { purpose: "log_in" }, BROWSER);
  const real = await authenticator.authenticate(options, { origin: ORIGIN });
  const other = await (await SoftwareAuthenticator.create()).authenticate(options, { origin: ORIGIN });
  const forged = { ...real, response: { ...real.response, signature: other.response.signature } };
  for (const credential of [forged, null, "x", {}, { ...real, id: 7 }, { ...real, response: {} }]) {
    const checked = await checkPasskey(
      context,
      visit,
      { purpose: "log_in" },
      { challengeId, credential, browser: BROWSER },
    );
    expect(checked).toEqual({ ok: false, reason: "refused" });
  }
});

test("takes a challenge once, of ten parallel responses too", async () => {
  const authenticator = await registered(await newAccount());
  const { options, challengeId } = await passkeyOptions(context, visit, { purpose: "log_in" }, BROWSER);
  const credential = await authenticator.authenticate(options, { origin: ORIGIN });
  const check = () =>
    checkPasskey(context, visit, { purpose: "log_in" }, { challengeId, credential, browser: BROWSER });
  const checked = await Promise.all(Array.from({ length: 10 }, check));
  expect(checked.filter(({ ok }) => ok)).toHaveLength(1);
  expect(await check()).toEqual({ ok: false, reason: "expired" });
});

test("refuses a challenge of another browser, another use or another account, and one that has expired", async () => {
  const [account, other] = [await newAccount(), await newAccount()];
  const authenticator = await registered(account);
  const use = { purpose: "second_step", userId: account.userId } as const;
  const { options, challengeId } = await passkeyOptions(context, visit, use, BROWSER);
  expect(options.allowCredentials).toMatchObject([{ id: authenticator.id, transports: ["internal"] }]);
  const credential = await authenticator.authenticate(options, { origin: ORIGIN });
  const sent = { challengeId, credential, browser: BROWSER };
  const expired = { ok: false, reason: "expired" };
  expect(await checkPasskey(context, visit, use, { ...sent, browser: "" })).toEqual(expired);
  expect(await checkPasskey(context, visit, use, { ...sent, browser: "another" })).toEqual(expired);
  expect(await checkPasskey(context, visit, use, { ...sent, challengeId: `${challengeId}x` })).toEqual(expired);
  expect(await checkPasskey(context, visit, { purpose: "log_in" }, sent)).toEqual(expired);
  expect(await checkPasskey(context, visit, { ...use, purpose: "confirm" }, sent)).toEqual(expired);
  expect(await checkPasskey(context, visit, { ...use, userId: other.userId }, sent)).toEqual(expired);
  expect(await checkPasskey(context, visit, use, sent, Date.now() + CHALLENGE_MS + 1000)).toEqual(expired);
  expect(await checkPasskey(context, visit, use, sent)).toMatchObject({ ok: true, userId: account.userId });
});

test("refuses another account's passkey as a second step, and an unknown one", async () => {
  const [account, other] = [await newAccount(), await newAccount()];
  const theirs = await registered(other);
  const use = { purpose: "second_step", userId: account.userId } as const;
  const { options, challengeId } = await passkeyOptions(context, visit, use, BROWSER);
  for (const authenticator of [theirs, await SoftwareAuthenticator.create()]) {
    const credential = await authenticator.authenticate(options, { origin: ORIGIN });
    expect(await checkPasskey(context, visit, use, { challengeId, credential, browser: BROWSER })).toEqual({
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

test("accepts a passkey that was restored to several devices, and whatever it counts from then on", async () => {
  const account = await newAccount();
  const restored = await registered(account);
  expect(await logIn(restored, { counter: 7 })).toMatchObject({ ok: true });
  expect(await logIn(restored, { counter: 0, isSynced: true })).toMatchObject({ ok: true, userId: account.userId });
  const [stored] = await db.select().from(passkeys).where(eq(passkeys.id, restored.id));
  expect(stored).toMatchObject({ deviceType: "multiDevice", backedUp: true, signCount: 0 });
  // A device that does not sync has got it too.
  for (const counter of [9, 3]) expect(await logIn(restored, { counter })).toMatchObject({ ok: true });
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
  for (let i = 0; i < 19; i++) await db.insert(passkeys).values({ ...row, ...flags, id: crypto.randomUUID() });
  const attempts = Array.from({ length: 3 }, async () => register(account, await SoftwareAuthenticator.create()));
  const results = await Promise.all(attempts);
  expect(results.filter(({ ok }) => ok)).toHaveLength(1);
  expect(results.filter((result) => !result.ok && result.reason === "too_many_passkeys")).toHaveLength(2);
});

test("changes the owner's passkey only", async () => {
  const [account, other] = [await newAccount(), await newAccount()];
  const { id } = await registered(account);
  const second = await registered(account, { name: "Second" });
  const change = { name: "Key", isSecondFactor: false };
  expect(await changePasskey(db, other, id, change)).toBe(false);
  expect(await changePasskey(db, account, id, change)).toBe(true);
  const { passkeys: listed } = await factorsOf(db, account.userId);
  expect(listed.find((passkey) => passkey.id === id)).toMatchObject(change);
  expect(listed.find((passkey) => passkey.id === second.id)).toMatchObject({ name: "Second", isSecondFactor: true });
});

test("offers a challenge for five minutes, and none of the account's own passkeys again", async () => {
  const now = Date.UTC(2027, 0, 1);
  const [account, other] = [await newAccount(), await newAccount()];
  const { id } = await registered(account);
  await registered(other);
  const { options, challengeId, expiresAt } = await registrationOptions(context, visit, account, BROWSER, now);
  expect(options).toMatchObject({
    rp: { id: "growline.example", name: "Growline" },
    user: { name: account.email, displayName: account.email, id: Buffer.from(account.userId).toString("base64url") },
    timeout: 300_000,
    attestation: "none",
    authenticatorSelection: { residentKey: "required", userVerification: "required" },
  });
  expect(options.excludeCredentials).toEqual([{ id, transports: ["internal"], type: "public-key" }]);
  expect(expiresAt).toBe(now + 300_000);
  const use = { purpose: "register", userId: account.userId } as const;
  const read = (at: number) => readChallenge(env.SESSION_SECRET, challengeId, use, BROWSER, at);
  expect(await read(now + 299_999)).toEqual({ id: options.challenge, expiresAt: now + 300_000 });
  expect(await read(now + 300_000)).toBeNull();
  const asked = await passkeyOptions(context, visit, { purpose: "log_in" }, BROWSER, now);
  expect([asked.options.timeout, asked.expiresAt]).toEqual([300_000, now + 300_000]);
});

test("makes challenges of 256 bits that no other use, account or browser can read", async () => {
  const now = Date.UTC(2027, 0, 1);
  const use = { purpose: "confirm", userId: "me" } as const;
  const { challenge, challengeId } = await makeChallenge("a secret", use, BROWSER, now);
  expect(Buffer.from(challenge, "base64url")).toHaveLength(32);
  expect(await readChallenge("a secret", challengeId, use, BROWSER, now)).toMatchObject({ id: challenge });
  expect(await readChallenge("another secret", challengeId, use, BROWSER, now)).toBeNull();
  expect(await readChallenge("a secret", challengeId, { ...use, purpose: "register" }, BROWSER, now)).toBeNull();
  expect(await readChallenge("a secret", challengeId, { ...use, userId: "you" }, BROWSER, now)).toBeNull();
  expect(await readChallenge("a secret", challengeId, use, "another", now)).toBeNull();
});

test("gives a browser one id for a day", async () => {
  const { browser, cookie } = await browserOf(env, visit);
  expect(cookie).toMatch(/^__Host-growline_passkey=.*Max-Age=86400;/);
  const again = newVisit({ passkeyBrowser: browser });
  expect((await browserOf(env, again)).browser).toBe(browser);
  expect((await browserOf(env, visit)).browser).not.toBe(browser);
});

test.for([
  { isSynced: false, deviceType: "singleDevice" },
  { isSynced: true, deviceType: "multiDevice" },
] as const)("stores each column of a passkey that is a $deviceType", async ({ isSynced, deviceType }) => {
  const account = await newAccount();
  const now = Date.now() - 1000;
  const authenticator = await SoftwareAuthenticator.create({ isSynced });
  const { options, challengeId } = await registrationOptions(context, visit, account, BROWSER, now);
  const credential = await authenticator.register(options, { origin: ORIGIN, counter: 3 });
  const sessionId = await startSession(db, { userId: account.userId });
  const passkey = { challengeId, credential, browser: BROWSER, name: "Key", isSecondFactor: !isSynced, sessionId };
  expect(await registerPasskey(context, visit, account.userId, passkey, now)).toEqual({
    ok: true,
    passkeyId: authenticator.id,
  });
  const [row] = await db.select().from(passkeys).where(eq(passkeys.id, authenticator.id));
  expect(row).toMatchObject({
    userId: account.userId,
    transports: "internal",
    name: "Key",
    deviceType,
    backedUp: isSynced,
    isSecondFactor: !isSynced,
    createdAt: now,
    lastUsedAt: null,
  });
  // The challenge is used up.
  expect(await registerPasskey(context, visit, account.userId, passkey, now)).toEqual({
    ok: false,
    reason: "expired",
  });
});

test.for([
  { given: Array.from({ length: 10 }, (_, i) => `way-${i}`), stored: 10 },
  { given: Array.from({ length: 11 }, (_, i) => `way-${i}`), stored: 0 },
  { given: ["x".repeat(20)], stored: 1 },
  { given: ["x".repeat(21)], stored: 0 },
  { given: ["usb", "a,b"], stored: 0 },
  { given: undefined, stored: 0 },
])("lists the transports that a browser names as they are, or none: $stored", async ({ given, stored }) => {
  const account = await newAccount();
  const { options, challengeId } = await registrationOptions(context, visit, account, BROWSER);
  const authenticator = await SoftwareAuthenticator.create();
  const { response, ...rest } = await authenticator.register(options, { origin: ORIGIN });
  const credential = { ...rest, response: { ...response, transports: given } };
  const { sessionId } = account;
  const passkey = { challengeId, credential, browser: BROWSER, name: "", isSecondFactor: true, sessionId };
  expect(await registerPasskey(context, visit, account.userId, passkey)).toMatchObject({ ok: true });
  const [{ transports = [] } = {}] = await descriptorsOf(db, account.userId);
  expect(transports).toHaveLength(stored);
});

test.for([
  { what: "an ended session", reason: "expired" },
  { what: "another account's session", reason: "expired" },
  { what: "an unconfirmed address", reason: "email_unconfirmed" },
])("registers no passkey with $what", async ({ what, reason }) => {
  const [account, other] = [await newAccount(), await newAccount()];
  const owner = what === "another account's session" ? other : account;
  const sessionId = await startSession(db, { userId: owner.userId });
  if (what === "an ended session") {
    await db.update(authSessions).set({ revokedAt: 1 }).where(eq(authSessions.id, sessionId));
  }
  if (what === "an unconfirmed address") {
    await db.update(users).set({ emailConfirmedAt: null }).where(eq(users.id, account.userId));
  }
  const authenticator = await SoftwareAuthenticator.create();
  const { options, challengeId } = await registrationOptions(context, visit, account, BROWSER);
  const credential = await authenticator.register(options, { origin: ORIGIN });
  const passkey = { challengeId, credential, browser: BROWSER, name: "", isSecondFactor: true, sessionId };
  expect(await registerPasskey(context, visit, account.userId, passkey)).toEqual({ ok: false, reason });
  expect((await factorsOf(db, account.userId)).passkeys).toEqual([]);
});

test("takes each sign count of a passkey on its device once, of parallel log-ins too", async () => {
  const onDevice = await registered(await newAccount());
  const bySameCount = (counter: number) => Promise.all([1, 2, 3, 4].map(() => logIn(onDevice, { counter })));
  expect((await bySameCount(5)).filter(({ ok }) => ok)).toHaveLength(1);
  expect((await bySameCount(6)).filter(({ ok }) => ok)).toHaveLength(1);
  const uncounted = await registered(await newAccount());
  const all = await Promise.all([1, 2, 3].map(() => logIn(uncounted, { counter: 0 })));
  expect(all.filter(({ ok }) => ok)).toHaveLength(3);
});

test("stores when a passkey was used and its count, and no other passkey's", async () => {
  const account = await newAccount();
  const [used, other] = [await registered(account), await registered(account)];
  const now = Date.now() + 1000;
  const { options, challengeId } = await passkeyOptions(context, visit, { purpose: "log_in" }, BROWSER, now);
  const credential = await used.authenticate(options, { origin: ORIGIN, counter: 7 });
  const sent = { challengeId, credential, browser: BROWSER };
  expect(await checkPasskey(context, visit, { purpose: "log_in" }, sent, now)).toMatchObject({ ok: true });
  const rows = await db.select().from(passkeys).where(eq(passkeys.userId, account.userId));
  expect(rows.find(({ id }) => id === used.id)).toMatchObject({ lastUsedAt: now, signCount: 7, backedUp: false });
  expect(rows.find(({ id }) => id === other.id)).toMatchObject({ lastUsedAt: null });
});

type Account = { userId: string; email: string; sessionId: string };

/** Returns an account that has a password, which no test types. */
async function newAccount(): Promise<Account> {
  const account = await accountWithoutPassword({ passwordHash: "any" });
  return { ...account, ...(await ownerOf(account.userId)) };
}

async function register(
  account: Account,
  authenticator: SoftwareAuthenticator,
  { name = "Passkey", isSecondFactor = true } = {},
  signing: Partial<Signing> = {},
) {
  const { options, challengeId } = await registrationOptions(context, visit, account, BROWSER);
  const credential = await authenticator.register(options, { origin: ORIGIN, ...signing });
  const { sessionId } = account;
  const passkey = { challengeId, credential, browser: BROWSER, name, isSecondFactor, sessionId };
  return registerPasskey(context, visit, account.userId, passkey);
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
  const { options, challengeId } = await passkeyOptions(context, visit, { purpose: "log_in" }, BROWSER);
  const credential = await authenticator.authenticate(options, { origin: ORIGIN, ...signing });
  return checkPasskey(context, visit, { purpose: "log_in" }, { challengeId, credential, browser: BROWSER });
}
