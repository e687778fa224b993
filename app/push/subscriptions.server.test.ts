import { SELF } from "cloudflare:test";
import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { endSession } from "#app/accounts/session/auth-sessions.server.ts";
import { authSessions, pushSubscriptions } from "#app/db/schema.server.ts";
import { deleteAccount } from "#app/delete-account.server.ts";
import { userSessionId } from "#app/support/protocol/session-id.ts";
import { DAY_MS } from "#app/time.ts";
import {
  accountOf,
  deliveriesTo,
  devicesOf,
  newBrowser,
  notifiedBrowser,
  pushEnv,
  receivedBy,
  sendPushes,
} from "#tests/stand-ins/push-devices.ts";
import type { BrowserSubscription } from "#tests/stand-ins/push-service.ts";
import { db } from "#tests/workerd/customer.ts";
import { type SignedInAccount, storedSignIn } from "#tests/workerd/signed-in-account.ts";
import { newVisitor, startChat } from "#tests/workerd/support-visitor.ts";
import { isPushServiceUrl } from "./push-service-url.ts";
import { queuePush } from "./queue-push.server.ts";
import { deleteUnseenDevices, ownerOfAccount, saveDevice } from "./subscriptions.server.ts";

const ORIGIN = "https://growline.example";
const CONTENT = { title: "Bo from Growline", body: "Hello", path: "/#support-chat", tag: "support" };

test("lets an account turn notifications on and off in its browser", async () => {
  const ada = await storedSignIn();
  const browser = await newBrowser();
  expect((await call("POST", ada.cookie, { kind: "web", ...browser })).status).toBe(200);
  expect(await devicesOf(ownerOfAccount(ada.userId))).toMatchObject([
    { kind: "web", sessionId: ada.sessionId, service: new URL(browser.endpoint).host },
  ]);
  const { key, devices } = await (await call("GET", ada.cookie)).json<{ key: string; devices: string[] }>();
  expect(Buffer.from(key, "base64url").length).toBe(65);
  expect(devices).toEqual([await digestOf(browser)]);
  expect((await call("DELETE", ada.cookie, { kind: "web", ...browser })).status).toBe(200);
  expect(await devicesOf(ownerOfAccount(ada.userId))).toEqual([]);
});

test("lets a visitor with a conversation do so, and nobody without one", async () => {
  const visitor = await newVisitor();
  const browser = await newBrowser();
  expect((await call("POST", visitor.cookie, { kind: "web", ...browser })).status).toBe(200);
  expect(await devicesOf(visitor.sessionId)).toMatchObject([{ sessionId: null }]);
  expect((await call("POST", "", { kind: "web", ...(await newBrowser()) })).status).toBe(404);
  expect(await (await call("GET", "")).json()).toMatchObject({ devices: [] });
});

test("shows and removes nobody else's device", async () => {
  const [ada, eve] = [await storedSignIn(), await storedSignIn()];
  const browser = await newBrowser();
  await call("POST", ada.cookie, { kind: "web", ...browser });
  expect(await (await call("GET", eve.cookie)).json()).toMatchObject({ devices: [] });
  await call("DELETE", eve.cookie, { kind: "web", ...browser });
  const replaced = await call("POST", eve.cookie, { kind: "web", ...(await newBrowser()), replaces: browser });
  expect(replaced.status).toBe(422);
  const replacing = { kind: "web", ...(await newBrowser()), replaces: { kind: "web", ...browser } };
  expect((await call("POST", eve.cookie, replacing)).status).toBe(404);
  expect(await devicesOf(ownerOfAccount(ada.userId))).toHaveLength(1);
  expect(await devicesOf(ownerOfAccount(eve.userId))).toEqual([]);
});

test("lists no device of another session, which may have ended", async () => {
  const ada = await storedSignIn();
  const browser = await notifiedBrowser(accountOf(await otherSession(ada)));
  expect(await (await call("GET", ada.cookie)).json()).toMatchObject({ devices: [] });
  await call("POST", ada.cookie, { kind: "web", ...browser });
  expect(await (await call("GET", ada.cookie)).json()).toMatchObject({ devices: [await digestOf(browser)] });
  expect(await devicesOf(ownerOfAccount(ada.userId))).toMatchObject([{ sessionId: ada.sessionId }]);
});

test("keeps the key of a subscription that the browser renews", async () => {
  const ada = await storedSignIn();
  const [before, after] = [await notifiedBrowser(accountOf(ada)), await newBrowser()];
  await db.update(pushSubscriptions).set({ serverKey: "older" }).where(eq(pushSubscriptions.sessionId, ada.sessionId));
  const replaces = { kind: "web", ...before };
  expect((await call("POST", ada.cookie, { kind: "web", ...after, replaces })).status).toBe(200);
  expect(await devicesOf(ownerOfAccount(ada.userId))).toMatchObject([
    { digest: await digestOf(after), serverKey: "older" },
  ]);
});

test("leaves a device with its owner when somebody knows only its endpoint", async () => {
  const [ada, eve] = [await storedSignIn(), await storedSignIn()];
  const browser = await newBrowser();
  await call("POST", ada.cookie, { kind: "web", ...browser });
  await call("POST", eve.cookie, { kind: "web", endpoint: browser.endpoint, keys: (await newBrowser()).keys });
  expect(await devicesOf(ownerOfAccount(ada.userId))).toHaveLength(1);
});

test("moves a shared browser to the account that uses it now, without what was queued for the other", async () => {
  const [ada, bea] = [await storedSignIn(), await storedSignIn()];
  const browser = await notifiedBrowser(accountOf(ada));
  await queue(ownerOfAccount(ada.userId), "order:1");
  await call("POST", bea.cookie, { kind: "web", ...browser });
  expect(await devicesOf(ownerOfAccount(ada.userId))).toEqual([]);
  expect(await devicesOf(ownerOfAccount(bea.userId))).toHaveLength(1);
  await sendPushes();
  expect(await receivedBy(browser)).toEqual([]);
});

test("keeps a visitor's notifications when they sign in", async () => {
  const visitor = await newVisitor();
  const ada = await storedSignIn();
  await call("POST", visitor.cookie, { kind: "web", ...(await newBrowser()) });
  await startChat({ name: "Ada" }, `${visitor.cookie}; ${ada.cookie}`);
  expect(await devicesOf(visitor.sessionId)).toEqual([]);
  expect(await devicesOf(userSessionId(ada.userId))).toMatchObject([{ sessionId: ada.sessionId }]);
});

test("keeps the ten devices seen last", async () => {
  const ada = await storedSignIn();
  const browsers: BrowserSubscription[] = [];
  for (let at = 0; at < 12; at++) browsers.push(await notifiedBrowser(accountOf(ada)));
  const kept = (await devicesOf(ownerOfAccount(ada.userId))).map(({ digest }) => digest);
  const newest = await Promise.all(browsers.slice(2).map(digestOf));
  expect(kept.toSorted()).toEqual(newest.toSorted());
});

test("forgets the browser at log-out, and sends nothing there", async () => {
  const ada = await storedSignIn();
  const other = await notifiedBrowser(accountOf(await otherSession(ada)));
  const browser = await notifiedBrowser(accountOf(ada));
  const out = await SELF.fetch(`${ORIGIN}/logout`, {
    method: "POST",
    headers: { Origin: ORIGIN, Cookie: ada.cookie },
    redirect: "manual",
  });
  expect(out.status).toBe(302);
  await expect.poll(() => devicesOf(ownerOfAccount(ada.userId)), { timeout: 90_000 }).toHaveLength(1);
  await queue(ownerOfAccount(ada.userId), "order:2");
  await sendPushes();
  expect(await receivedBy(browser)).toEqual([]);
  expect(await receivedBy(other)).toHaveLength(1);
});

test("sends nothing to a session that has ended or reached its limit, and forgets its browser", async () => {
  const [ada, bea] = [await storedSignIn(), await storedSignIn()];
  const browsers = [await notifiedBrowser(accountOf(ada)), await notifiedBrowser(accountOf(bea))];
  await endSession(db, ada.userId, ada.sessionId);
  await db.update(authSessions).set({ lastUsedAt: 1 }).where(eq(authSessions.id, bea.sessionId));
  for (const { userId } of [ada, bea]) await queue(ownerOfAccount(userId), "order:3");
  await sendPushes();
  for (const browser of browsers) expect(await receivedBy(browser)).toEqual([]);
  for (const { userId } of [ada, bea]) expect(await devicesOf(ownerOfAccount(userId))).toEqual([]);
});

test("refuses a device of a session that ended while the request ran", async () => {
  const ada = await storedSignIn();
  await endSession(db, ada.userId, ada.sessionId);
  const saved = await saveDevice(db, pushEnv(), accountOf(ada), { kind: "web", ...(await newBrowser()) });
  expect(saved).toEqual({ ok: false, reason: "session_ended" });
});

test("goes with the account", async () => {
  const ada = await storedSignIn();
  const browser = await notifiedBrowser(accountOf(ada));
  await queue(ownerOfAccount(ada.userId), "order:4");
  await deleteAccount(db, pushEnv(), ada.userId);
  expect(await devicesOf(ownerOfAccount(ada.userId))).toEqual([]);
  await sendPushes();
  expect(await receivedBy(browser)).toEqual([]);
});

test("forgets browsers that were not seen for half a year", async () => {
  const visitor = await newVisitor();
  await notifiedBrowser({ id: visitor.sessionId, session: null });
  await deleteUnseenDevices(db);
  expect(await devicesOf(visitor.sessionId)).toHaveLength(1);
  await db
    .update(pushSubscriptions)
    .set({ seenAt: Date.now() - 181 * DAY_MS })
    .where(eq(pushSubscriptions.owner, visitor.sessionId));
  await deleteUnseenDevices(db);
  expect(await devicesOf(visitor.sessionId)).toEqual([]);
});

test("calls known push services only", () => {
  for (const url of [
    "https://fcm.googleapis.com/fcm/send/abc:def",
    "https://jmt17.google.com/fcm/send/abc:def",
    "https://updates.push.services.mozilla.com/wpush/v2/abc",
    "https://web.push.apple.com/abc",
    "https://wns2-par02p.notify.windows.com/w/?token=abc",
  ]) {
    expect(isPushServiceUrl(url, false), url).toBe(true);
  }
  for (const url of [
    "http://fcm.googleapis.com/fcm/send/abc",
    "https://fcm.googleapis.com:8443/fcm/send/abc",
    "https://user@fcm.googleapis.com/fcm/send/abc",
    "https://fcm.googleapis.com.evil.example/abc",
    "https://evil.example/?https://fcm.googleapis.com/",
    "https://169.254.169.254/latest",
    "https://localhost/abc",
    "https://[::1]/abc",
    "https://xfcm.googleapis.com/abc",
    "not a url",
  ]) {
    expect(isPushServiceUrl(url, false), url).toBe(false);
  }
});

test("refuses a device that can't be one", async () => {
  const { cookie } = await storedSignIn();
  const browser = await newBrowser();
  for (const body of [
    null,
    {},
    { kind: "web", endpoint: browser.endpoint },
    { kind: "web", ...browser, endpoint: `${browser.endpoint}${"x".repeat(1000)}` },
    { kind: "web", ...browser, endpoint: "ftp://127.0.0.1/" },
    { kind: "web", ...browser, keys: { ...browser.keys, p256dh: "AAAA" } },
    { kind: "web", ...browser, keys: { ...browser.keys, auth: "AAAA" } },
    { kind: "android", token: "short" },
    { kind: "android", token: `${"x".repeat(40)} ${"y".repeat(40)}` },
  ]) {
    expect((await call("POST", cookie, body)).status, JSON.stringify(body)).toBe(422);
  }
  // The worker of the tests has no Firebase account.
  expect((await call("POST", cookie, { kind: "android", token: "x".repeat(100) })).status).toBe(404);
});

test("takes a limited number of changes an hour", async () => {
  const { cookie } = await storedSignIn();
  for (let at = 0; at < 60; at++) expect((await call("DELETE", cookie, {})).status).toBe(422);
  expect((await call("DELETE", cookie, {})).status).toBe(429);
});

test("refuses a change from another site", async () => {
  const { cookie } = await storedSignIn();
  const response = await SELF.fetch(`${ORIGIN}/push/subscriptions`, {
    method: "POST",
    headers: { Origin: "https://evil.example", Cookie: cookie },
    body: JSON.stringify({ kind: "web", ...(await newBrowser()) }),
  });
  expect(response.status).toBe(403);
});

function call(method: "GET" | "POST" | "DELETE", cookie: string, body?: unknown): Promise<Response> {
  return SELF.fetch(`${ORIGIN}/push/subscriptions`, {
    method,
    headers: { "Content-Type": "application/json", Origin: ORIGIN, Cookie: cookie },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
}

async function queue(owner: string, event: string): Promise<void> {
  await queuePush(db, owner, { event, kind: "reply", content: CONTENT, now: Date.now() }).queue;
  expect((await deliveriesTo(owner)).length).toBeGreaterThan(0);
}

async function otherSession({ userId }: SignedInAccount): Promise<{ userId: string; sessionId: string }> {
  const [session] = await db.select().from(authSessions).where(eq(authSessions.userId, userId));
  if (!session) throw new Error("no session");
  const sessionId = crypto.randomUUID();
  await db.insert(authSessions).values({ ...session, id: sessionId, refreshDigest: null });
  return { userId, sessionId };
}

async function digestOf({ endpoint, keys }: BrowserSubscription): Promise<string> {
  const text = new TextEncoder().encode([endpoint, keys.p256dh, keys.auth].join(" "));
  return Buffer.from(await crypto.subtle.digest("SHA-256", text)).toString("hex");
}
