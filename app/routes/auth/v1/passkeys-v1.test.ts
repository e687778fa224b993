import { SELF } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { AuthClient, type Session } from "@supabase/auth-js";
import { eq } from "drizzle-orm";
import { afterEach, expect, test, vi } from "vitest";
import { CHALLENGE_MS, TOKEN_CLIENT } from "#app/accounts/factors/passkey-challenges.server.ts";
import { passkeyOptions } from "#app/accounts/factors/passkey-check.server.ts";
import { registerPasskey, registrationOptions } from "#app/accounts/factors/passkeys.server.ts";
import { recordSecondFactor } from "#app/accounts/session/auth-sessions.server.ts";
import { STEP_UP_MS } from "#app/accounts/step-up/recent-proof.server.ts";
import { signAccessToken } from "#app/accounts/tokens/access-tokens.server.ts";
import { authSessions, passkeys, securityEvents, users } from "#app/db/schema.server.ts";
import { SoftwareAuthenticator } from "#tests/stand-ins/software-authenticator.ts";
import { countRows } from "#tests/workerd/all-routes.ts";
import { db } from "#tests/workerd/customer.ts";
import { newAccount, PASSWORD } from "#tests/workerd/new-account.ts";
import { newVisit } from "#tests/workerd/new-visit.ts";
import { inSession, signedIn, tokensOf } from "#tests/workerd/signed-in-account.ts";
import { loadContext } from "#tests/workerd/test-context.ts";
import { action as changeOne } from "./passkey.ts";
import { action as startRegistration } from "./passkey-registration-options.ts";

const ORIGIN = "https://growline.example";
const visit = newVisit();
const context = { db, env };
const required = loadContext({ env: { ...env, STAFF_SECOND_FACTOR: "required" } });

afterEach(() => vi.unstubAllGlobals());

test("lets the client library register a passkey, log in with it, rename it and remove it", async () => {
  const account = await loggedInByPassword();
  const authenticator = await SoftwareAuthenticator.create();
  const { client } = account;
  const registered = await inBrowser(authenticator, () => client.registerPasskey());
  expect(registered).toEqual({
    data: { id: authenticator.id, friendly_name: "Firefox on Windows", created_at: expect.any(String) },
    error: null,
  });
  expect((await client.passkey.list()).data).toEqual([registered.data]);
  expect((await rowOf(authenticator))?.isSecondFactor).toBe(false);

  const other = browser();
  const byPasskey = await inBrowser(authenticator, () => other.signInWithPasskey());
  expect(byPasskey.error).toBeNull();
  expect(byPasskey.data?.user?.email).toBe(account.email);
  expect((await other.getUser()).data.user?.id).toBe(account.userId);
  const session = await sessionRow(byPasskey.data?.session);
  expect(session).toMatchObject({ userId: account.userId, secondFactorAt: expect.any(Number) });

  const passkeyId = authenticator.id;
  const renamed = await other.passkey.update({ passkeyId, friendlyName: " Phone " });
  expect(renamed.data).toMatchObject({
    id: passkeyId,
    friendly_name: "Phone",
    last_used_at: expect.stringMatching(/^\d{4}-.+Z$/),
  });
  expect((await other.passkey.update({ passkeyId, friendlyName: " " })).error).toMatchObject({
    status: 400,
    code: "validation_failed",
    message: "Enter a name",
  });
  expect(await other.passkey.delete({ passkeyId })).toEqual({ data: null, error: null });
  expect((await other.passkey.list()).data).toEqual([]);
  expect(await eventsOf(account.userId)).toEqual([
    "log_in",
    "factor_added",
    "factor_used",
    "new_device",
    "factor_removed",
  ]);
  const gone = await inBrowser(authenticator, () => browser().signInWithPasskey());
  expect(gone.error).toMatchObject({ status: 400, code: "webauthn_credential_not_found" });
});

test("logs in by passkey where the password alone gets no tokens", async () => {
  const account = await newAccount();
  const authenticator = await registered(account, { isSecondFactor: true });
  const byPassword = await browser().signInWithPassword({ email: account.email, password: PASSWORD });
  expect(byPassword.error).toMatchObject({
    status: 403,
    code: "insufficient_aal",
    message: "This account asks for a second factor. Log in with a passkey, or on the website.",
  });
  const byPasskey = await inBrowser(authenticator, () => browser().signInWithPasskey());
  expect(byPasskey.data?.user?.id).toBe(account.userId);
});

test("refuses every change to a session that took no second step, and shows it no passkeys", async () => {
  const account = await loggedIn();
  const authenticator = await registered(account, { isSecondFactor: true });
  const before = await stateOf(account.userId);
  for (const refused of await everyCall(account.client, authenticator)) {
    expect(refused).toMatchObject({ status: 403, code: "insufficient_aal" });
  }
  expect((await account.client.passkey.list()).error).toMatchObject({ code: "insufficient_aal" });
  expect(await stateOf(account.userId)).toEqual(before);
});

test("refuses every change to a session whose proof is too old", async () => {
  const account = await loggedIn();
  const authenticator = await registered(account);
  await db
    .update(authSessions)
    .set({ verifiedAt: Date.now() - STEP_UP_MS })
    .where(eq(authSessions.userId, account.userId));
  const before = await stateOf(account.userId);
  for (const refused of await everyCall(account.client, authenticator)) {
    expect(refused).toMatchObject({ status: 400, code: "reauthentication_needed" });
  }
  expect(await stateOf(account.userId)).toEqual(before);
  expect((await account.client.passkey.list()).data).toHaveLength(1);
});

test.each([
  ["GET", "passkeys"],
  ["PATCH", "passkeys/x"],
  ["DELETE", "passkeys/x"],
  ["POST", "passkeys/registration/options"],
  ["POST", "passkeys/registration/verify"],
])("refuses %s /auth/v1/%s without a running session", async (method, path) => {
  const { client, session, userId } = await loggedIn();
  await db.update(authSessions).set({ revokedAt: Date.now() }).where(eq(authSessions.userId, userId));
  const fields = { challenge_id: "x", credential: {}, friendly_name: "Phone" };
  const body = method === "GET" ? null : JSON.stringify(fields);
  for (const token of [session.access_token, "forged"]) {
    const headers = { "Content-Type": "application/json", Authorization: `Bearer ${token}` };
    const response = await SELF.fetch(`${ORIGIN}/auth/v1/${path}`, { method, headers, body });
    expect(response.status).toBe(403);
    expect(await response.json()).toMatchObject({ error_code: "session_not_found" });
  }
  expect((await client.passkey.list()).error).toMatchObject({ name: "AuthSessionMissingError" });
});

test("lets staff without a second factor register no passkey by tokens, and remove none that is their last", async () => {
  const { userId, sessionId, email } = await signedIn("admin");
  const token = await signAccessToken(env.SESSION_SECRET, { userId, sessionId, email }, Date.now());
  const call = (method: string) => {
    const headers = { "Content-Type": "application/json", Authorization: `Bearer ${token}` };
    const body = method === "DELETE" ? null : "{}";
    return { request: new Request(ORIGIN, { method, headers, body }), context: required };
  };
  const without = startRegistration({ ...call("POST"), params: {} });
  await expect(without).rejects.toMatchObject({ status: 403 });
  const { id } = await registered({ userId, email });
  const held = startRegistration({ ...call("POST"), params: {} });
  await expect(held).rejects.toMatchObject({ status: 403 });
  await recordSecondFactor(db, { userId, sessionId }, "used");
  const refused = await changeOne({ ...call("DELETE"), params: { id } });
  expect(refused.status).toBe(422);
  expect(await db.select().from(passkeys).where(eq(passkeys.userId, userId))).toHaveLength(1);
});

test("neither shows, renames nor removes another account's passkey", async () => {
  const theirs = await registered(await newAccount());
  const { client } = await loggedIn();
  const before = await rowOf(theirs);
  expect((await client.passkey.list()).data).toEqual([]);
  const passkeyId = theirs.id;
  const notFound = { status: 404, code: "webauthn_credential_not_found" };
  expect((await client.passkey.update({ passkeyId, friendlyName: "Mine" })).error).toMatchObject(notFound);
  expect((await client.passkey.delete({ passkeyId })).error).toMatchObject(notFound);
  const taken = await inBrowser(theirs, () => client.registerPasskey());
  expect(taken.error).toMatchObject({ status: 422, code: "webauthn_credential_exists" });
  expect(await rowOf(theirs)).toEqual(before);
});

test("takes a log-in challenge once", async () => {
  const authenticator = await registered(await newAccount());
  const { challengeId, credential } = await proofFor(browser(), authenticator);
  expect((await browser().passkey.verifyAuthentication({ challengeId, credential })).error).toBeNull();
  const before = await countRows();
  const again = await browser().passkey.verifyAuthentication({ challengeId, credential });
  expect(again).toMatchObject({ data: null, error: { status: 400, code: "webauthn_challenge_expired" } });
  expect(await countRows()).toEqual(before);
});

test("refuses a log-in challenge that has expired, or that a browser asked for", async () => {
  const authenticator = await registered(await newAccount());
  const use = { purpose: "log_in" } as const;
  const long = Date.now() - CHALLENGE_MS - 1000;
  const made = [
    await passkeyOptions(context, visit, use, TOKEN_CLIENT, long),
    await passkeyOptions(context, visit, use, "this browser"),
  ];
  const before = await countRows();
  for (const { challengeId, options } of made) {
    const credential = await signIn(authenticator, options);
    const refused = await browser().passkey.verifyAuthentication({ challengeId, credential });
    expect(refused.error).toMatchObject({ status: 400, code: "webauthn_challenge_expired" });
  }
  expect(await countRows()).toEqual(before);
});

test("refuses a response of another origin, and one that is none", async () => {
  const authenticator = await registered(await newAccount());
  const { challengeId, credential } = await proofFor(browser(), authenticator, "https://evil.example");
  const before = await countRows();
  for (const sent of [credential, null, "x", {}]) {
    const refused = await browser().passkey.verifyAuthentication({ challengeId, credential: sent as never });
    expect(refused.error).toMatchObject({ status: 400, code: "webauthn_verification_failed" });
  }
  expect(await countRows()).toEqual(before);
});

test("refuses a registration challenge of another session, one that has expired, and a second use", async () => {
  const account = await loggedIn();
  const { client, userId } = account;
  const authenticator = await SoftwareAuthenticator.create();
  const { sessionId } = account;
  const made = [
    await registrationOptions(context, visit, account, sessionId, Date.now() - CHALLENGE_MS - 1000),
    await registrationOptions(context, visit, account, "another session"),
    await registrationOptions(context, visit, await newAccount(), sessionId),
  ];
  const before = await stateOf(userId);
  for (const { challengeId, options } of made) {
    const credential = await create(authenticator, options);
    const refused = await client.passkey.verifyRegistration({ challengeId, credential });
    expect(refused.error).toMatchObject({ status: 400, code: "webauthn_challenge_expired" });
  }
  expect(await stateOf(userId)).toEqual(before);
  const { challengeId, options } = await registrationOptions(context, visit, account, sessionId);
  const credential = await create(authenticator, options);
  expect((await client.passkey.verifyRegistration({ challengeId, credential })).error).toBeNull();
  const second = await create(await SoftwareAuthenticator.create(), options);
  expect((await client.passkey.verifyRegistration({ challengeId, credential: second })).error).toMatchObject({
    code: "webauthn_challenge_expired",
  });
  expect((await client.passkey.list()).data).toHaveLength(1);
});

test("registers no passkey while the email address is not confirmed", async () => {
  const account = await loggedIn();
  const { challengeId, options } = await registrationOptions(context, visit, account, account.sessionId);
  await db.update(users).set({ emailConfirmedAt: null }).where(eq(users.id, account.userId));
  const before = await stateOf(account.userId);
  const authenticator = await SoftwareAuthenticator.create();
  const credential = await create(authenticator, options);
  const unconfirmed = { status: 422, code: "email_not_confirmed" };
  const verified = await account.client.passkey.verifyRegistration({ challengeId, credential });
  expect(verified.error).toMatchObject(unconfirmed);
  expect((await inBrowser(authenticator, () => account.client.registerPasskey())).error).toMatchObject(unconfirmed);
  expect(await stateOf(account.userId)).toEqual(before);
});

test("refuses a suspended account's passkey with the reason", async () => {
  const account = await newAccount();
  const authenticator = await registered(account);
  await db.update(users).set({ suspendedAt: Date.now() }).where(eq(users.id, account.userId));
  const refused = await inBrowser(authenticator, () => browser().signInWithPasskey());
  expect(refused.error).toMatchObject({ status: 403, code: "user_banned" });
  expect(await db.select().from(authSessions).where(eq(authSessions.userId, account.userId))).toEqual([]);
});

test("starts no session for a request that is not declared as JSON", async () => {
  const authenticator = await registered(await newAccount());
  const { challengeId, credential } = await proofFor(browser(), authenticator);
  const response = await SELF.fetch(`${ORIGIN}/auth/v1/passkeys/authentication/verify`, {
    method: "POST",
    headers: { "Content-Type": "text/plain" },
    body: JSON.stringify({ challenge_id: challengeId, credential }),
  });
  expect(response.status).toBe(400);
  expect(response.headers.get("Set-Cookie")).toBeNull();
  await response.body?.cancel();
});

type Client = InstanceType<typeof AuthClient>;
type Account = { userId: string; email: string };

const USER_AGENT = "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0";

function browser(): Client {
  return new AuthClient({
    url: `${ORIGIN}/auth/v1`,
    headers: { "User-Agent": USER_AGENT },
    fetch: (input, init) => SELF.fetch(String(input), init as RequestInit<RequestInitCfProperties>) as never,
    storageKey: crypto.randomUUID(),
    autoRefreshToken: false,
    persistSession: false,
    detectSessionInUrl: false,
  });
}

type LoggedIn = Account & { client: Client; session: Session; sessionId: string };

async function loggedIn(): Promise<LoggedIn> {
  const { userId, email, sessionId, cookie } = await signedIn();
  const [client, session] = [browser(), await tokensOf(cookie)];
  expect((await client.setSession(session)).error).toBeNull();
  return { userId, email, client, session, sessionId };
}

async function loggedInByPassword(): Promise<LoggedIn> {
  const account = await newAccount();
  const client = browser();
  const { data } = await client.signInWithPassword({ email: account.email, password: PASSWORD });
  if (!data.session) throw new Error("not logged in");
  const [sessionId = ""] = data.session.refresh_token.split(".");
  return { ...account, client, session: data.session, sessionId };
}

/** Runs the client's call where `navigator.credentials` responds with this authenticator. */
async function inBrowser<T>(authenticator: SoftwareAuthenticator, call: () => Promise<T>): Promise<T> {
  class PublicKeyCredential {
    readonly #json: unknown;
    constructor(json: unknown) {
      this.#json = json;
    }
    toJSON() {
      return this.#json;
    }
    static parseCreationOptionsFromJSON = (options: unknown) => options;
    static parseRequestOptionsFromJSON = (options: unknown) => options;
  }
  const credentials = {
    create: async ({ publicKey }: { publicKey: never }) =>
      new PublicKeyCredential(await authenticator.register(publicKey, { origin: ORIGIN })),
    get: async ({ publicKey }: { publicKey: never }) =>
      new PublicKeyCredential(await authenticator.authenticate(publicKey, { origin: ORIGIN })),
  };
  vi.stubGlobal("PublicKeyCredential", PublicKeyCredential);
  vi.stubGlobal("window", { PublicKeyCredential });
  vi.stubGlobal("document", {});
  vi.stubGlobal("navigator", { credentials });
  try {
    return await call();
  } finally {
    vi.unstubAllGlobals();
  }
}

/** Makes every call that changes passkeys, and returns their errors. */
async function everyCall(client: Client, authenticator: SoftwareAuthenticator) {
  const passkeyId = authenticator.id;
  const { options, challengeId } = await passkeyOptions(context, visit, { purpose: "log_in" }, TOKEN_CLIENT);
  const credential = await signIn(authenticator, options);
  const results = [
    await client.passkey.startRegistration(),
    await client.passkey.verifyRegistration({ challengeId, credential }),
    await client.passkey.update({ passkeyId, friendlyName: "Changed" }),
    await client.passkey.delete({ passkeyId }),
  ];
  return results.map(({ error }) => error);
}

async function proofFor(client: Client, authenticator: SoftwareAuthenticator, origin = ORIGIN) {
  const { data } = await client.passkey.startAuthentication();
  if (!data) throw new Error("no challenge");
  expect(data.expires_at * 1000).toBeLessThanOrEqual(Date.now() + CHALLENGE_MS);
  const credential = await signIn(authenticator, data.options as never, origin);
  return { challengeId: data.challenge_id, credential };
}

type Credential = Parameters<Client["passkey"]["verifyAuthentication"]>[0]["credential"];

/** The types of the client and of the server's library differ in what no response contains: views of shared memory. */
async function signIn(
  authenticator: SoftwareAuthenticator,
  options: Parameters<SoftwareAuthenticator["authenticate"]>[0],
  origin = ORIGIN,
): Promise<Credential> {
  return (await authenticator.authenticate(options, { origin })) as Credential;
}

async function create(
  authenticator: SoftwareAuthenticator,
  options: Parameters<SoftwareAuthenticator["register"]>[0],
): Promise<Credential> {
  return (await authenticator.register(options, { origin: ORIGIN })) as Credential;
}

/** Stores a passkey of the account as if the page had. */
async function registered(account: Account, { isSecondFactor = false } = {}): Promise<SoftwareAuthenticator> {
  const authenticator = await SoftwareAuthenticator.create();
  const { options, challengeId } = await registrationOptions(context, visit, account, "page");
  const credential = await authenticator.register(options, { origin: ORIGIN });
  const passkey = { challengeId, credential, browser: "page", name: "Key", isSecondFactor };
  const made = await inSession(account.userId, ({ userId, sessionId }) =>
    registerPasskey(context, visit, userId, { ...passkey, sessionId }),
  );
  expect(made).toMatchObject({ ok: true });
  return authenticator;
}

async function rowOf({ id }: SoftwareAuthenticator) {
  const [row] = await db.select().from(passkeys).where(eq(passkeys.id, id));
  return row;
}

async function sessionRow(session: Session | null | undefined) {
  const [id = ""] = session?.refresh_token.split(".") ?? [];
  const [row] = await db.select().from(authSessions).where(eq(authSessions.id, id));
  return row;
}

async function stateOf(userId: string) {
  const owned = await db.select().from(passkeys).where(eq(passkeys.userId, userId));
  return { owned, events: await eventsOf(userId) };
}

async function eventsOf(userId: string): Promise<string[]> {
  const rows = await db
    .select({ kind: securityEvents.kind })
    .from(securityEvents)
    .where(eq(securityEvents.userId, userId))
    .orderBy(securityEvents.id);
  return rows.map(({ kind }) => kind);
}
