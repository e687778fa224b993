import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { knownDevice, MAX_KNOWN_DEVICES } from "#app/accounts/devices/known-devices.server.ts";
import { listSecurityEvents } from "#app/accounts/events/security-events.server.ts";
import { limitAttempts } from "#app/accounts/password/attempts.server.ts";
import { listSessions, newSession, sessionByPassword } from "#app/accounts/session/auth-sessions.server.ts";
import { readVisit, signedInCookies, type Visit } from "#app/accounts/visit/visit.server.ts";
import { connect, type Db } from "#app/db/db.server.ts";
import { emails, knownDevices, profiles, users } from "#app/db/schema.server.ts";
import { openContent } from "#app/email/queue-email.server.ts";
import { withoutDispatcher } from "#tests/workerd/email-api.ts";
import { accessOf, newAccount, PASSWORD } from "#tests/workerd/new-account.ts";
import { newVisit } from "#tests/workerd/new-visit.ts";
import { loadContext } from "#tests/workerd/test-context.ts";
import { completeLogIn, type SignedIn } from "./complete-sign-in.server.ts";
import { logIn, signUp } from "./sign-in.server.ts";

const db = connect(env.DB);
const context = loadContext({ env: withoutDispatcher(env) });

test("emails the owner about a log-in on another device, and about none on a known one", async () => {
  const { userId, email } = await newAccount();
  const first = await logInWith(email);
  await logInWith(email, first.deviceId);
  expect(await alertsTo(email)).toEqual([]);
  const second = await logInWith(email);
  const [alert, ...more] = await alertsTo(email);
  expect(more).toEqual([]);
  expect(alert).toMatch(/Device: Firefox on Linux\s+Time: \w+ \d+, \d{4} at .* UTC\s+Network: 198\.51\.100\.7/);
  await logInWith(email, second.deviceId);
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
  expect(await logIn({ ...context, db: slow }, from(), { email, password: PASSWORD })).toMatchObject({ ok: true });
  expect([await alertsTo(email), (await alertsTo(changed)).length]).toEqual([[], 1]);
});

test("sends no alert for a sign-up, and a bounded number per hour to clients without cookies", async () => {
  const email = `${crypto.randomUUID()}@test.example`;
  await signUp(context, from(), { email, password: PASSWORD, fullName: "" });
  expect(await alertsTo(email)).toEqual([]);
  for (let i = 0; i < 7; i++) await logInWith(email);
  expect(await alertsTo(email)).toHaveLength(5);
});

test("gives a device attempts of its own at the account that logged in on it, unless its cookie is forged", async () => {
  const [account, stranger] = [await newAccount(), await newAccount()];
  const { deviceId } = await logInWith(account.email);
  const attempt = (sent: string | null, email: string) =>
    logIn(context, from({ deviceId: sent }), { email, password: "wrong" });
  for (const { email } of [account, stranger]) {
    // The same count as of attempts, which each hash a password.
    for (let i = 0; i < 10; i++) await limitAttempts(context, from(), "sign_in", { account: email });
  }
  expect(await attempt(deviceId, account.email.toUpperCase())).toMatchObject({ status: 400 });
  expect(await attempt(deviceId, stranger.email)).toMatchObject({ status: 429 });
  expect(await attempt(null, account.email)).toMatchObject({ status: 429 });
  const forged = await withForgedCookies({ deviceId, sessionId: "" });
  expect(await logIn(context, forged, { email: account.email, password: "wrong" })).toMatchObject({ status: 429 });
});

test("remembers a bounded number of devices, and forgets the longest unused", async () => {
  const { userId, email } = await newAccount();
  const { deviceId } = await logInWith(email);
  await db.update(knownDevices).set({ lastSeenAt: 1 }).where(eq(knownDevices.userId, userId));
  const many = Array.from({ length: MAX_KNOWN_DEVICES - 1 }, (_, i) => ({
    userId,
    deviceDigest: `device ${i}`,
    firstSeenAt: 2,
    lastSeenAt: 2,
  }));
  await db.insert(knownDevices).values(many);
  expect(await knownDevice(db, from({ deviceId }), { userId })).not.toBeNull();
  await logInWith(email);
  expect(await knownDevice(db, from({ deviceId }), { userId })).toBeNull();
  expect(await db.$count(knownDevices, eq(knownDevices.userId, userId))).toBe(MAX_KNOWN_DEVICES);
});

test("ends the session that the browser had before, and none after a wrong password or by a forged cookie", async () => {
  const { userId, email } = await newAccount();
  const first = await logInWith(email);
  await logIn(context, from({ previousSession: first.sessionId }), { email, password: "wrong" });
  await logIn(context, await withForgedCookies(first), { email, password: PASSWORD });
  expect(await sessionsOf(userId)).toContain(first.sessionId);
  const next = await logIn(context, from({ previousSession: first.sessionId }), { email, password: PASSWORD });
  if (!next.ok || next.isPending) throw new Error("not signed in");
  expect(await sessionsOf(userId)).toContain(next.sessionId);
  expect(await sessionsOf(userId)).not.toContain(first.sessionId);
  await signUp(context, from({ previousSession: next.sessionId }), {
    email: `x${email}`,
    password: PASSWORD,
    fullName: "",
  });
  expect(await sessionsOf(userId)).not.toContain(next.sessionId);
});

test("starts no session, and changes nothing else, if the log-in cannot be recorded", async () => {
  const { userId, email } = await newAccount();
  const first = await logInWith(email);
  const before = await accessOf(userId);
  const visit = from({ previousSession: first.sessionId });
  const session = newSession(db, { userId, visit });
  const history = { hasDevices: true, isKnown: false };
  const impossible = db
    .insert(knownDevices)
    .values({ userId: "nobody", deviceDigest: "", firstSeenAt: 1, lastSeenAt: 1 });
  const completed = completeLogIn(context, visit, { userId, session, history }, [impossible]);
  await expect(completed).rejects.toThrow();
  expect(await accessOf(userId)).toEqual(before);
  expect(await alertsTo(email)).toEqual([]);
});

test("changes nothing if the account doesn't fulfil the condition of the session any more", async () => {
  const { userId, email } = await newAccount();
  const first = await logInWith(email);
  const before = await accessOf(userId);
  const visit = from({ previousSession: first.sessionId });
  const session = sessionByPassword(db, { userId, passwordHash: "an older hash", visit });
  const history = { hasDevices: true, isKnown: false };
  expect(await completeLogIn(context, visit, { userId, session, history })).toBeNull();
  expect(await accessOf(userId)).toEqual(before);
  expect(await alertsTo(email)).toEqual([]);
});

async function sessionsOf(userId: string): Promise<string[]> {
  return (await listSessions(db, userId)).map(({ id }) => id);
}

async function logInWith(email: string, deviceId: string | null = null): Promise<SignedIn> {
  const signedIn = await logIn(context, from({ deviceId }), { email, password: PASSWORD });
  if (!signedIn.ok || signedIn.isPending) throw new Error("not signed in");
  return signedIn;
}

function from(given: Partial<Visit> = {}): Visit {
  return newVisit({ device: "Firefox on Linux", network: "198.51.100.7", ...given });
}

/** A visit by a browser that sends back the cookies of a log-in, whose ids somebody has changed. */
async function withForgedCookies(signedIn: Pick<SignedIn, "sessionId" | "deviceId">): Promise<Visit> {
  const cookies = await signedInCookies(env, from(), signedIn);
  const sent = cookies.map((cookie) => (cookie.split(";")[0] ?? "").replace(/=.{9}/, "=AAAAAAAAA"));
  const headers = { Cookie: sent.join("; "), "CF-Connecting-IP": "198.51.100.7" };
  return readVisit(context, new Request(from().url, { headers }));
}

async function alertsTo(email: string): Promise<string[]> {
  const queued = await db.select().from(emails).where(eq(emails.recipient, email));
  const alerts = queued.filter(({ kind }) => kind === "new_device");
  return Promise.all(
    alerts.map(async ({ id, sealedContent }) => (await openContent(env, id, sealedContent ?? "")).text),
  );
}
