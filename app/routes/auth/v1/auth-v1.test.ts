import { SELF } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { AuthClient, type Session } from "@supabase/auth-js";
import { eq, inArray } from "drizzle-orm";
import { expect, test, vi } from "vitest";
import { limitAttempts } from "#app/accounts/password/attempts.server.ts";
import { LOST_ANSWER_MS, REUSE_INTERVAL_MS } from "#app/accounts/session/token-sessions.server.ts";
import { signAccessToken } from "#app/accounts/tokens/access-tokens.server.ts";
import { issueRefreshToken } from "#app/accounts/tokens/refresh-tokens.server.ts";
import { connect } from "#app/db/db.server.ts";
import { authSessions, rateLimits, users } from "#app/db/schema.server.ts";
import { siteCookie } from "#tests/response-cookies.ts";
import { newAccount, PASSWORD } from "#tests/workerd/new-account.ts";
import { newVisit } from "#tests/workerd/new-visit.ts";
import { signedIn, tokensOf } from "#tests/workerd/signed-in-account.ts";
import { loadContext } from "#tests/workerd/test-context.ts";

const db = connect(env.DB);
const ORIGIN = "https://growline.example";
const FAST_MS = 20 * 60_000;

test("lets the client library sign up, read the user, refresh and log out", async () => {
  const email = newEmail();
  const client = browser();
  const signedUp = await client.signUp({ email, password: PASSWORD, options: { data: { full_name: "Ada" } } });
  expect(signedUp.error).toBeNull();
  expect(signedUp.data.user).toMatchObject({ email, user_metadata: { full_name: "Ada" }, aud: "authenticated" });

  // As programs ask whether the address was taken.
  expect(signedUp.data.user?.identities).toMatchObject([{ provider: "email", user_id: signedUp.data.user?.id }]);
  const { data: read } = await client.getUser();
  expect(read.user).toEqual(signedUp.data.user);
  expect(read.user).toMatchObject({ email });

  const before = sessionOf(signedUp.data.session);
  const refreshed = await client.refreshSession();
  expect(refreshed.error).toBeNull();
  expect(refreshed.data.session?.refresh_token).not.toBe(before.refresh_token);

  expect((await client.signOut()).error).toBeNull();
  const gone = await refreshWith(sessionOf(refreshed.data.session).refresh_token);
  expect(gone).toMatchObject({ status: 400, body: { error_code: "session_expired" } });
});

test("lets the client library log in with another case of the email, and refuses with the spec's text", async () => {
  const { email } = await account();
  const right = await browser().signInWithPassword({ email: email.toUpperCase(), password: PASSWORD });
  expect(right.error).toBeNull();
  expect(right.data.session?.expires_in).toBe(900);
  const wrong = await browser().signInWithPassword({ email: "nobody@test.example", password: PASSWORD });
  expect(wrong.error).toMatchObject({
    status: 400,
    code: "invalid_credentials",
    message: "Invalid email or password. Please check your credentials and try again.",
  });
});

test("tells the client library about a taken email and a weak password", async () => {
  const { email } = await account();
  const taken = await browser().signUp({ email, password: PASSWORD });
  expect(taken.error).toMatchObject({ status: 422, code: "user_already_exists" });
  const short = await browser().signUp({ email: newEmail(), password: "short" });
  expect(short.error).toMatchObject({ name: "AuthWeakPasswordError", reasons: ["length"] });
  const common = await browser().signUp({ email: newEmail(), password: "password1" });
  expect(common.error).toMatchObject({ name: "AuthWeakPasswordError", reasons: ["pwned"] });
});

test("sends the client library the same response to a reset for a known and an unknown email", async () => {
  const { email } = await account();
  expect((await browser().resetPasswordForEmail(email)).error).toBeNull();
  expect((await browser().resetPasswordForEmail("nobody@test.example")).error).toBeNull();
  for (let i = 0; i < 2; i++) await browser().resetPasswordForEmail(email);
  expect((await browser().resetPasswordForEmail(email)).error).toMatchObject({ code: "over_email_send_rate_limit" });
});

test("lets the client library change the name, and the password only with the current one", async () => {
  const { email, session } = await account();
  const client = browser();
  await client.setSession(session);
  const named = await client.updateUser({ data: { full_name: " Grace " } });
  expect(named.data.user?.user_metadata).toMatchObject({ full_name: "Grace" });
  const password = "a new good password";
  expect((await client.updateUser({ password })).error).toMatchObject({ code: "invalid_credentials" });
  expect((await client.updateUser({ password, current_password: PASSWORD })).error).toBeNull();
  expect((await browser().signInWithPassword({ email, password })).error).toBeNull();
  expect(await userStatus(session.access_token)).toBe(200);
});

test("tells the client library when somebody last logged in, and when the account last changed", async () => {
  const email = newEmail();
  await browser().signUp({ email, password: PASSWORD });
  const day = 24 * 60 * 60_000;
  const createdAt = Date.now() - 2 * day;
  await db.update(users).set({ createdAt, updatedAt: null }).where(eq(users.email, email));
  const owner = db.select({ id: users.id }).from(users).where(eq(users.email, email));
  await db.update(authSessions).set({ createdAt }).where(inArray(authSessions.userId, owner));
  const client = browser();
  const before = Date.now();
  const { data: again } = await client.signInWithPassword({ email, password: PASSWORD });
  const signedIn = Date.parse(again.user?.last_sign_in_at ?? "");
  expect(signedIn).toBeGreaterThanOrEqual(before);
  expect(Date.parse(again.user?.updated_at ?? "")).toBeGreaterThanOrEqual(signedIn);
  expect(Date.parse(again.user?.created_at ?? "")).toBe(createdAt);
  await db.update(users).set({ updatedAt: null }).where(eq(users.email, email));
  await db.update(authSessions).set({ createdAt }).where(inArray(authSessions.userId, owner));
  const { data: refreshed } = await client.refreshSession();
  expect(Date.parse(refreshed.user?.updated_at ?? "")).toBe(createdAt);
  const { data: renamed } = await client.updateUser({ data: { full_name: "Grace" } });
  expect(Date.parse(renamed.user?.updated_at ?? "")).toBeGreaterThanOrEqual(before);
  expect(Date.parse(renamed.user?.last_sign_in_at ?? "")).toBe(createdAt);
});

test("restores a session from its two tokens", async () => {
  const { session } = await account();
  const restored = await browser().setSession(session);
  expect(restored.error).toBeNull();
  expect(restored.data.user?.id).toBe(session.user.id);
});

test("keeps three tabs that refresh at once logged in with the same session", async () => {
  const { session } = await account();
  const tabs = await Promise.all([1, 2, 3].map(() => refreshWith(session.refresh_token)));
  expect(tabs.map((tab) => tab.status)).toEqual([200, 200, 200]);
  const [next] = tabs.map((tab) => tab.body.refresh_token);
  expect(tabs.map((tab) => tab.body.refresh_token)).toEqual([next, next, next]);
  expect(await refreshWith(next)).toMatchObject({ status: 200 });
});

test("ends the session everywhere if a refresh token is reused after the interval", async () => {
  const { session, cookie } = await account();
  const next = (await refreshWith(session.refresh_token)).body.refresh_token;
  await db
    .update(authSessions)
    .set({ rotatedAt: Date.now() - REUSE_INTERVAL_MS - 1 })
    .where(eq(authSessions.userId, session.user.id));
  expect((await refreshWith(session.refresh_token)).body.error_code).toBe("refresh_token_already_used");
  expect((await refreshWith(next)).body.error_code).toBe("session_expired");
  expect(await userStatus(session.access_token)).toBe(403);
  expect((await post("token?grant_type=cookie", {}, { Cookie: cookie })).status).toBe(400);
});

test("keeps the session when the answer to a refresh was lost and the token comes again after 12 s", async () => {
  const { session } = await account();
  const { refresh_token: lost } = (await refreshWith(session.refresh_token)).body;
  await rotatedAgo(session, 12_000);
  // The client still uses what it has.
  expect(await userStatus(session.access_token)).toBe(200);
  const again = await refreshWith(session.refresh_token);
  expect(again).toMatchObject({ status: 200, body: { refresh_token: lost } });
  expect(await userStatus(again.body.access_token)).toBe(200);
  expect((await refreshWith(lost)).status).toBe(200);
});

test("ends the session when the token before comes again after the new access token was used, or after a minute", async () => {
  for (const [uses, ago] of [
    [true, 12_000],
    [false, LOST_ANSWER_MS + 1],
  ] as const) {
    const { session } = await account();
    const next = (await refreshWith(session.refresh_token)).body;
    await rotatedAgo(session, ago);
    if (uses) expect(await userStatus(next.access_token)).toBe(200);
    expect((await refreshWith(session.refresh_token)).body.error_code).toBe("refresh_token_already_used");
    expect((await refreshWith(next.refresh_token)).body.error_code).toBe("session_expired");
    expect(await userStatus(next.access_token)).toBe(403);
  }
});

test("ends the session if an older token is reused, even within the interval", async () => {
  const { session } = await account();
  const second = (await refreshWith(session.refresh_token)).body.refresh_token;
  await refreshWith(second);
  expect((await refreshWith(session.refresh_token)).body.error_code).toBe("refresh_token_already_used");
});

test("ignores a made-up refresh token for a known session", async () => {
  const { session } = await account();
  const [sessionId = ""] = session.refresh_token.split(".");
  for (const token of [`${sessionId}.a.b`, issueRefreshToken("another secret", sessionId), "", "..", "x".repeat(199)]) {
    expect((await refreshWith(token)).body.error_code).toBe("refresh_token_not_found");
  }
  expect(await userStatus(session.access_token)).toBe(200);
});

test("stores only digests of refresh tokens", async () => {
  const { session } = await account();
  const [row] = await db.select().from(authSessions).where(eq(authSessions.userId, session.user.id));
  expect(row?.refreshDigest).toMatch(/^[0-9a-f]{64}$/);
  expect(JSON.stringify(row)).not.toContain(session.refresh_token);
});

test("refuses an access token that is forged or expired, or whose session has ended", async () => {
  const { session } = await account();
  const [sessionId = ""] = session.refresh_token.split(".");
  const who = { userId: session.user.id, sessionId, email: "" };
  expect(await userStatus(await signAccessToken(env.SESSION_SECRET, who, Date.now()))).toBe(200);
  expect(await userStatus(await signAccessToken("another secret", who, Date.now()))).toBe(403);
  expect(await userStatus(await signAccessToken(env.SESSION_SECRET, who, Date.now() - 901_000))).toBe(403);
  expect(await userStatus("")).toBe(403);
  await post("logout?scope=local", {}, { Authorization: `Bearer ${session.access_token}` });
  expect(await userStatus(session.access_token)).toBe(403);
});

test("keeps this device when logging out the others, and none when logging out everywhere", async () => {
  const { email, session: first } = await account();
  const second = browser();
  const session = sessionOf((await second.signInWithPassword({ email, password: PASSWORD })).data.session);
  expect((await second.signOut({ scope: "others" })).error).toBeNull();
  expect(await userStatus(first.access_token)).toBe(403);
  expect(await userStatus(session.access_token)).toBe(200);
  await second.signOut({ scope: "global" });
  expect(await userStatus(session.access_token)).toBe(403);
});

test("issues tokens for the session of a browser that logged in by form", async () => {
  const { cookie, session } = await account();
  await db
    .update(authSessions)
    .set({ refreshDigest: null, rotatedAt: null })
    .where(eq(authSessions.userId, session.user.id));
  const tabs = await Promise.all([1, 2].map(() => post("token?grant_type=cookie", {}, { Cookie: cookie })));
  const [one, two] = await Promise.all(tabs.map((tab) => tab.json<Session>()));
  expect(one?.refresh_token).toBe(two?.refresh_token);
  expect(one?.refresh_token.split(".")[0]).toBe(session.refresh_token.split(".")[0]);
  expect((await refreshWith(one?.refresh_token)).status).toBe(200);
  expect((await post("token?grant_type=cookie", {}, { Cookie: cookie })).status).toBe(503);
  expect((await post("token?grant_type=cookie", {}, { Cookie: `${siteCookie("growline_auth")}=forged` })).status).toBe(
    401,
  );
});

test.each([
  ["GET", "settings"],
  ["POST", "otp"],
  ["PUT", "factors/1"],
  ["DELETE", "admin/users/1"],
  ["GET", ""],
])("answers %s /auth/v1/%s, which is not there, with JSON", async (method, path) => {
  const response = await SELF.fetch(`${ORIGIN}/auth/v1/${path}`, { method });
  expect([response.status, response.headers.get("Content-Type")]).toEqual([404, "application/json"]);
  expect(await response.json()).toEqual({ code: 404, error_code: "not_found", msg: "There is no such endpoint" });
});

test("tells the client library that a call is not there", async () => {
  const { error } = await browser().signInWithOtp({ email: newEmail() });
  expect(error).toMatchObject({ name: "AuthApiError", status: 404, code: "not_found" });
});

test("refuses forms from other sites at the token endpoints", async () => {
  const { email } = await account();
  const response = await SELF.fetch(`${ORIGIN}/auth/v1/token?grant_type=password`, {
    method: "POST",
    headers: { "Content-Type": "text/plain" },
    body: JSON.stringify({ email, password: PASSWORD }),
  });
  expect(response.status).toBe(400);
  expect(response.headers.get("Set-Cookie")).toBeNull();
});

test("lets a client whose clock is fast wait at the limit of refreshes, and keeps its session", async () => {
  const { session } = await account();
  const [sessionId = ""] = session.refresh_token.split(".");
  const statuses: number[] = [];
  const client = browser(async (input, init) => {
    vi.useRealTimers();
    const response = await SELF.fetch(String(input), init as RequestInit<RequestInitCfProperties>);
    statuses.push(response.status);
    // The window ends while the client waits.
    if (response.status === 503) await db.delete(rateLimits);
    vi.setSystemTime(Date.now() + FAST_MS);
    return response as never;
  });
  const events: string[] = [];
  client.onAuthStateChange((event) => void events.push(event));
  vi.setSystemTime(Date.now() + FAST_MS);
  await client.setSession(session);
  await client.getSession();
  vi.useRealTimers();
  await useUpRefreshes(sessionId);
  vi.setSystemTime(Date.now() + FAST_MS);
  const { data } = await client.getSession();
  vi.useRealTimers();
  expect(statuses).toEqual([200, 200, 503, 200]);
  expect(events).not.toContain("SIGNED_OUT");
  expect((await refreshWith(data.session?.refresh_token)).status).toBe(200);
});

test("answers a refresh over the limit with 503 and the time to wait, and a made-up token with 429", async () => {
  const { session } = await account();
  const [sessionId = ""] = session.refresh_token.split(".");
  await useUpRefreshes(sessionId);
  const over = await post("token?grant_type=refresh_token", { refresh_token: session.refresh_token });
  expect(over.status).toBe(503);
  expect(Number(over.headers.get("Retry-After"))).toBeGreaterThan(200);
  expect(await over.json()).toMatchObject({ code: 503, error_code: "over_request_rate_limit" });
  expect((await refreshWith(`${sessionId}.a.b`)).status).toBe(429);
  await db.delete(rateLimits);
  expect((await refreshWith(session.refresh_token)).status).toBe(200);
});

test("keeps the client library logged in when its access token has expired before its clock says so", async () => {
  const { session } = await account();
  const [sessionId = ""] = session.refresh_token.split(".");
  const who = { userId: session.user.id, sessionId, email: "" };
  const expired = await signAccessToken(env.SESSION_SECRET, who, Date.now() - 901_000);
  const client = browser();
  await client.setSession(session);
  const refused = await client.getUser(expired);
  expect(refused.error).toMatchObject({ name: "AuthApiError", status: 403, code: "bad_jwt" });
  expect((await client.getSession()).data.session).not.toBeNull();
  expect((await client.refreshSession()).error).toBeNull();
});

test("refuses the eleventh guess with the time to wait, and resets the count after the right password", async () => {
  const { email } = await newAccount();
  const guess = (password: string) => post("token?grant_type=password", { email, password });
  for (const last of [PASSWORD, "wrong"]) {
    // Without checking a password.
    for (let at = 0; at < 8; at++) await limitAttempts(loadContext(), newVisit(), "sign_in", { account: email });
    expect((await guess("wrong")).status).toBe(400);
    expect((await guess(last)).status).toBe(last === PASSWORD ? 200 : 400);
  }
  const refused = await guess(PASSWORD);
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get("Retry-After"))).toBeGreaterThan(800);
  expect(await refused.json()).toMatchObject({
    error_code: "over_request_rate_limit",
    msg: "Too many attempts. Please try again in 15 minutes.",
  });
});

test("limits one address to thirty sign-ups an hour, without affecting others", async () => {
  const from = (address: string) =>
    post("signup", { email: newEmail(), password: "password1" }, { "CF-Connecting-IP": address });
  const statuses = await Promise.all(Array.from({ length: 31 }, async () => (await from("203.0.113.9")).status));
  expect(statuses.filter((status) => status === 429)).toHaveLength(1);
  expect((await from("203.0.113.10")).status).toBe(422);
});

/** Moves the last exchange of the session into the past. */
async function rotatedAgo({ user }: Session, ms: number): Promise<void> {
  const at = Date.now() - ms;
  await db.update(authSessions).set({ rotatedAt: at, lastUsedAt: at }).where(eq(authSessions.userId, user.id));
}

/** Counts as many refreshes as the limit allows, without refreshing. */
async function useUpRefreshes(account: string): Promise<void> {
  while ((await limitAttempts(loadContext(), newVisit(), "refresh", { account })).ok);
}

function browser(send: typeof fetch = toProduct): InstanceType<typeof AuthClient> {
  return new AuthClient({
    url: `${ORIGIN}/auth/v1`,
    fetch: send,
    autoRefreshToken: false,
    persistSession: false,
    detectSessionInUrl: false,
  });
}

function toProduct(input: unknown, init: unknown): Promise<never> {
  return SELF.fetch(String(input), init as RequestInit<RequestInitCfProperties>) as never;
}

async function account(): Promise<{ email: string; session: Session; cookie: string }> {
  const { email, cookie } = await signedIn();
  return { email, cookie, session: await tokensOf(cookie) };
}

function post(path: string, body: unknown, headers: Record<string, string> = {}) {
  return SELF.fetch(`${ORIGIN}/auth/v1/${path}`, {
    method: "POST",
    headers: { "Content-Type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
}

type RefreshBody = { access_token: string; refresh_token: string; error_code?: string };

async function refreshWith(refresh_token: string | undefined) {
  const response = await post("token?grant_type=refresh_token", { refresh_token });
  return { status: response.status, body: await response.json<RefreshBody>() };
}

async function userStatus(accessToken: string): Promise<number> {
  const response = await SELF.fetch(`${ORIGIN}/auth/v1/user`, { headers: { Authorization: `Bearer ${accessToken}` } });
  await response.body?.cancel();
  return response.status;
}

function sessionOf(session: Session | null): Session {
  if (!session) throw new Error("no session");
  return session;
}

function newEmail(): string {
  return `${crypto.randomUUID()}@test.example`;
}
