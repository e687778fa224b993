import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { beforeEach, expect, test, vi } from "vitest";
import { isRunning } from "#app/accounts/session/auth-sessions.server.ts";
import { connect } from "#app/db/db.server.ts";
import { type PushKind, pushDeliveries } from "#app/db/schema.server.ts";
import { deleteOldPushes, runPushQueue, wakeForDuePushes } from "#app/push/push-queue.server.ts";
import { queuePush } from "#app/push/queue-push.server.ts";
import { type Owner, saveDevice } from "#app/push/subscriptions.server.ts";
import { HOUR_MS } from "#app/time.ts";
import {
  deliveriesTo,
  devicesOf,
  failNext,
  notifiedBrowser,
  pushDispatcher,
  pushEnv,
  receivedBy,
  sendPushes,
} from "#tests/stand-ins/push-devices.ts";
import { countedDatabase } from "#tests/workerd/counted-database.ts";
import { db } from "#tests/workerd/customer.ts";
import { repeatAlarm } from "#tests/workerd/repeat-alarm.ts";

const WAIT = { timeout: 90_000, interval: 50 };
const MAX_READ_FOR_NOBODY = 3;
/** More than the parameters of a query. */
const MANY_ORDERS = 110;
const REPLY = { title: "Bo from Growline", body: "Hello", path: "/#support-chat", tag: "support" };

beforeEach(async () => {
  // Each test counts only what is its own.
  await db.delete(pushDeliveries);
});

test("sends a notification encrypted, signed, with its time to live and its topic", async () => {
  const owner = newVisitorOwner();
  const browser = await notifiedBrowser(owner);
  await queue(owner, "reply:1:2", "reply", { ...REPLY, body: "x".repeat(500) });
  expect(await sendPushes()).toBeNull();
  const [received, ...rest] = await receivedBy(browser);
  expect(rest).toEqual([]);
  const [delivery] = await deliveriesTo(owner.id);
  expect(received?.message).toEqual({ ...REPLY, body: `${"x".repeat(139)}…`, id: "reply:1:2" });
  expect(received?.headers).toMatchObject({
    topic: expect.stringMatching(/^[\w-]{32}$/),
    urgency: "high",
    ttl: expect.stringMatching(/^8\d{4}$/),
  });
  expect(delivery).toMatchObject({ status: "sent", content: null, nextAttemptAt: null, attempts: 1 });
});

test("queues one event once per device, however often it is reported", async () => {
  const owner = newVisitorOwner();
  const browsers = [await notifiedBrowser(owner), await notifiedBrowser(owner)];
  expect(await queue(owner, "reply:1:2")).toBe(2);
  expect(await queue(owner, "reply:1:2")).toBe(0);
  await sendPushes();
  expect(await queue(owner, "reply:1:2")).toBe(0);
  await sendPushes();
  for (const browser of browsers) expect(await receivedBy(browser)).toHaveLength(1);
});

test("gives a notification no id of an earlier one, also once that is deleted", async () => {
  const owner = newVisitorOwner();
  const browser = await notifiedBrowser(owner);
  for (const event of ["reply:1:2", "reply:1:3"]) {
    await queue(owner, event);
    await sendPushes();
    await db.delete(pushDeliveries);
  }
  expect(new Set((await receivedBy(browser)).map(({ message }) => message.id)).size).toBe(2);
});

test("shows only the last of several replies", async () => {
  const owner = newVisitorOwner();
  const browser = await notifiedBrowser(owner);
  await queue(owner, "reply:1:2", "reply", { ...REPLY, body: "First" });
  await queue(owner, "reply:1:3", "reply", { ...REPLY, body: "Last" });
  await sendPushes();
  expect((await receivedBy(browser)).map(({ message }) => message.body)).toEqual(["Last"]);
  expect(await deliveriesTo(owner.id)).toMatchObject([{ status: "sent" }, { status: "sent" }]);
});

test("collects the orders of the minute after one that was shown", async () => {
  const owner = newVisitorOwner();
  const browser = await notifiedBrowser(owner);
  const now = Date.now();
  await queue(owner, "order:1", "order", { ...REPLY, title: "Order 1 completed" }, now - 70_000);
  await sendPushes();
  await queue(owner, "order:2", "order", { ...REPLY, title: "Order 2 completed" }, now - 65_000);
  await queue(owner, "order:3", "order", { ...REPLY, title: "Order 3 completed" }, now - 15_000);
  expect((await deliveriesTo(owner.id)).map(({ nextAttemptAt }) => nextAttemptAt)).toEqual([
    null,
    now - 10_000,
    now - 10_000,
  ]);
  await sendPushes();
  const [first, second] = (await receivedBy(browser)).map(({ message }) => message);
  expect(first).toMatchObject({ title: "Order 1 completed" });
  expect(second).toMatchObject({
    title: "2 orders ended",
    body: "Order 2 completed, Order 3 completed",
    path: "/dashboard/orders",
  });
});

test("counts all orders that end together in one notification", async () => {
  const owner = newVisitorOwner();
  const browser = await notifiedBrowser(owner);
  const ended = Array.from({ length: MANY_ORDERS }, (_, at) => ({ ...REPLY, title: `Order ${at} completed` }));
  const now = Date.now();
  for (const [at, content] of ended.entries()) {
    await queuePush(db, owner.id, { event: `order:${at}`, kind: "order", content, now }).queue;
  }
  expect(await sendPushes()).toBeNull();
  const [received, ...rest] = await receivedBy(browser);
  expect(rest).toEqual([]);
  expect(received?.message.title).toBe(`${MANY_ORDERS} orders ended`);
  expect(received?.message.body).toMatch(/^Order 0 completed, Order 1 completed, .*…$/);
});

test("forgets a device that its push service no longer knows", async () => {
  const owner = newVisitorOwner();
  const [gone, kept] = [await notifiedBrowser(owner), await notifiedBrowser(owner)];
  await failNext(gone, "gone");
  await queue(owner, "reply:1:2");
  await sendPushes();
  expect(await devicesOf(owner.id)).toHaveLength(1);
  expect(await receivedBy(kept)).toHaveLength(1);
});

test("waits as long as the push service asks, and longer after each failure", async () => {
  const owner = newVisitorOwner();
  const browser = await notifiedBrowser(owner);
  await failNext(browser, "busy");
  await queue(owner, "reply:1:2");
  const before = Date.now();
  const next = await sendPushes();
  expect(next).toBeGreaterThan(60_000);
  const [asked] = await deliveriesTo(owner.id);
  expect(asked?.nextAttemptAt).toBeGreaterThanOrEqual(before + 120_000);
  expect(asked).toMatchObject({ status: "queued", attempts: 1, lastError: "HTTP 429" });

  await failNext(browser, "error");
  await makeDue(asked?.id);
  await sendPushes();
  const [failed] = await deliveriesTo(owner.id);
  expect(failed).toMatchObject({ status: "queued", attempts: 2, lastError: "HTTP 500" });
  expect(failed?.nextAttemptAt).toBeLessThan(Date.now() + 60_000);

  await makeDue(asked?.id);
  expect(await sendPushes()).toBeNull();
  expect(await deliveriesTo(owner.id)).toMatchObject([{ status: "sent", attempts: 3 }]);
});

test("gives up a notification that nobody needs after a day", async () => {
  const owner = newVisitorOwner();
  const browser = await notifiedBrowser(owner);
  await queue(owner, "reply:1:2", "reply", REPLY, Date.now() - 25 * HOUR_MS);
  expect(await sendPushes()).toBeNull();
  expect(await receivedBy(browser)).toEqual([]);
  expect(await deliveriesTo(owner.id)).toMatchObject([{ status: "expired", content: null }]);
});

test("keeps sending by a key that is being replaced, and forgets devices of one that is gone", async () => {
  const owner = newVisitorOwner();
  const browser = await notifiedBrowser(owner);
  const newKey = await newVapidKey();
  await queue(owner, "reply:1:2");
  await runPushQueue(db, { ...pushEnv(), VAPID_KEYS: `${newKey},${env.VAPID_KEYS}` }, isRunning(Date.now()));
  expect(await receivedBy(browser)).toHaveLength(1);
  await queue(owner, "reply:1:3");
  await runPushQueue(db, { ...pushEnv(), VAPID_KEYS: "" }, isRunning(Date.now()));
  expect(await deliveriesTo(owner.id)).toContainEqual(expect.objectContaining({ lastError: "VAPID_KEYS is not set" }));
  await db.update(pushDeliveries).set({ nextAttemptAt: 1 }).where(eq(pushDeliveries.status, "queued"));
  await runPushQueue(db, { ...pushEnv(), VAPID_KEYS: newKey }, isRunning(Date.now()));
  expect(await devicesOf(owner.id)).toEqual([]);
  expect(await receivedBy(browser)).toHaveLength(1);
});

test("sends the same event again after a kill, which the device tells by its id", async () => {
  const owner = newVisitorOwner();
  const browser = await notifiedBrowser(owner);
  await failNext(browser, "hang");
  await queue(owner, "reply:1:2");
  await pushDispatcher().wake("push");
  await vi.waitUntil(async () => (await receivedBy(browser)).length === 1, WAIT);
  await kill();
  expect(await deliveriesTo(owner.id)).toMatchObject([{ status: "queued", attempts: 0 }]);
  // As cron does.
  await wakeForDuePushes(db, env);
  await repeatAlarm(pushDispatcher());
  await vi.waitUntil(async () => (await deliveriesTo(owner.id))[0]?.status === "sent", WAIT);
  const received = await receivedBy(browser);
  expect(received).toHaveLength(2);
  expect(new Set(received.map(({ message }) => message.id)).size).toBe(1);
  expect(new Set(received.map(({ headers }) => headers.topic)).size).toBe(1);
});

test.each(["android", "ios"] as const)(
  "sends to an app on %s by Firebase, and forgets one that was removed",
  async (kind) => {
    const owner = newVisitorOwner();
    const token = `${kind}:${crypto.randomUUID()}`;
    expect(await saveDevice(db, pushEnv(), owner, { kind, token })).toEqual({ ok: true });
    expect(await devicesOf(owner.id)).toMatchObject([{ kind, service: "fcm.googleapis.com" }]);
    await queue(owner, "reply:1:2");
    await sendPushes();
    const [received] = await receivedBy(token);
    const { title, body, path, tag } = REPLY;
    expect(received?.message).toMatchObject({
      token,
      notification: { title, body },
      data: { path, tag, id: "reply:1:2" },
      ...(kind === "ios"
        ? { apns: { headers: { "apns-collapse-id": expect.stringMatching(/^[\w-]{32}$/) } } }
        : { android: { ttl: expect.stringMatching(/^8\d{4}s$/), notification: { tag } } }),
    });
    expect(received?.message).not.toHaveProperty(kind === "ios" ? "android" : "apns");

    await failNext(token, "busy");
    await queue(owner, "reply:1:3");
    await sendPushes();
    expect(await deliveriesTo(owner.id)).toContainEqual(expect.objectContaining({ lastError: "HTTP 429" }));
    await failNext(token, "gone");
    await db.update(pushDeliveries).set({ nextAttemptAt: 1 }).where(eq(pushDeliveries.status, "queued"));
    await sendPushes();
    expect(await devicesOf(owner.id)).toEqual([]);
  },
);

test("keeps an app's device when Firebase refuses our own account", async () => {
  const owner = newVisitorOwner();
  const token = `android:${crypto.randomUUID()}`;
  await saveDevice(db, pushEnv(), owner, { kind: "android", token });
  await queue(owner, "reply:1:2");
  const account = JSON.parse(pushEnv().FCM_SERVICE_ACCOUNT ?? "{}");
  const FCM_SERVICE_ACCOUNT = JSON.stringify({ ...account, project_id: "another", client_email: "other@x.example" });
  await runPushQueue(db, { ...pushEnv(), FCM_SERVICE_ACCOUNT }, isRunning(Date.now()));
  expect(await deliveriesTo(owner.id)).toMatchObject([{ status: "queued", attempts: 1 }]);
  expect(await devicesOf(owner.id)).toHaveLength(1);
});

test("deletes notifications after a week, and reads and writes few rows for each", async () => {
  const owner = newVisitorOwner();
  await notifiedBrowser(owner);
  const counted = countedDatabase(env.DB);
  const countedDb = connect(counted.database);
  await queuePush(countedDb, owner.id, { event: "reply:1:2", kind: "reply", content: REPLY, now: Date.now() }).queue;
  await runPushQueue(countedDb, pushEnv(), isRunning(Date.now()));
  // The row with its entries in two indexes, then the result and the end of its entry in the queue.
  expect(sum(counted, "rowsWritten")).toBeLessThanOrEqual(5);
  const nobody = countedDatabase(env.DB);
  const event = { event: "reply:1:2", kind: "reply", content: REPLY, now: Date.now() } as const;
  await queuePush(connect(nobody.database), "anon_1_nobody", event).queue;
  expect(sum(nobody, "rowsWritten")).toBe(0);
  expect(sum(nobody, "rowsRead")).toBeLessThanOrEqual(MAX_READ_FOR_NOBODY);

  await deleteOldPushes(db);
  expect(await deliveriesTo(owner.id)).toHaveLength(1);
  await db.update(pushDeliveries).set({ createdAt: Date.now() - 8 * 24 * HOUR_MS });
  await deleteOldPushes(db);
  expect(await deliveriesTo(owner.id)).toEqual([]);
});

function newVisitorOwner(): Owner {
  return { id: `anon_1_${crypto.randomUUID().replaceAll("-", "")}`, session: null };
}

/** Returns how many rows it queued. */
async function queue(
  owner: Owner,
  event: string,
  kind: PushKind = "reply",
  content = REPLY,
  now = Date.now(),
): Promise<number> {
  const statements = queuePush(db, owner.id, { event, kind, content, now });
  if (kind === "reply") return (await statements.queue).length;
  const [queued] = await db.batch([statements.queue, statements.later]);
  return queued.length;
}

function sum({ byStatement }: ReturnType<typeof countedDatabase>, what: "rowsRead" | "rowsWritten"): number {
  return [...byStatement.values()].reduce((total, counts) => total + counts[what], 0);
}

async function makeDue(id = 0): Promise<void> {
  await db.update(pushDeliveries).set({ nextAttemptAt: Date.now() }).where(eq(pushDeliveries.id, id));
}

async function newVapidKey(): Promise<string> {
  const curve = { name: "ECDSA", namedCurve: "P-256" };
  const pair = (await crypto.subtle.generateKey(curve, true, ["sign", "verify"])) as CryptoKeyPair;
  const point = (await crypto.subtle.exportKey("raw", pair.publicKey)) as ArrayBuffer;
  const { d } = (await crypto.subtle.exportKey("jwk", pair.privateKey)) as JsonWebKey;
  return `${Buffer.from(point).toString("base64url")}:${d}`;
}

/** Ends the dispatcher as a crash would. */
async function kill(): Promise<void> {
  await expect(runInDurableObject(pushDispatcher(), (_, state) => state.abort("killed"))).rejects.toThrow("killed");
}
