import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { knownDevice, MAX_KNOWN_DEVICES } from "#app/accounts/devices/known-devices.server.ts";
import { listSecurityEvents } from "#app/accounts/events/security-events.server.ts";
import { limitAttempts } from "#app/accounts/password/attempts.server.ts";
import { listSessions, newSession, sessionByPassword } from "#app/accounts/session/auth-sessions.server.ts";
import { connect, type Db } from "#app/db/db.server.ts";
import { emails, knownDevices, profiles, users } from "#app/db/schema.server.ts";
import { openContent } from "#app/email/queue-email.server.ts";
import { withoutDispatcher } from "#tests/workerd/email-api.ts";
import { accessOf, newAccount, PASSWORD } from "#tests/workerd/new-account.ts";
import { loadContext } from "#tests/workerd/test-context.ts";
import { completeLogIn, type SignedIn } from "./complete-sign-in.server.ts";
import { logIn, signUp } from "./sign-in.server.ts";

const db = connect(env.DB);
const context = loadContext({ env: withoutDispatcher(env) });
const FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";

test("emails the owner about a log-in on another device, and about none on a known one", async () => {
  const { userId, email } = await newAccount();
  const first = await logInWith(email);
  await logInWith(email, first.deviceCookie);
  expect(await alertsTo(email)).toEqual([]);
  const second = await logInWith(email);
  const [alert, ...more] = await alertsTo(email);
  expect(more).toEqual([]);
  expect(alert).toMatch(/Device: Firefox on Linux\s+Time: \w+ \d+, \d{4} at .* UTC\s+Network: 198\.51\.100\.7/);
  await logInWith(email, second.deviceCookie);
  expect(await alertsTo(email)).toHaveLength(1);
  const events = await listSecurityEvents(db, userId, { limit: 9 });
  expect(events.map(({ kind }) => kind)).toEqual(["log_in", "new_device", "log_in", "log_in"]);
});

test("emails the owner at the address that the account has by the time the session starts", async () => {
  const { userId, email } = await newAccount();
  await logInWith(email);
  const changed = `${crypto.randomUUID()}@test.example`;
  let batches = 0;
  // The second batch follows the check of the password.
  const batch: Db["batch"] = async (statements) => {
    batches += 1;
    if (batches === 2) {
      await db.update(users).set({ email: changed }).where(eq(users.id, userId));
      await db.update(profiles).set({ email: changed }).where(eq(profiles.userId, userId));
    }
    return db.batch(statements);
  };
  const slow = Object.assign(connect(env.DB), { batch });
  expect(await logIn({ ...context, db: slow }, post(), { email, password: PASSWORD })).toMatchObject({ ok: true });
  expect([await alertsTo(email), (await alertsTo(changed)).length]).toEqual([[], 1]);
});

test("sends no alert for a sign-up, and a bounded number per hour to clients without cookies", async () => {
  const email = `${crypto.randomUUID()}@test.example`;
  await signUp(context, post(), { email, password: PASSWORD, fullName: "" });
  expect(await alertsTo(email)).toEqual([]);
  for (let i = 0; i < 7; i++) await logInWith(email);
  expect(await alertsTo(email)).toHaveLength(5);
});

test("gives a device attempts of its own at the account that logged in on it, unless its cookie is forged", async () => {
  const [account, stranger] = [await newAccount(), await newAccount()];
  const { deviceCookie } = await logInWith(account.email);
  const attempt = (cookie: string, email: string) => logIn(context, post(cookie), { email, password: "wrong" });
  for (const { email } of [account, stranger]) {
    // The same count as of attempts, which each hash a password.
    for (let i = 0; i < 10; i++) await limitAttempts(context, post(), "sign_in", { account: email });
  }
  expect(await attempt(deviceCookie, account.email.toUpperCase())).toMatchObject({ status: 400 });
  expect(await attempt(deviceCookie, stranger.email)).toMatchObject({ status: 429 });
  expect(await attempt("", account.email)).toMatchObject({ status: 429 });
  expect(await attempt(deviceCookie.replace(/=.{9}/, "=AAAAAAAAA"), account.email)).toMatchObject({ status: 429 });
});

test("remembers a bounded number of devices, and forgets the longest unused", async () => {
  const { userId, email } = await newAccount();
  const { deviceCookie } = await logInWith(email);
  await db.update(knownDevices).set({ lastSeenAt: 1 }).where(eq(knownDevices.userId, userId));
  const many = Array.from({ length: MAX_KNOWN_DEVICES - 1 }, (_, i) => ({
    userId,
    deviceDigest: `device ${i}`,
    firstSeenAt: 2,
    lastSeenAt: 2,
  }));
  await db.insert(knownDevices).values(many);
  expect(await knownDevice(context, post(deviceCookie), { userId })).not.toBeNull();
  await logInWith(email);
  expect(await knownDevice(context, post(deviceCookie), { userId })).toBeNull();
  expect(await db.$count(knownDevices, eq(knownDevices.userId, userId))).toBe(MAX_KNOWN_DEVICES);
});

test("ends the session that the browser had before, and none after a wrong password or by a forged cookie", async () => {
  const { userId, email } = await newAccount();
  const first = await logInWith(email);
  await logIn(context, post(first.cookie), { email, password: "wrong" });
  await logInWith(email, first.cookie.replace(/=.{9}/, "=AAAAAAAAA"));
  expect(await sessionsOf(userId)).toContain(first.sessionId);
  const next = await logInWith(email, first.cookie);
  expect(await sessionsOf(userId)).toContain(next.sessionId);
  expect(await sessionsOf(userId)).not.toContain(first.sessionId);
  await signUp(context, post(next.cookie), { email: `x${email}`, password: PASSWORD, fullName: "" });
  expect(await sessionsOf(userId)).not.toContain(next.sessionId);
});

test("starts no session, and changes nothing else, if the log-in cannot be recorded", async () => {
  const { userId, email } = await newAccount();
  const first = await logInWith(email);
  const before = await accessOf(userId);
  const session = newSession(db, { userId, request: post() });
  const history = { hasDevices: true, isKnown: false };
  const impossible = db
    .insert(knownDevices)
    .values({ userId: "nobody", deviceDigest: "", firstSeenAt: 1, lastSeenAt: 1 });
  const completed = completeLogIn(context, post(first.cookie), { userId, session, history }, [impossible]);
  await expect(completed).rejects.toThrow();
  expect(await accessOf(userId)).toEqual(before);
  expect(await alertsTo(email)).toEqual([]);
});

test("changes nothing if the account doesn't fulfil the condition of the session any more", async () => {
  const { userId, email } = await newAccount();
  const first = await logInWith(email);
  const before = await accessOf(userId);
  const session = sessionByPassword(db, { userId, passwordHash: "an older hash", request: post() });
  const history = { hasDevices: true, isKnown: false };
  expect(await completeLogIn(context, post(first.cookie), { userId, session, history })).toBeNull();
  expect(await accessOf(userId)).toEqual(before);
  expect(await alertsTo(email)).toEqual([]);
});

async function sessionsOf(userId: string): Promise<string[]> {
  return (await listSessions(db, userId)).map(({ id }) => id);
}

async function logInWith(email: string, cookie = ""): Promise<SignedIn> {
  const signedIn = await logIn(context, post(cookie), { email, password: PASSWORD });
  if (!signedIn.ok || signedIn.isPending) throw new Error("not signed in");
  return signedIn;
}

/** `cookie`: a Set-Cookie header to send back. */
function post(cookie = ""): Request {
  const [sent = ""] = cookie.split(";");
  const headers = { Cookie: sent, "User-Agent": FIREFOX, "CF-Connecting-IP": "198.51.100.7" };
  return new Request("https://growline.example/auth/login", { method: "POST", headers });
}

async function alertsTo(email: string): Promise<string[]> {
  const queued = await db.select().from(emails).where(eq(emails.recipient, email));
  const alerts = queued.filter(({ kind }) => kind === "new_device");
  return Promise.all(
    alerts.map(async ({ id, sealedContent }) => (await openContent(env, id, sealedContent ?? "")).text),
  );
}
