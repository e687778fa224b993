import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { asc, eq } from "drizzle-orm";
import { expect, test, vi } from "vitest";
import { connectSupport } from "#app/db/db.server.ts";
import { supportMessages, supportSessions } from "#app/db/schema/support-tables.server.ts";
import { readInboxRows } from "#app/support/inbox/inbox.server.ts";
import { CLOSE } from "#app/support/protocol/close-codes.ts";
import { BURST, PER_SECOND } from "#app/support/room/room-rate-limit.ts";
import { atScale } from "#tests/workerd/at-scale.ts";
import { newVisitor, openConnection, roomOf, until } from "#tests/workerd/support-visitor.ts";
import { SupportDesk } from "./support-desk.ts";

const supportDb = connectSupport(env.DB_SUPPORT);

test("stores a message sent fifty times once and returns the same ack each time", async () => {
  const { sessionId, cookie } = await newVisitor();
  const connection = await openConnection(sessionId, cookie);
  for (let time = 0; time < 50; time++) connection.sendMessage("one", "hello");
  const acks = await Promise.all(Array.from({ length: 50 }, () => connection.next("ack")));
  expect(new Set(acks.map((ack) => JSON.stringify(ack))).size).toBe(1);
  const history = await roomOf(sessionId).read(0);
  expect(history?.messages.map((message) => message.message)).toEqual([expect.stringContaining("Hi Ada!"), "hello"]);
});

test("lets two authors use the same client id", async () => {
  const { sessionId, cookie } = await newVisitor();
  const connection = await openConnection(sessionId, cookie);
  connection.sendMessage("same", "from the visitor");
  await connection.next("ack");
  const said = await roomOf(sessionId).sendMessage(
    { side: "admin", author: "agent-1", name: "Bo" },
    { clientId: "same", body: "from the agent" },
  );
  expect(said).toMatchObject({ ok: true, ack: { seq: 3 } });
  expect((await connection.next("message")).message).toMatchObject({ sender_type: "admin", sender_name: "Bo", seq: 3 });
});

test("sends a browser that reconnects after an eviction only what it missed", async () => {
  const { sessionId, cookie } = await newVisitor();
  const first = await openConnection(sessionId, cookie);
  const { epoch } = await first.next("ready");
  first.sendMessage("a", "before");
  const { seq } = await first.next("ack");
  await evictDurableObject(roomOf(sessionId), { webSockets: "close" });
  await roomOf(sessionId).sendMessage(
    { side: "admin", author: "agent-1", name: "Bo" },
    { clientId: "b", body: "while away" },
  );
  const second = await openConnection(sessionId, cookie, seq);
  const ready = await second.next("ready");
  expect(ready.messages.map((message) => message.message)).toEqual(["while away"]);
  expect(ready.epoch).toBe(epoch);
});

test("keeps a socket's identity through an eviction", async () => {
  const { sessionId, cookie } = await newVisitor();
  const connection = await openConnection(sessionId, cookie);
  await connection.next("ready");
  await evictDurableObject(roomOf(sessionId));
  connection.sendMessage("a", "still here");
  expect(await connection.next("ack")).toMatchObject({ seq: 2 });
  const history = await roomOf(sessionId).read(1);
  expect(history?.messages).toMatchObject([{ sender_type: "user", sender_name: "Ada", message: "still here" }]);
});

test("sends a long history completely and in order", async () => {
  const { sessionId, cookie } = await newVisitor();
  await runInDurableObject(roomOf(sessionId), (_, state) => {
    for (let at = 2; at <= 450; at++) {
      const insert = "INSERT INTO messages VALUES (?, 'x', ?, 'user', 'Ada', ?, 1)";
      state.storage.sql.exec(insert, at, `c${at}`, `message ${at}`);
    }
  });
  await evictDurableObject(roomOf(sessionId));
  const connection = await openConnection(sessionId, cookie);
  const ready = await connection.next("ready");
  expect(ready.lastSeq).toBe(450);
  await until(() => connection.frames.filter((frame) => frame.type === "message").length === 250);
  const later = connection.frames.flatMap((frame) => (frame.type === "message" ? [frame.message.seq] : []));
  const seqs = [...ready.messages.map((message) => message.seq), ...later];
  expect(seqs).toEqual(Array.from({ length: 450 }, (_, at) => at + 1));
});

test("stores every message and the session in D1 once", async () => {
  const { sessionId, cookie } = await newVisitor();
  const connection = await openConnection(sessionId, cookie);
  for (let at = 0; at < 40; at++) connection.sendMessage(`c${at}`, `message ${at}`);
  await Promise.all(Array.from({ length: 40 }, () => connection.next("ack")));
  await drain(sessionId);
  expect(await storedBodies(sessionId)).toEqual([
    expect.stringContaining("Hi Ada!"),
    ...Array.from({ length: 40 }, (_, at) => `message ${at}`),
  ]);
  const [row] = await supportDb.select().from(supportSessions).where(eq(supportSessions.sessionId, sessionId));
  expect(row).toMatchObject({ lastSeq: 41, agentReadSeq: 1, lastMessage: "message 39", status: "open" });
});

test("counts a conversation as unread until an agent reads it or replies", async () => {
  const { sessionId, cookie } = await newVisitor();
  const unread = async () => {
    await drain(sessionId);
    return (await readInboxRows(supportDb, [sessionId]))[0]?.unread;
  };
  expect(await unread()).toBe(false);
  const connection = await openConnection(sessionId, cookie);
  connection.sendMessage("a", "hello");
  await connection.next("ack");
  expect(await unread()).toBe(true);
  await roomOf(sessionId).sendMessage({ side: "admin", author: "agent-1", name: "Bo" }, { clientId: "b", body: "hi" });
  expect(await unread()).toBe(false);
});

test("stores messages again without duplicates after losing track of what D1 has", async () => {
  const { sessionId, cookie } = await newVisitor();
  const connection = await openConnection(sessionId, cookie);
  connection.sendMessage("a", "once");
  await connection.next("ack");
  await drain(sessionId);
  const before = await storedBodies(sessionId);
  await runInDurableObject(roomOf(sessionId), (_, state) => {
    state.storage.sql.exec("UPDATE session SET stored_seq = 0, stored_version = 0");
  });
  await evictDurableObject(roomOf(sessionId));
  await roomOf(sessionId).read(0);
  await drain(sessionId);
  expect(await storedBodies(sessionId)).toEqual(before);
});

test("acks messages while D1 is down, and stores them when it is back", async () => {
  const { sessionId, cookie } = await newVisitor();
  await drain(sessionId);
  await env.DB_SUPPORT.exec("ALTER TABLE support_messages RENAME TO support_messages_away");
  const connection = await openConnection(sessionId, cookie);
  connection.sendMessage("a", "while D1 is away");
  expect(await connection.next("ack")).toMatchObject({ seq: 2 });
  await runDurableObjectAlarm(roomOf(sessionId));
  await env.DB_SUPPORT.exec("ALTER TABLE support_messages_away RENAME TO support_messages");
  expect(await storedBodies(sessionId)).toHaveLength(1);
  await drain(sessionId);
  expect(await storedBodies(sessionId)).toContain("while D1 is away");
});

test("retries a hint when the desk could not be reached", async () => {
  const { sessionId, cookie } = await newVisitor();
  await drain(sessionId);
  const hints: string[] = [];
  const hint = vi.spyOn(SupportDesk.prototype, "hint").mockImplementation(async (id) => {
    hints.push(id);
    if (hints.length === 1) throw new Error("no desk");
  });
  const connection = await openConnection(sessionId, cookie);
  connection.sendMessage("a", "hello");
  await connection.next("ack");
  await runDurableObjectAlarm(roomOf(sessionId));
  expect(hints).toEqual([sessionId]);
  await drain(sessionId);
  expect(hints).toEqual([sessionId, sessionId]);
  expect(await storedBodies(sessionId)).toEqual([expect.stringContaining("Hi Ada!"), "hello"]);
  hint.mockRestore();
});

test("resumes its outbox when it wakes up without an alarm", async () => {
  const { sessionId, cookie } = await newVisitor();
  const connection = await openConnection(sessionId, cookie);
  connection.sendMessage("a", "not stored yet");
  await connection.next("ack");
  await runInDurableObject(roomOf(sessionId), (_, state) => state.storage.deleteAlarm());
  await evictDurableObject(roomOf(sessionId));
  await roomOf(sessionId).read(0);
  const waiting = await runInDurableObject(roomOf(sessionId), (_, state) => state.storage.getAlarm());
  const stored = await storedBodies(sessionId);
  expect(waiting !== null || stored.includes("not stored yet")).toBe(true);
});

const NASTY = [
  "<script>alert(1)</script>",
  '"; DROP TABLE messages; --',
  "'\\'\"`%s%n",
  "a\u0000b",
  "gnp.exe \u200F\u200B\uFEFF",
  "👩‍👩‍👧‍👦 🇩🇪 é e\u0301",
  "line\r\nbreak\ttab\u2028sep",
  "  spaces around  ",
  '{"type":"send","clientId":"x","body":"y"}',
  "ping",
  "𝕏".repeat(2000),
];

test("returns difficult strings byte for byte, from the room and from D1", async () => {
  const { sessionId, cookie } = await newVisitor();
  const connection = await openConnection(sessionId, cookie);
  for (const [at, body] of NASTY.entries()) connection.sendMessage(`n${at}`, body);
  await Promise.all(NASTY.map(() => connection.next("ack")));
  const history = await roomOf(sessionId).read(1);
  expect(history?.messages.map((message) => message.message)).toEqual(NASTY);
  await drain(sessionId);
  expect((await storedBodies(sessionId)).slice(1)).toEqual(NASTY);
});

test("responds to an invalid frame with an error and keeps working", async () => {
  const { sessionId, cookie } = await newVisitor();
  const connection = await openConnection(sessionId, cookie);
  const bad = [
    "not json",
    "null",
    "[]",
    '{"type":"unknown"}',
    '{"type":"send","clientId":"a"}',
    '{"type":"send","clientId":"a","body":"  "}',
    `{"type":"send","clientId":"a","body":"${"x".repeat(4001)}"}`,
    '{"type":"send","clientId":"a","body":"half \\ud800"}',
    '{"type":"send","clientId":"a","body":"forged","sender_type":"admin"}',
    '{"type":"read","seq":-1}',
  ];
  for (const frame of bad) connection.raw(frame);
  for (const _ of bad) expect(await connection.next("error")).toMatchObject({ code: "bad_frame" });
  connection.sendMessage("b", "still alive");
  expect(await connection.next("ack")).toMatchObject({ seq: 2 });
});

test("closes a socket that sends a binary or oversized frame and keeps working", async () => {
  const { sessionId, cookie } = await newVisitor();
  const binary = await openConnection(sessionId, cookie);
  binary.raw(new ArrayBuffer(8));
  expect(await binary.closed()).toMatchObject({ code: CLOSE.binary, reason: "text frames only" });
  const large = await openConnection(sessionId, cookie);
  large.raw("x".repeat(1_000_000));
  expect(await large.closed()).toMatchObject({ code: CLOSE.tooLarge });
  const connection = await openConnection(sessionId, cookie);
  connection.sendMessage("b", "still alive");
  expect(await connection.next("ack")).toMatchObject({ seq: 2 });
});

test.for([1, 10])(
  "refuses a flood of frames of a visitor's %i sockets, closes them and keeps working",
  async (count) => {
    const { sessionId, cookie } = await newVisitor();
    const floods = await Promise.all(Array.from({ length: count }, () => openConnection(sessionId, cookie)));
    const started = Date.now();
    for (let at = 0; at < atScale(400, 1000); at++) floods[at % count]?.sendMessage(`f${at}`, "flood");
    for (const flood of floods) expect(await flood.closed()).toMatchObject({ code: CLOSE.tooMany });
    expect(await floods[0]?.next("error")).toMatchObject({ code: "rate_limited" });
    // The welcome message, the burst, and what the limit admits in the time that this took.
    const admitted = 1 + BURST + Math.ceil(((Date.now() - started) / 1000) * PER_SECOND);
    expect((await roomOf(sessionId).read(0))?.lastSeq).toBeLessThanOrEqual(admitted);
    const later = Date.now() + 2000;
    vi.spyOn(Date, "now").mockReturnValue(later);
    const connection = await openConnection(sessionId, cookie);
    connection.sendMessage("calm", "still alive");
    await connection.next("ack");
    vi.restoreAllMocks();
  },
);

test("responds to a ping", async () => {
  const { sessionId, cookie } = await newVisitor();
  const connection = await openConnection(sessionId, cookie);
  connection.raw("ping");
  await until(() => connection.pongs() === 1);
});

test("reopens a closed conversation when a message arrives", async () => {
  const { sessionId, cookie } = await newVisitor();
  const connection = await openConnection(sessionId, cookie);
  await roomOf(sessionId).setStatus("closed");
  expect((await connection.next("session")).session.status).toBe("closed");
  connection.sendMessage("a", "one more thing");
  expect((await connection.next("session")).session.status).toBe("open");
});

test("deletes a conversation here and in D1 and closes its sockets", async () => {
  const { sessionId, cookie } = await newVisitor();
  await drain(sessionId);
  const connection = await openConnection(sessionId, cookie);
  await roomOf(sessionId).deleteConversation(sessionId);
  expect(await connection.closed()).toMatchObject({ code: CLOSE.gone });
  expect(await roomOf(sessionId).read(0)).toBeNull();
  expect(await storedBodies(sessionId)).toEqual([]);
  expect(await supportDb.select().from(supportSessions).where(eq(supportSessions.sessionId, sessionId))).toEqual([]);
});

async function drain(sessionId: string): Promise<void> {
  // The alarm may be running by itself this moment.
  for (let tries = 0; tries < 100; tries++) {
    await runDurableObjectAlarm(roomOf(sessionId));
    const pending = await runInDurableObject(roomOf(sessionId), (_, state) =>
      state.storage.sql.exec(UNSTORED).toArray(),
    );
    if (pending.length === 0) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error("the outbox does not empty");
}

const UNSTORED = `SELECT 1 FROM session
  WHERE version > stored_version OR stored_seq < (SELECT max(seq) FROM messages)`;

async function storedBodies(sessionId: string): Promise<string[]> {
  const rows = await supportDb
    .select({ message: supportMessages.message })
    .from(supportMessages)
    .where(eq(supportMessages.sessionId, sessionId))
    .orderBy(asc(supportMessages.seq));
  return rows.map((row) => row.message);
}
