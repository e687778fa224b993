import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { connect, connectSupport } from "#app/db/db.server.ts";
import { supportMessages, supportNotes, supportSessions } from "#app/db/schema/support-tables.server.ts";
import { rollups } from "#app/db/schema.server.ts";
import { rebuildRooms, startRoomRebuild } from "./rebuilt-rooms.server.ts";

const db = connect(env.DB);
const support = connectSupport(env.DB_SUPPORT);
const AGENT = { id: "bo", name: "Bo" };
const FILE = { id: "file-1", name: "a.png", type: "image/png", size: 3 };

test("gives a lost room its conversation back: messages, file, note, tags, case, and who has read how far", async () => {
  const { room, sessionId } = await conversation();
  const before = await room.read(0);
  const notes = await room.applyAction(AGENT, { action: "note", clientId: "n", body: "VIP", mentions: [] });
  expect(notes).toBe(true);
  await room.applyAction(AGENT, { action: "tag", tag: "late", isOn: true });
  await stored(room);
  await lose(room);
  expect(await room.read(0)).toBeNull();
  await rebuild();
  const after = await room.read(0);
  const withoutIds = (messages: object[] | undefined) => messages?.map((one) => ({ ...one, client_id: "" }));
  expect(withoutIds(after?.messages)).toEqual(withoutIds(before?.messages));
  // The database counts what was answered as read.
  expect(after?.readSeq).toEqual({ user: 0, admin: 3 });
  // Browsers start over instead of asking for what comes after a number of the old room.
  expect(after?.epoch).not.toBe(before?.epoch);
  expect(await room.file(FILE.id)).toEqual(FILE);
  expect(
    await runInDurableObject(room, (_room, { storage }) => [...storage.sql.exec("SELECT tags FROM triage")]),
  ).toEqual([{ tags: '["late"]' }]);
  await stored(room);
  expect(await support.$count(supportNotes, eq(supportNotes.sessionId, sessionId))).toBe(1);
  // The bot does not welcome twice, and the next message gets the next number.
  await room.open({ sessionId, userId: null, name: "Ada", email: null });
  const sent = await room.sendMessage(visitor(sessionId), { clientId: "new", body: "Still there?" });
  expect(sent).toMatchObject({ ok: true, ack: { seq: (before?.lastSeq ?? 0) + 1 } });
});

test("has a room that survived store again what the restored database lacks", async () => {
  const { room, sessionId } = await conversation();
  await stored(room);
  const count = () => support.$count(supportMessages, eq(supportMessages.sessionId, sessionId));
  const all = await count();
  // As it was before the last two messages.
  await env.DB_SUPPORT.prepare("delete from support_messages where session_id = ? and seq > 2").bind(sessionId).run();
  await env.DB_SUPPORT.prepare("update support_sessions set last_seq = 2 where session_id = ?").bind(sessionId).run();
  await rebuild();
  await stored(room);
  expect(await count()).toBe(all);
  const [session] = await support.select().from(supportSessions).where(eq(supportSessions.sessionId, sessionId));
  expect(session?.lastSeq).toBe(all);
});

test("puts the old messages before those that came into a lost room meanwhile", async () => {
  const { room, sessionId } = await conversation();
  await stored(room);
  const texts = async () => (await room.read(0))?.messages.map(({ message }) => message);
  const before = (await texts()) ?? [];
  await lose(room);
  await room.open({ sessionId, userId: null, name: "Ada", email: null });
  await room.sendMessage(visitor(sessionId), { clientId: "new", body: "Did you lose me?" });
  await rebuild();
  expect(await texts()).toEqual([...before, "Did you lose me?"]);
  await stored(room);
  expect(await support.$count(supportMessages, eq(supportMessages.sessionId, sessionId))).toBe(before.length + 1);
});

test("goes through all conversations in pages, then does nothing", async () => {
  for (let made = 0; made < 3; made++) await stored((await conversation()).room);
  await startRoomRebuild(db);
  const position = () => db.$count(rollups, eq(rollups.name, "rooms to rebuild"));
  let runs = 0;
  for (; (await position()) > 0; runs++) await rebuildRooms(db, support, env.SUPPORT_ROOM, 2);
  expect(runs).toBe(Math.floor((await support.$count(supportSessions)) / 2) + 1);
});

async function conversation() {
  const sessionId = `anon_${Date.now()}_${crypto.randomUUID().replaceAll("-", "")}`;
  const room = env.SUPPORT_ROOM.getByName(sessionId);
  await room.open({ sessionId, userId: null, name: "Ada", email: "ada@test.example" });
  await room.sendMessage(visitor(sessionId), { clientId: "1", body: "Where is my order?" });
  await room.sendMessage({ side: "admin", author: AGENT.id, name: AGENT.name }, { clientId: "2", body: "On its way." });
  await room.sendMessage(visitor(sessionId), { clientId: "3", body: FILE.name, file: FILE });
  return { room, sessionId };
}

function visitor(sessionId: string) {
  return { side: "user", author: sessionId, name: "Ada" } as const;
}

async function stored(room: DurableObjectStub): Promise<void> {
  await runDurableObjectAlarm(room);
}

async function lose(room: DurableObjectStub): Promise<void> {
  await runInDurableObject(room, async (_room, { storage }) => {
    await storage.deleteAlarm();
    await storage.deleteAll();
  });
  await evictDurableObject(room);
}

async function rebuild(): Promise<void> {
  await startRoomRebuild(db);
  await rebuildRooms(db, support, env.SUPPORT_ROOM);
}
