import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { browserStorage } from "#app/components/storage/browser-storage.ts";
import type { DownFrame, History, SupportMessage } from "#app/support/protocol/frames.ts";
import { MemoryStorage } from "#tests/faults/browser-globals.ts";
import { FakeSocket, stubPage } from "#tests/stand-ins/fake-socket.ts";
import { openOutbox } from "./message-outbox.ts";
import { openRoom } from "./room-client.ts";

const ID = "anon_1_00000000000000000000000000000000";
const POLL_MS = 5000;

/** The messages in the room. */
let stored: SupportMessage[];
/** The body of each POST, repeats included. */
let posted: string[];
/** Returns the status of the response to a posted body. */
let respond: (body: string) => number | Promise<number>;
/** The visitor's read mark in the room. */
let readByUser: number;
let room: ReturnType<typeof openRoom>;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "Date"] });
  stubPage();
  stored = [];
  readByUser = 0;
  posted = [];
  respond = () => 200;
  store("welcome", "Hi Ada!", "system");
  vi.stubGlobal("localStorage", new MemoryStorage());
  vi.stubGlobal("fetch", async (path: string, init: RequestInit) => {
    if (init.method !== "POST")
      return Response.json(history(Number(new URLSearchParams(path.split("?")[1]).get("since"))));
    const { clientId, body } = messageIn(path, init.body);
    posted.push(body);
    const status = await respond(body);
    return status === 200 ? Response.json(ackOf(store(clientId, body))) : new Response(null, { status });
  });
});
afterEach(() => {
  room.close();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test("sends what an earlier page left unsent on the first connection, in order and once, and forgets what the room has", async () => {
  const left = openOutbox(browserStorage, ID);
  left.add({ clientId: "c2", body: "two", createdAt: 2, state: "sending" });
  left.add({ clientId: "c1", body: "one", createdAt: 1, state: "sending" });
  left.add({ clientId: "c0", body: "rejected", createdAt: 0, state: "refused" });
  open();
  expect(connect()).toEqual(["one"]);
  await settle();
  expect(sends()).toEqual(["one"]);
  acknowledge(store("c1", "one"));
  expect(sends()).toEqual(["one", "two"]);
  acknowledge(store("c2", "two"));
  expect(unsent()).toEqual(["rejected"]);
  expect(left.read().map(({ clientId }) => clientId)).toEqual(["c0"]);
  expect(await reconnect()).toEqual([]);
  room.retry("c0");
  expect(sends()).toEqual(["rejected"]);
});

test("resends on the next connection what the room does not have, and nothing else", async () => {
  open();
  connect();
  for (const body of ["one", "two", "three"]) room.send(body);
  acknowledge(store(idOf("one"), "one"));
  // The room has it; the acknowledgement was lost with the connection.
  store(idOf("two"), "two");
  expect(await reconnect()).toEqual(["three"]);
  expect(await reconnect()).toEqual(["three"]);
  expect(room.getState().messages.map(({ message }) => message)).toEqual(["Hi Ada!", "one", "two"]);
  expect(unsent()).toEqual(["three"]);
});

test("posts each message once and in order over HTTP, however long the first one takes", async () => {
  const release = hold("one");
  open();
  await switchToPolling();
  for (const body of ["one", "two", "three"]) room.send(body);
  for (let poll = 0; poll < 4; poll++) await pass(POLL_MS);
  expect(posted).toEqual(["one"]);
  release(200);
  await settle();
  expect(posted).toEqual(["one", "two", "three"]);
  expect(unsent()).toEqual([]);
  await pass(4 * POLL_MS);
  expect(posted).toHaveLength(3);
});

test("holds back later messages over HTTP until the first one succeeds, which is retried with each poll", async () => {
  respond = () => 503;
  open();
  await switchToPolling();
  for (const body of ["one", "two"]) room.send(body);
  await pass(POLL_MS);
  expect(new Set(posted)).toEqual(new Set(["one"]));
  const tries = posted.length;
  await pass(POLL_MS);
  expect(posted.length).toBe(tries + 1);
  respond = () => 200;
  await pass(POLL_MS);
  expect(posted.slice(tries + 1)).toEqual(["one", "two"]);
  expect(stored.map(({ message }) => message)).toEqual(["Hi Ada!", "one", "two"]);
  expect(unsent()).toEqual([]);
});

test("posts a rejected message once over HTTP and continues with the next one", async () => {
  respond = (body) => (body === "bad" ? 422 : 200);
  open();
  await switchToPolling();
  for (const body of ["bad", "good"]) room.send(body);
  for (let poll = 0; poll < 3; poll++) await pass(POLL_MS);
  expect(posted).toEqual(["bad", "good"]);
  expect(room.getState().pending).toMatchObject([{ body: "bad", state: "refused" }]);
});

test("leaves a rejected message alone after a reload, until the person asks", async () => {
  respond = (body) => (body === "bad" ? 422 : 200);
  open();
  await switchToPolling();
  room.send("bad");
  await settle();
  room.close();
  open();
  expect(connect()).toEqual([]);
  await settle();
  expect(room.getState().pending).toMatchObject([{ body: "bad", state: "refused" }]);
  expect(await reconnect()).toEqual([]);
  room.retry(room.getState().pending[0]?.clientId ?? "");
  expect(sends()).toEqual(["bad"]);
});

test("holds a file until earlier texts are acknowledged, and never holds a text for a file", async () => {
  const release = hold("cat.png");
  open();
  connect();
  room.send("one");
  room.sendFile(new File(["a"], "cat.png"));
  await settle();
  expect(posted).toEqual([]);
  acknowledge(store(idOf("one"), "one"));
  await settle();
  expect(posted).toEqual(["cat.png"]);
  room.send("two");
  expect(sends()).toEqual(["one", "two"]);
  release(200);
  await settle();
});

test("posts a text and the files after it over HTTP in the order written, each once", async () => {
  const release = hold("one");
  open();
  await switchToPolling();
  room.send("one");
  for (const name of ["a.png", "b.png"]) room.sendFile(new File([name], name));
  for (let poll = 0; poll < 3; poll++) await pass(POLL_MS);
  expect(posted).toEqual(["one"]);
  release(200);
  await settle();
  expect(posted).toEqual(["one", "a.png", "b.png"]);
  await pass(POLL_MS);
  expect(unsent()).toEqual([]);
  expect(posted).toHaveLength(3);
});

test("does not hold a file for a text that was rejected or discarded", async () => {
  respond = (body) => (body === "bad" ? 422 : body === "late" ? 503 : 200);
  open();
  await switchToPolling();
  room.send("bad");
  room.sendFile(new File(["a"], "a.png"));
  await settle();
  expect(posted).toEqual(["bad", "a.png"]);
  room.send("late");
  room.sendFile(new File(["b"], "b.png"));
  await settle();
  expect(posted).toEqual(["bad", "a.png", "late"]);
  room.discard(room.getState().pending.find(({ body }) => body === "late")?.clientId ?? "");
  await settle();
  expect(posted).toEqual(["bad", "a.png", "late", "b.png"]);
});

test("sends a text that the room was too busy for again, on the same connection and before the later ones", async () => {
  open();
  connect();
  for (const body of ["one", "two"]) room.send(body);
  receive({ type: "error", code: "rate_limited", message: "Too many messages.", clientId: idOf("one") });
  room.send("three");
  expect(sends()).toEqual(["one"]);
  expect(room.getState().pending.map(({ state }) => state)).toEqual(["sending", "sending", "sending"]);
  await pass(1000);
  expect(sends()).toEqual(["one", "one"]);
  for (const body of ["one", "two", "three"]) acknowledge(store(idOf(body), body));
  expect(sends()).toEqual(["one", "one", "two", "three"]);
  expect(FakeSocket.created).toHaveLength(1);
  expect(unsent()).toEqual([]);
});

test("goes on after a text that the room can't read", () => {
  open();
  connect();
  for (const body of ["odd", "fine"]) room.send(body);
  receive({ type: "error", code: "bad_frame", message: "Unknown frame." });
  expect(sends()).toEqual(["odd", "fine"]);
  expect(room.getState().pending).toMatchObject([{ state: "refused" }, { state: "sending" }]);
});

test("tries again over a new connection while the old one owes a reply", async () => {
  open();
  connect();
  for (const body of ["bad", "stuck"]) room.send(body);
  receive({ type: "error", code: "blocked", message: "No.", clientId: idOf("bad") });
  expect(sends()).toEqual(["bad", "stuck"]);
  const before = FakeSocket.last;
  room.retry(idOf("bad"));
  expect(FakeSocket.last).not.toBe(before);
  expect(before.sent).toHaveLength(2);
  expect(connect()).toEqual(["bad"]);
  for (const body of ["bad", "stuck"]) acknowledge(store(idOf(body), body));
  expect(unsent()).toEqual([]);
});

test("says why the room refuses a visitor until they are unblocked", async () => {
  open();
  connect();
  room.send("refused");
  receive({ type: "error", code: "blocked", message: "No.", clientId: idOf("refused") });
  const session = (blocked: { blocked?: true }) =>
    receive({ type: "session", session: { ...history(0).session, ...blocked } });
  session({ blocked: true });
  expect(room.getState().refusal).toBe("No.");
  session({});
  expect(room.getState().refusal).toBeNull();
});

test("sends a read mark again that was lost with its connection", async () => {
  open();
  connect();
  receive({ type: "message", message: store("a1", "hello", "admin") });
  room.markRead();
  const marks = () => FakeSocket.last.sent.filter((frame) => frame.includes('"read"'));
  expect(marks()).toEqual(['{"type":"read","seq":2}']);
  await reconnect();
  expect(marks()).toEqual(['{"type":"read","seq":2}']);
  readByUser = 2;
  await reconnect();
  expect(marks()).toEqual([]);
});

test("counts nothing as unread once it was seen while connecting, and tells the room with the next connection", async () => {
  open();
  connect();
  receive({ type: "message", message: store("a1", "hello", "admin") });
  FakeSocket.last.disconnect();
  room.markRead();
  expect(room.getState()).toMatchObject({ connection: "connecting", unread: 0 });
  await pass(1200);
  connect();
  expect(FakeSocket.last.sent).toContain('{"type":"read","seq":2}');
});

test("keeps a message pending when the other side sends one with the same client id", () => {
  open();
  connect();
  room.send("one");
  const clientId = room.getState().pending[0]?.clientId ?? "";
  receive({ type: "message", message: store(clientId, "hello", "admin") });
  expect(unsent()).toEqual(["one"]);
});

test("ignores a repeated acknowledgement", () => {
  open();
  connect();
  room.send("one");
  const one = store(room.getState().pending[0]?.clientId ?? "", "one");
  acknowledge(one);
  const { messages } = room.getState();
  acknowledge(one);
  expect(messages.map(({ message, sender_name }) => [message, sender_name]).at(-1)).toEqual(["one", "Ada"]);
  expect(room.getState()).toMatchObject({ messages, pending: [] });
});

test("stops posting after it is closed, also if the last message is rejected", async () => {
  const release = hold("one");
  open();
  await switchToPolling();
  room.send("one");
  room.close();
  release(422);
  await settle();
  expect(posted).toEqual(["one"]);
});

function open(): void {
  room = openRoom(ID, { side: "user", name: "Ada" });
}

/** Opens the socket, sends the history on it and returns the texts the client sends. */
function connect(): string[] {
  FakeSocket.last.open();
  receive({ type: "ready", ...history(room.getState().messages.at(-1)?.seq ?? 0) });
  return sends();
}

async function reconnect(): Promise<string[]> {
  const before = FakeSocket.last;
  before.disconnect();
  await pass(1200);
  expect(FakeSocket.last).not.toBe(before);
  const sent = connect();
  await settle();
  expect(sends()).toEqual(sent);
  return sent;
}

/** Fails sockets until the client polls over HTTP. */
async function switchToPolling(): Promise<void> {
  FakeSocket.last.disconnect();
  await pass(1200);
  FakeSocket.last.disconnect();
  await settle();
  expect(room.getState().connection).toBe("polling");
}

/** Returns the message in a POST: a text from the body, a file from its name in the URL. */
function messageIn(path: string, sent: unknown): { clientId: string; body: string } {
  const query = new URLSearchParams(path.split("?")[1]);
  if (sent instanceof File) return { clientId: query.get("clientId") ?? "", body: query.get("name") ?? "" };
  return JSON.parse(String(sent)) as { clientId: string; body: string };
}

/** Delays the response to the body until the returned function is called with a status. */
function hold(held: string): (status: number) => void {
  const { promise, resolve } = Promise.withResolvers<number>();
  respond = (body) => (body === held ? promise : 200);
  return resolve;
}

/** Returns the client id of a pending text. */
function idOf(body: string): string {
  return room.getState().pending.find((one) => one.body === body)?.clientId ?? "";
}

function sends(): string[] {
  return FakeSocket.last.sent
    .map((text) => JSON.parse(text) as { type: string; body: string })
    .flatMap(({ type, body }) => (type === "send" ? [body] : []));
}

function unsent(): string[] {
  return room.getState().pending.map(({ body }) => body);
}

/** Stores a message as the room does: a client id used twice is one message. */
function store(
  client_id: string,
  message: string,
  sender_type: SupportMessage["sender_type"] = "user",
): SupportMessage {
  const known = stored.find((one) => one.client_id === client_id);
  if (known) return known;
  const added = { seq: stored.length + 1, client_id, sender_type, sender_name: "", message, created_at: 1 };
  stored.push(added);
  return added;
}

function ackOf({ client_id, seq, created_at }: SupportMessage) {
  return { clientId: client_id, seq, created_at };
}

function acknowledge(message: SupportMessage): void {
  receive({ type: "ack", ...ackOf(message) });
}

function receive(frame: DownFrame): void {
  FakeSocket.last.receive(JSON.stringify(frame));
}

function history(since: number): History {
  const session = { session_id: ID, user_name: "Ada", user_email: null, status: "open", updated_at: 1 } as const;
  const messages = stored.filter(({ seq }) => seq > since);
  return { epoch: "e", session, lastSeq: stored.length, readSeq: { user: readByUser, admin: 0 }, messages };
}

async function pass(ms: number): Promise<void> {
  await vi.advanceTimersByTimeAsync(ms);
  await settle();
}

/** Runs pending work that needs no timer. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
}
