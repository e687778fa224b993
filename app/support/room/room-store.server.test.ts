import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test, vi } from "vitest";
import { HISTORY_MAX_MESSAGES, type HistoryPart } from "#app/support/protocol/history-query.ts";
import type { Identity } from "#app/support/protocol/identity.ts";
import { ackOf, type Handover, RoomStore } from "./room-store.server.ts";

const NOW = 1_795_000_000_000;
const EMAIL_LEASE_MS = 10 * 60_000;
const VISITOR: Identity = { side: "user", author: "s1", name: "Visitor" };
const AGENT: Identity = { side: "admin", author: "agent-1", name: "Bo" };
const BY = { id: "agent-1", name: "Bo" };
const STARTED = { sessionId: "s1", userId: null, name: "Ada", email: "ada@mail.example", origin: "https://a.example" };
const OWNER = { sessionId: "user:u1", userId: "u1", email: "account@mail.example" };
const SESSION = { session_id: "s1", user_name: "Ada", user_email: "ada@mail.example", status: "open", updated_at: NOW };

test("holds no conversation before it starts", () =>
  inRoom((store) => {
    expect([store.session, store.history(0), store.hasEnded, store.hasWork()]).toEqual([null, null, false, false]);
    expect([store.readSeq, store.messages.lastSeq]).toEqual([{ user: 0, admin: 0 }, 0]);
    expect([store.markRead("user", 1), store.setStatus("closed", BY, NOW), store.setEmail("a@b.example")]).toEqual(
      Array(3).fill(false),
    );
    expect([store.claimUnreadReplies(NOW), store.handOver("user:u1"), store.messageToCheck()]).toEqual([
      null,
      null,
      null,
    ]);
    expect(() => send(store, "m")).toThrow("no conversation");
    expect(() => store.triage.setBlocked(true, BY)).toThrow("no conversation");
    store.startDeletion("s1");
    expect(store.hasWork()).toBe(true);
  }));

test("starts with a welcome that the team need not read", () =>
  inRoom((store) => {
    store.start(STARTED, NOW);
    expect(store.session).toEqual({
      id: 1,
      ...SESSION,
      epoch: expect.stringMatching(/^[\da-f-]{36}$/),
      user_id: null,
      created_at: NOW,
      user_read_seq: 0,
      agent_read_seq: 1,
      version: 1,
      stored_version: 0,
      stored_seq: 0,
    });
    const welcome = { client_id: "welcome", sender_type: "system", sender_name: "Support Bot", created_at: NOW };
    expect(store.messages.all()).toEqual([
      { author: "system", message: { ...welcome, seq: 1, message: expect.stringContaining("Hi Ada!") } },
    ]);
    expect(store.triage.origin).toBe("https://a.example");
    expect([store.hasUnstored(), store.messageToCheck()]).toEqual([true, null]);
  }));

test("updates a conversation that starts again, which a block keeps closed", () =>
  inRoom((store) => {
    store.start(STARTED, NOW);
    const first = store.session;
    send(store, "m1");
    store.setStatus("closed", BY, NOW + 1);
    const { version = 0 } = store.session ?? {};
    store.start({ sessionId: "s1", userId: null, name: "Eva", email: null }, NOW + 2);
    const again = { ...first, user_name: "Eva", updated_at: NOW + 2, version: version + 1 };
    expect(store.session).toEqual(again);
    expect([store.messages.lastSeq, store.triage.origin]).toEqual([2, "https://a.example"]);
    store.start({ ...STARTED, email: "eva@mail.example" }, NOW + 3);
    expect(store.session).toMatchObject({ user_email: "eva@mail.example", status: "open" });
    store.setStatus("closed", BY, NOW + 4);
    store.triage.setBlocked(true, BY);
    store.start(STARTED, NOW + 5);
    expect(store.session).toMatchObject({ status: "closed" });
  }));

test.for([
  [-1, [1, 2, 3]],
  [0, [1, 2, 3]],
  [1, [2, 3]],
  [3, []],
  [4, [1, 2, 3]],
] as const)("returns the history after message %i", ([since, seqs]) =>
  inRoom((store) => {
    store.start(STARTED, NOW);
    for (const id of ["m1", "m2"]) send(store, id);
    const history = store.history(since);
    expect(history?.messages.map(({ seq }) => seq)).toEqual(seqs);
    const rest = { epoch: store.session?.epoch, session: SESSION, lastSeq: 3, readSeq: { user: 0, admin: 1 } };
    expect(history).toEqual({ ...rest, messages: expect.any(Array) });
  }),
);

test("stores a message once for each author, with the name that belongs to its side", () =>
  inRoom((store) => {
    store.start(STARTED, NOW);
    const file = { id: "f1", name: "a.png", type: "image/png", size: 5 };
    const mine = store.append(VISITOR, { clientId: "c", body: "a.png", file }, NOW + 1);
    const message = { client_id: "c", message: "a.png", created_at: NOW + 1 };
    const stored = { ...message, seq: 2, sender_type: "user", sender_name: "Ada", file };
    expect(mine).toEqual({ message: stored, repeated: false });
    expect(ackOf(mine.message)).toEqual({ clientId: "c", seq: 2, created_at: NOW + 1 });
    expect(store.append(VISITOR, { clientId: "c", body: "another" }, NOW + 2)).toEqual({
      message: stored,
      repeated: true,
    });
    expect(store.append(AGENT, { clientId: "c", body: "Hello" }, NOW + 3).message).toEqual({
      client_id: "c",
      message: "Hello",
      created_at: NOW + 3,
      seq: 3,
      sender_type: "admin",
      sender_name: "Bo",
    });
    expect(store.messages.lastSeq).toBe(3);
    expect([store.messages.file("f1"), store.messages.file("f2")]).toEqual([file, null]);
    expect(store.messages.fileIds()).toEqual(["f1"]);
    expect(store.addBotMessage("away", "Later", NOW)).toMatchObject({
      seq: 4,
      sender_type: "system",
      message: "Later",
    });
    expect(store.addBotMessage("away", "Again", NOW)).toBeNull();
  }));

test("moves each side's read mark forward to the last message, and the other's not at all", () =>
  inRoom((store) => {
    store.start(STARTED, NOW);
    send(store, "m1");
    const { version = 0 } = store.session ?? {};
    expect([store.markRead("user", 1), store.readSeq]).toEqual([true, { user: 1, admin: 1 }]);
    expect([store.markRead("user", 1), store.markRead("user", 0), store.markRead("admin", 1)]).toEqual(
      Array(3).fill(false),
    );
    expect([store.markRead("admin", 99), store.readSeq]).toEqual([true, { user: 1, admin: 2 }]);
    expect(store.session?.version).toBe(version + 2);
  }));

test("changes status and email once, and says whether it did", () =>
  inRoom((store) => {
    store.start(STARTED, NOW);
    const { version = 0 } = store.session ?? {};
    expect([store.setStatus("open", BY, NOW + 1), store.setEmail("ada@mail.example")]).toEqual([false, false]);
    expect(store.setStatus("closed", BY, NOW + 1)).toBe(true);
    expect(store.session).toMatchObject({ status: "closed", updated_at: NOW + 1, version: version + 1 });
    expect(store.setStatus("open", null, NOW + 2)).toBe(true);
    expect(store.session).toMatchObject({ status: "open", updated_at: NOW + 2, version: version + 2 });
    expect(store.triage.audit.pending().map(({ action }) => action)).toEqual(["conversation.close"]);
    expect(store.setEmail("new@mail.example")).toBe(true);
    expect(store.session).toMatchObject({ user_email: "new@mail.example", updated_at: NOW + 2, version: version + 3 });
  }));

test("claims the replies that a visitor has not read, for ten minutes, and once each", () =>
  inRoom((store) => {
    store.start(STARTED, NOW);
    expect(store.claimUnreadReplies(NOW)).toBeNull();
    const [first, , third] = [reply(store, "a"), send(store, "m1"), reply(store, "b")];
    const claimed = { email: "ada@mail.example", name: "Ada", origin: "https://a.example", after: 0, upTo: 4 };
    expect(store.claimUnreadReplies(NOW)).toEqual({ ...claimed, unread: [first, third] });
    expect(store.claimUnreadReplies(NOW + EMAIL_LEASE_MS - 1)).toBeNull();
    store.markRead("user", 2);
    expect(store.claimUnreadReplies(NOW + EMAIL_LEASE_MS)).toEqual({ ...claimed, after: 2, unread: [third] });
    store.triage.markEmailed(4);
    expect(store.claimUnreadReplies(NOW)).toBeNull();
    reply(store, "c");
    expect(store.claimUnreadReplies(NOW)).toBeNull();
    store.markRead("user", 4);
    expect(store.claimUnreadReplies(NOW)).toMatchObject({ after: 4, upTo: 5 });
    store.markRead("user", 5);
    expect(store.claimUnreadReplies(NOW + EMAIL_LEASE_MS)).toBeNull();
  }));

test("emails nobody without an address", () =>
  inRoom((store) => {
    store.start({ ...STARTED, email: null }, NOW);
    reply(store, "a");
    expect(store.claimUnreadReplies(NOW)).toBeNull();
  }));

test("hands the conversation over to one session, until its deletion starts", () =>
  inRoom((store) => {
    store.start(STARTED, NOW);
    send(store, "m1");
    const handed = store.handOver("user:u1");
    expect(handed?.session).toMatchObject(SESSION);
    expect(handed?.messages.map(({ author, message }) => [author, message.client_id])).toEqual([
      ["system", "welcome"],
      ["s1", "m1"],
    ]);
    expect([store.session, store.history(0), store.hasEnded, store.handedOverTo]).toEqual([
      null,
      null,
      true,
      "user:u1",
    ]);
    expect([store.hasUnstored(), store.messageToCheck(), store.hasWork()]).toEqual([false, null, false]);
    expect(store.handOver("user:u2")).toBeNull();
    expect(store.handOver("user:u1")).toEqual(handed);
    store.startDeletion("s1");
    expect([store.handOver("user:u1"), store.deletedId, store.hasWork()]).toEqual([null, "s1", true]);
  }));

test("adopts a whole conversation under its new owner", async () => {
  const handed = await handedOver((store) => {
    send(store, "m1");
    reply(store, "a");
    store.markRead("user", 2);
    store.setStatus("closed", null, NOW + 5);
  });
  await inRoom((store) => {
    const adopted = store.adopt(OWNER, handed);
    expect(adopted.map(({ seq, client_id }) => [seq, client_id])).toEqual([
      [1, "welcome"],
      [2, "m1"],
      [3, "a"],
    ]);
    expect(store.messages.all().map(({ author }) => author)).toEqual(["system", "user:u1", "agent-1"]);
    const { epoch, version: _, ...session } = store.session ?? fail();
    expect(epoch).not.toBe(handed.session.epoch);
    expect(session).toEqual({
      id: 1,
      session_id: "user:u1",
      user_id: "u1",
      user_name: "Ada",
      user_email: "account@mail.example",
      status: "closed",
      user_read_seq: 2,
      agent_read_seq: 1,
      created_at: NOW,
      updated_at: NOW + 5,
      stored_version: 0,
      stored_seq: 0,
    });
    expect(store.adopt(OWNER, handed)).toEqual([]);
  });
});

test("takes the pages seen along once, however often the conversation is adopted", async () => {
  const handed = await handedOver((store) => {
    for (const path of ["/a", "/b"]) store.addPage({ path, title: "" }, NOW);
  });
  await inRoom((store) => {
    for (let time = 0; time < 2; time++) store.adopt(OWNER, handed);
    expect(store.visitor.details().pages.map(({ path }) => path)).toEqual(["/b", "/a"]);
  });
});

test("goes on from a known message, and from the newest ones for a browser that missed more than a page", () =>
  inRoom((store) => {
    store.start(STARTED, NOW);
    const last = HISTORY_MAX_MESSAGES + 10;
    for (let seq = 2; seq <= last; seq++) send(store, `m${seq}`);
    const after = (since: number, part?: Partial<HistoryPart>) =>
      store.history(since, part)?.messages.map(({ seq }) => seq) ?? [];
    expect(after(10, { last: 60 })).toHaveLength(HISTORY_MAX_MESSAGES);
    expect(after(10, { last: 60 })[0]).toBe(11);
    expect(after(9, { last: 60 })).toHaveLength(60);
    expect(after(9, { last: 60 }).at(-1)).toBe(last);
    expect(after(9)[0]).toBe(10);
  }));

test.for<[own: "open" | "closed", handed: "open" | "closed", status: string, later: number]>([
  ["open", "closed", "open", 9],
  ["closed", "open", "open", -9],
  ["closed", "closed", "closed", 0],
])("merges a conversation that is %s with one that is %s", async ([own, other, status, later]) => {
  const handed = await handedOver((store) => {
    send(store, "m1");
    if (other === "closed") store.setStatus("closed", null, NOW + later);
  });
  await inRoom((store) => {
    store.start({ ...STARTED, sessionId: "user:u1", userId: "u1", name: "Cy", email: null }, NOW);
    if (own === "closed") store.setStatus("closed", null, NOW);
    const before = store.session ?? fail();
    const adopted = store.adopt(OWNER, { ...handed, session: { ...handed.session, updated_at: NOW + later } });
    expect(adopted.map(({ seq, client_id }) => [seq, client_id])).toEqual([[2, "m1"]]);
    const session = store.session ?? fail();
    const merged = { user_email: "account@mail.example", updated_at: NOW + Math.max(0, later), status };
    expect(session).toEqual({ ...before, ...merged, version: session.version });
    expect(session.version).toBeGreaterThan(before.version);
  });
});

test("knows what the support database does not have", () =>
  inRoom((store) => {
    store.start(STARTED, NOW);
    for (const id of ["m1", "m2"]) send(store, id);
    expect(store.unstoredMessages(2).map(({ seq }) => seq)).toEqual([1, 2]);
    const { version = 0 } = store.session ?? {};
    store.markStored(version, 2);
    expect([store.hasUnstored(), store.unstoredMessages(9).map(({ seq }) => seq)]).toEqual([true, [3]]);
    store.markStored(version - 1, 3);
    expect([store.hasUnstored(), store.unstoredMessages(9)]).toEqual([true, []]);
    // A late write moves the mark of the messages back no more.
    store.markStored(version, 1);
    expect([store.hasUnstored(), store.session?.stored_seq]).toEqual([false, 3]);
    store.markRead("user", 3);
    expect(store.hasUnstored()).toBe(true);
  }));

test("checks a visitor's last message for an away message, unless the team has replied", () =>
  inRoom((store) => {
    store.start(STARTED, NOW);
    expect(store.messageToCheck()).toBeNull();
    const [, second] = [send(store, "m1"), send(store, "m2")];
    store.addBotMessage("away", "Later", NOW);
    expect(store.messageToCheck()).toEqual(second);
    store.markAwayChecked(3);
    store.markAwayChecked(2);
    expect(store.messageToCheck()).toBeNull();
    const fourth = send(store, "m3");
    expect(store.messageToCheck()).toEqual(fourth);
    reply(store, "a");
    expect(store.messageToCheck()).toBeNull();
  }));

test("finds each unread reply once, and reads few rows however much the visitor writes", () =>
  inRoom((store, sql) => {
    store.start(STARTED, NOW);
    for (let n = 0; n < 500; n++) {
      send(store, `m${n}`);
      expect(store.repliesToPush()).toEqual([]);
    }
    const exec = sql.exec.bind(sql);
    const cursors: SqlStorageCursor<Record<string, SqlStorageValue>>[] = [];
    const counted = vi.spyOn(sql, "exec").mockImplementation((query, ...values) => {
      const cursor = exec(query, ...values);
      cursors.push(cursor);
      return cursor;
    });
    const again = new RoomStore(sql);
    const opened = cursors.length;
    expect(again.repliesToPush()).toEqual([]);
    counted.mockRestore();
    const rowsRead = cursors.slice(opened).reduce((sum, cursor) => sum + cursor.rowsRead, 0);
    expect(rowsRead).toBeLessThanOrEqual(100);
    const first = reply(again, "a");
    expect(again.repliesToPush()).toEqual([first]);
    again.triage.markPushed(first.seq);
    expect(again.repliesToPush()).toEqual([]);
  }));

test("has work while something is to be stored, checked, audited or deleted", () =>
  inRoom((store) => {
    const stored = () => store.markStored(store.session?.version ?? 0, store.messages.lastSeq);
    store.start(STARTED, NOW);
    expect(store.hasWork()).toBe(true);
    stored();
    expect(store.hasWork()).toBe(false);
    const message = send(store, "m1");
    stored();
    expect(store.hasWork()).toBe(true);
    store.markAwayChecked(message.seq);
    expect(store.hasWork()).toBe(true);
    store.triage.setRespondBy(NOW, null);
    expect(store.hasWork()).toBe(true);
    expect(store.triage.takeTurn(1, { from: null, to: null })).toBe(false);
    expect([store.hasWork(), store.hasUnstored()]).toEqual([false, false]);
    store.triage.setBlocked(true, BY);
    stored();
    expect(store.hasWork()).toBe(true);
    store.triage.audit.delete(store.triage.audit.pending());
    expect(store.hasWork()).toBe(false);
    store.startDeletion("s1");
    store.startDeletion("s2");
    expect([store.hasWork(), store.deletedId, store.session]).toEqual([true, "s1", null]);
  }));

test("reads no closed case to know whether a question waits", () =>
  inRoom((store, sql) => {
    store.start(STARTED, NOW);
    const many = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)";
    sql.exec(`${many} INSERT INTO cases (started_at, first_reply_at, closed_at, version) SELECT i, i, i, 0 FROM n`);
    const woken = new RoomStore(sql);
    const cursors: SqlStorageCursor<Record<string, SqlStorageValue>>[] = [];
    const exec = sql.exec.bind(sql);
    const counted = vi.spyOn(sql, "exec").mockImplementation((query, ...values) => {
      const cursor = exec(query, ...values);
      cursors.push(cursor);
      return cursor;
    });
    expect(woken.hasQuestionToSettle()).toBe(false);
    counted.mockRestore();
    expect(cursors.reduce((rows, { rowsRead }) => rows + rowsRead, 0)).toBeLessThan(10);
  }));

test("continues after an eviction where it was", () =>
  inRoom((store, sql) => {
    store.start(STARTED, NOW);
    send(store, "m1");
    store.markStored(3, 1);
    store.markAwayChecked(2);
    const woken = new RoomStore(sql);
    expect([woken.session, woken.messages.lastSeq, woken.messageToCheck()]).toEqual([store.session, 2, null]);
    // An earlier version kept no mark: what is stored was checked.
    sql.exec("DROP TABLE away_check");
    expect(new RoomStore(sql).messageToCheck()).toMatchObject({ client_id: "m1" });
    store.handOver("user:u1");
    store.startDeletion("s1");
    const ended = new RoomStore(sql);
    expect([ended.handedOverTo, ended.deletedId]).toEqual(["user:u1", "s1"]);
  }));

function inRoom(work: (store: RoomStore, sql: SqlStorage) => void): Promise<void> {
  const room = env.SUPPORT_ROOM.getByName(crypto.randomUUID());
  return runInDurableObject(room, (_room, { storage }) => work(new RoomStore(storage.sql), storage.sql));
}

async function handedOver(talk: (store: RoomStore) => void): Promise<Handover> {
  let handed: Handover | null = null;
  await inRoom((store) => {
    store.start(STARTED, NOW);
    talk(store);
    handed = store.handOver("user:u1");
  });
  return handed ?? fail();
}

function send(store: RoomStore, clientId: string) {
  return store.append(VISITOR, { clientId, body: clientId }, NOW).message;
}

function reply(store: RoomStore, clientId: string) {
  return store.append(AGENT, { clientId, body: clientId }, NOW).message;
}

function fail(): never {
  throw new Error("missing");
}
