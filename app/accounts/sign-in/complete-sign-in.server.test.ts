import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { knownDevice, MAX_KNOWN_DEVICES } from "#app/accounts/devices/known-devices.server.ts";
import { listSecurityEvents } from "#app/accounts/events/security-events.server.ts";
import { listSessions, startSession } from "#app/accounts/session/auth-sessions.server.ts";
import { connect } from "#app/db/db.server.ts";
import { emails, knownDevices } from "#app/db/schema.server.ts";
import { openContent } from "#app/email/queue-email.server.ts";
import { withoutDispatcher } from "#tests/workerd/email-api.ts";
import { newAccount, PASSWORD } from "#tests/workerd/new-account.ts";
import { loadContext } from "#tests/workerd/test-context.ts";
import { completeSignIn, type SignedIn } from "./complete-sign-in.server.ts";
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

test("sends no alert for a sign-up, and a bounded number per hour to clients without cookies", async () => {
  const email = `${crypto.randomUUID()}@test.example`;
  await signUp(context, post(), { email, password: PASSWORD, fullName: "" });
  expect(await alertsTo(email)).toEqual([]);
  for (let i = 0; i < 7; i++) await logInWith(email);
  expect(await alertsTo(email)).toHaveLength(5);
});

test("knows a device by the account that logged in on it, and by no forged cookie", async () => {
  const [account, stranger] = [await newAccount(), await newAccount()];
  const { deviceCookie } = await logInWith(account.email);
  const request = post(deviceCookie);
  expect(await knownDevice(context, request, { email: account.email.toUpperCase() })).toMatch(/^[0-9a-f]{64}$/);
  expect(await knownDevice(context, request, { userId: account.userId })).toMatch(/^[0-9a-f]{64}$/);
  expect(await knownDevice(context, request, { email: stranger.email })).toBeNull();
  expect(await knownDevice(context, post(), { email: account.email })).toBeNull();
  expect(await knownDevice(context, post(deviceCookie.replace(/=.{9}/, "=AAAAAAAAA")), account)).toBeNull();
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

test("ends the new session if the log-in cannot be recorded", async () => {
  const { userId } = await newAccount();
  const sessionId = await startSession(db, { userId, request: post() });
  const work: Promise<unknown>[] = [];
  const failing = Object.assign(connect(env.DB), { batch: () => Promise.reject(new Error("D1 is away")) });
  const broken = loadContext({ db: failing, waitUntil: (one) => void work.push(one) });
  await expect(completeSignIn(broken, post(), { userId, sessionId })).rejects.toThrow("D1 is away");
  await Promise.all(work);
  expect(await sessionsOf(userId)).toEqual([]);
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
