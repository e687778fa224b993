import { evictDurableObject, runInDurableObject, SELF } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { connect } from "#app/db/db.server.ts";
import { auditLog } from "#app/db/schema.server.ts";
import { CLOSE } from "#app/support/protocol/close-codes.ts";
import type { SupportSession } from "#app/support/protocol/frames.ts";
import { userSessionId } from "#app/support/protocol/session-id.ts";
import { storeAuditEntries } from "#app/support/room/stored-conversations.server.ts";
import { siteCookie } from "#tests/response-cookies.ts";
import { withoutTable } from "#tests/workerd/missing-table.ts";
import { signedIn } from "#tests/workerd/signed-in-account.ts";
import {
  newVisitor,
  ORIGIN,
  openConnection,
  roomOf,
  startChat,
  takeAction,
  until,
} from "#tests/workerd/support-visitor.ts";
import type { SupportRoom } from "./support-room.ts";

const db = connect(env.DB);
const AGENT = { side: "admin", author: "agent-1", name: "Bo" } as const;

test("moves the messages from before signing in to the account, in order and once", async () => {
  const { visitor, customer } = await talkedAnonymously();
  const taken = await ownSession(`${visitor.cookie}; ${customer.cookie}`);
  expect(taken.session?.session_id).toBe(userSessionId(customer.userId));
  expect(taken.setCookie).toMatch(new RegExp(`^${siteCookie("growline_support")}=;.*Max-Age=0`));
  await ownSession(`${visitor.cookie}; ${customer.cookie}`);
  expect(await bodies(userSessionId(customer.userId))).toEqual([expect.stringContaining("Hi Ada!"), "mine", "theirs"]);
  expect(await roomOf(visitor.sessionId).read(0)).toBeNull();
});

test("appends the conversation to one the account already has, with one welcome message", async () => {
  const { visitor, customer } = await talkedAnonymously();
  await startChat({ name: "Cy" }, customer.cookie);
  await startChat({ name: "Cy" }, `${visitor.cookie}; ${customer.cookie}`);
  expect(await bodies(userSessionId(customer.userId))).toEqual([expect.stringContaining("Hi Cy!"), "mine", "theirs"]);
});

test("moves the conversation once when two tabs sign in at the same time", async () => {
  const { visitor, customer } = await talkedAnonymously();
  const cookies = `${visitor.cookie}; ${customer.cookie}`;
  await Promise.all([ownSession(cookies), ownSession(cookies), startChat({ name: "Ada" }, cookies)]);
  const said = await bodies(userSessionId(customer.userId));
  expect(said.filter((body) => body === "mine" || body === "theirs")).toEqual(["mine", "theirs"]);
});

test("accepts a resent message whose ack was lost during sign-in", async () => {
  const { visitor, customer } = await talkedAnonymously();
  await ownSession(`${visitor.cookie}; ${customer.cookie}`);
  const connection = await openConnection(userSessionId(customer.userId), customer.cookie);
  connection.sendMessage("m1", "mine");
  expect(await connection.next("ack")).toMatchObject({ clientId: "m1", seq: 2 });
});

test("hands a conversation to one account only, and only with its browser's cookie", async () => {
  const { visitor, customer } = await talkedAnonymously();
  const other = await signedIn("customer", "Other");
  const forged = visitor.cookie.replace(/\.[^.]+$/, ".AAAA");
  expect((await ownSession(`${forged}; ${other.cookie}`)).session).toBeNull();
  await roomOf(visitor.sessionId).handOver(userSessionId(customer.userId));
  expect((await ownSession(`${visitor.cookie}; ${other.cookie}`)).session).toBeNull();
  expect((await ownSession(`${visitor.cookie}; ${customer.cookie}`)).session?.user_name).toBe("Ada");
});

test("finishes an interrupted handover with the next request", async () => {
  const { visitor, customer } = await talkedAnonymously();
  await roomOf(visitor.sessionId).handOver(userSessionId(customer.userId));
  const late = await roomOf(visitor.sessionId).sendMessage(AGENT, { clientId: "late", body: "too late" });
  expect(late).toEqual({ ok: false, reason: "gone" });
  await ownSession(`${visitor.cookie}; ${customer.cookie}`);
  expect(await bodies(userSessionId(customer.userId))).toHaveLength(3);
});

test("tells an agent with the conversation open where it moved, and stores it in D1 once", async () => {
  const { visitor, customer } = await talkedAnonymously();
  const agent = await signedIn("agent", "Bo");
  const connection = await openConnection(visitor.sessionId, agent.cookie);
  await ownSession(`${visitor.cookie}; ${customer.cookie}`);
  const target = userSessionId(customer.userId);
  expect(await connection.closed()).toEqual({ code: CLOSE.moved, reason: target });
  await until(async () => (await countStored(target)) === 3);
  expect(await countStored(visitor.sessionId)).toBe(0);
});

test("deletes the old conversation from D1 after an outage during the handover", async () => {
  const { visitor, customer } = await talkedAnonymously();
  const cookies = `${visitor.cookie}; ${customer.cookie}`;
  await until(async () => (await countStored(visitor.sessionId)) === 3);
  await withoutTable(env.DB_SUPPORT, "support_sessions", () => ownSession(cookies));
  await ownSession(cookies);
  await until(async () => (await countStored(visitor.sessionId)) === 0);
  expect(await bodies(userSessionId(customer.userId))).toEqual([expect.stringContaining("Hi Ada!"), "mine", "theirs"]);
  expect(await roomOf(visitor.sessionId).read(0)).toBeNull();
});

test("finishes a deletion in D1 after an outage, and shows the conversation to nobody until then", async () => {
  const { visitor } = await talkedAnonymously();
  await until(async () => (await countStored(visitor.sessionId)) === 3);
  const room = roomOf(visitor.sessionId);
  await withoutTable(env.DB_SUPPORT, "support_sessions", async () => {
    expect(await room.deleteConversation(visitor.sessionId)).toBe(false);
    expect(await room.read(0)).toBeNull();
    await evictDurableObject(room);
  });
  await until(async () => (await countStored(visitor.sessionId)) === 0);
  // The same browser may start again.
  const response = await startChat({ name: "Ada" }, visitor.cookie);
  expect(response.status).toBe(200);
});

test("writes an agent's action to the audit log once if the handover interrupts the write", async () => {
  const { visitor, customer } = await talkedAnonymously();
  const agent = await signedIn("agent", "Bo");
  const target = userSessionId(customer.userId);
  const handed = await withoutTable(env.DB, "audit_log", async () => {
    await takeAction(visitor.sessionId, agent.cookie, { action: "tag", tag: "vip", isOn: true });
    return runInDurableObject(roomOf(visitor.sessionId), (room: SupportRoom) => room.handOver(target));
  });
  if (!handed) throw new Error("nothing handed over");
  // Stored, but the room never learned it.
  await storeAuditEntries(db, visitor.sessionId, handed.triage.auditEntries);
  await ownSession(`${visitor.cookie}; ${customer.cookie}`);
  // Responds when D1 has everything.
  await takeAction(target, agent.cookie, { action: "tag", tag: "late", isOn: true });
  const entries = await db.select().from(auditLog).where(eq(auditLog.actorId, agent.userId));
  expect(entries.map(({ action }) => action)).toEqual(["conversation.tags", "conversation.tags"]);
});

async function talkedAnonymously() {
  const visitor = await newVisitor();
  const connection = await openConnection(visitor.sessionId, visitor.cookie);
  connection.sendMessage("m1", "mine");
  await connection.next("ack");
  await roomOf(visitor.sessionId).sendMessage(AGENT, { clientId: "a1", body: "theirs" });
  connection.close();
  await until(() => connection.frames.some((frame) => frame.type === "message"));
  return { visitor, customer: await signedIn("customer", "Cy") };
}

async function ownSession(cookie: string) {
  const response = await SELF.fetch(`${ORIGIN}/support/session`, { headers: { Cookie: cookie } });
  const { session } = await response.json<{ session: SupportSession | null }>();
  return { session, setCookie: response.headers.get("Set-Cookie") };
}

async function countStored(sessionId: string): Promise<number> {
  const query = "SELECT count(*) AS n FROM support_messages WHERE session_id = ?";
  return (await env.DB_SUPPORT.prepare(query).bind(sessionId).first<number>("n")) ?? 0;
}

async function bodies(sessionId: string): Promise<string[]> {
  return (await roomOf(sessionId).read(0))?.messages.map(({ message }) => message) ?? [];
}
