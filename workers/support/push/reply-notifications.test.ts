import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, expect, test, vi } from "vitest";
import { userSessionId } from "#app/support/protocol/session-id.ts";
import { accountOf, deliveriesTo, notifiedBrowser, pushDispatcher, receivedBy } from "#tests/stand-ins/push-devices.ts";
import { storedSignIn } from "#tests/workerd/signed-in-account.ts";
import { newVisitor, openConnection, roomOf, startChat } from "#tests/workerd/support-visitor.ts";

const AGENT = { side: "admin", author: "agent-1", name: "Bo" } as const;
const LATER_MS = 4000;

afterEach(() => {
  vi.useRealTimers();
});

test("notifies a visitor of a reply they don't read, and opens the chat by a tap", async () => {
  const { sessionId } = await newVisitor();
  const browser = await notifiedBrowser({ id: sessionId, session: null });
  await reply(sessionId, "Your order is on its way.");
  await passTime(sessionId, sendsPushes);
  expect((await receivedBy(browser)).map(({ message }) => message)).toMatchObject([
    { title: "Bo from Growline", body: "Your order is on its way.", path: "/#support-chat", tag: "support" },
  ]);
});

test("notifies a customer on their dashboard", async () => {
  const ada = await storedSignIn();
  await startChat({ name: "Ada" }, ada.cookie);
  const browser = await notifiedBrowser(accountOf(ada));
  await reply(userSessionId(ada.userId), "Hello");
  await passTime(userSessionId(ada.userId), sendsPushes);
  expect((await receivedBy(browser))[0]?.message).toMatchObject({ path: "/dashboard#support-chat" });
});

test("stays silent while the visitor reads along, and until then waits", async () => {
  const { sessionId, cookie } = await newVisitor();
  await notifiedBrowser({ id: sessionId, session: null });
  const connection = await openConnection(sessionId, cookie);
  await reply(sessionId, "Are you there?");
  await runDurableObjectAlarm(roomOf(sessionId));
  expect(await deliveriesTo(sessionId)).toEqual([]);
  await roomOf(sessionId).markRead({ side: "user", author: sessionId, name: "Ada" }, 99);
  await connection.next("read");
  await passTime(sessionId);
  expect(await deliveriesTo(sessionId)).toEqual([]);
});

test("queues one notification for several replies, and one more for the next", async () => {
  const { sessionId } = await newVisitor();
  await notifiedBrowser({ id: sessionId, session: null });
  await reply(sessionId, "One");
  await reply(sessionId, "Two");
  await passTime(sessionId);
  expect(await deliveriesTo(sessionId)).toHaveLength(1);
  await passTime(sessionId);
  expect(await deliveriesTo(sessionId)).toHaveLength(1);
  await reply(sessionId, "Three");
  await passTime(sessionId);
  expect(await deliveriesTo(sessionId)).toHaveLength(2);
});

test("queues an event once when the room is killed between queueing it and noting that", async () => {
  const { sessionId } = await newVisitor();
  await notifiedBrowser({ id: sessionId, session: null });
  await reply(sessionId, "Hello");
  await passTime(sessionId);
  expect(await deliveriesTo(sessionId)).toHaveLength(1);
  await runInDurableObject(roomOf(sessionId), (_room, { storage }) => {
    storage.sql.exec("UPDATE triage SET pushed_seq = 0");
  });
  await kill(sessionId);
  await passTime(sessionId);
  expect(await deliveriesTo(sessionId)).toHaveLength(1);
});

test("still notifies of a reply whose room was killed before it was due", async () => {
  const { sessionId } = await newVisitor();
  const browser = await notifiedBrowser({ id: sessionId, session: null });
  await reply(sessionId, "Hello");
  await kill(sessionId);
  await passTime(sessionId, sendsPushes);
  expect(await receivedBy(browser)).toHaveLength(1);
});

test("does not announce old replies when a conversation moves to an account", async () => {
  const visitor = await newVisitor();
  const ada = await storedSignIn();
  await reply(visitor.sessionId, "Hello");
  await notifiedBrowser(accountOf(ada));
  await startChat({ name: "Ada" }, `${visitor.cookie}; ${ada.cookie}`);
  await passTime(userSessionId(ada.userId));
  expect(await deliveriesTo(userSessionId(ada.userId))).toEqual([]);
});

async function reply(sessionId: string, body: string): Promise<void> {
  const sent = await roomOf(sessionId).sendMessage(AGENT, { clientId: crypto.randomUUID(), body });
  expect(sent.ok).toBe(true);
}

/** Has the room do what it does once its replies have waited, and does the rest of that moment. */
async function passTime(sessionId: string, then: () => Promise<void> = async () => {}): Promise<void> {
  vi.useFakeTimers({ now: Date.now() + LATER_MS, toFake: ["Date"] });
  await runInDurableObject(roomOf(sessionId), (room) => room.alarm());
  await then();
  vi.useRealTimers();
}

/** Runs the dispatcher's next round, which the room has woken it for. Otherwise its alarm rings when the time has passed. */
async function sendsPushes(): Promise<void> {
  expect(await runDurableObjectAlarm(pushDispatcher())).toBe(true);
}

async function kill(sessionId: string): Promise<void> {
  const room = env.SUPPORT_ROOM.getByName(sessionId);
  await expect(runInDurableObject(room, (_, state) => state.abort("killed"))).rejects.toThrow("killed");
}
