import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { History, SupportMessage } from "#app/support/protocol/frames.ts";
import { MemoryStorage } from "#tests/faults/browser-globals.ts";
import { FakeSocket, stubPage } from "#tests/stand-ins/fake-socket.ts";
import { openOutbox } from "./message-outbox.ts";
import { openRoom } from "./room-client.ts";

const ID = "anon_1_00000000000000000000000000000000";
const POLL_MS = 5000;

/** What the room has. */
let stored: SupportMessage[];
/** The bodies that were posted, one entry for each time. */
let posted: string[];
/** What the room answers to a posted body: a status, when it comes to it. */
let answer: (body: string) => number | Promise<number>;
let room: ReturnType<typeof openRoom>;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "Date"] });
  stubPage();
  stored = [];
  posted = [];
  answer = () => 200;
  store("welcome", "Hi Ada!", "system");
  vi.stubGlobal("localStorage", new MemoryStorage());
  vi.stubGlobal("fetch", async (path: string, init: RequestInit) => {
    if (init.method !== "POST")
      return Response.json(history(Number(new URLSearchParams(path.split("?")[1]).get("since"))));
    const { clientId, body } = said(path, init.body);
    posted.push(body);
    const status = await answer(body);
    return status === 200 ? Response.json(ackOf(store(clientId, body))) : new Response(null, { status });
  });
});
afterEach(() => {
  room.close();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test("what a page before this one left unsent is sent on the first line, in order, once, and forgotten when the room has it", async () => {
  const left = openOutbox(localStorage, ID);
  left.add({ clientId: "c2", body: "two", createdAt: 2, state: "sending" });
  left.add({ clientId: "c1", body: "one", createdAt: 1, state: "sending" });
  left.add({ clientId: "c0", body: "not taken", createdAt: 0, state: "refused" });
  open();
  expect(connect()).toEqual(["one", "two"]);
  await settle();
  expect(sends()).toEqual(["one", "two"]);
  for (const [id, body] of [
    ["c1", "one"],
    ["c2", "two"],
  ] as const)
    acknowledge(store(id, body));
  expect(unsent()).toEqual(["not taken"]);
  expect(left.read().map(({ clientId }) => clientId)).toEqual(["c0"]);
  expect(await reconnect()).toEqual([]);
  room.retry("c0");
  expect(sends()).toEqual(["not taken"]);
});

test("what was not acknowledged when the line died is sent again on the next one, and nothing else", async () => {
  open();
  connect();
  for (const body of ["one", "two", "three"]) room.send(body);
  const [one, two] = FakeSocket.last.sent.map((frame) => JSON.parse(frame) as { clientId: string; body: string });
  if (!one || !two) throw new Error("nothing was sent");
  acknowledge(store(one.clientId, one.body));
  // The room has it; its acknowledgement was lost with the line.
  store(two.clientId, two.body);
  expect(await reconnect()).toEqual(["three"]);
  expect(await reconnect()).toEqual(["three"]);
  expect(room.getState().messages.map(({ message }) => message)).toEqual(["Hi Ada!", "one", "two"]);
  expect(unsent()).toEqual(["three"]);
});

test("over HTTP each message is posted once and in order, however long the first one takes", async () => {
  const release = hold("one");
  open();
  await withoutSockets();
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

test("over HTTP nothing goes past what did not get through, which is posted again with each poll until it does", async () => {
  answer = () => 503;
  open();
  await withoutSockets();
  for (const body of ["one", "two"]) room.send(body);
  await pass(POLL_MS);
  expect(new Set(posted)).toEqual(new Set(["one"]));
  const tries = posted.length;
  await pass(POLL_MS);
  expect(posted.length).toBe(tries + 1);
  answer = () => 200;
  await pass(POLL_MS);
  expect(posted.slice(tries + 1)).toEqual(["one", "two"]);
  expect(stored.map(({ message }) => message)).toEqual(["Hi Ada!", "one", "two"]);
  expect(unsent()).toEqual([]);
});

test("over HTTP what the room refuses is posted once and holds up nothing", async () => {
  answer = (body) => (body === "bad" ? 422 : 200);
  open();
  await withoutSockets();
  for (const body of ["bad", "good"]) room.send(body);
  for (let poll = 0; poll < 3; poll++) await pass(POLL_MS);
  expect(posted).toEqual(["bad", "good"]);
  expect(room.getState().pending).toMatchObject([{ body: "bad", state: "refused" }]);
});

test("a file waits for the texts that were written before it, and a text waits for no file", async () => {
  const release = hold("cat.png");
  open();
  connect();
  room.send("one");
  room.sendFile(new File(["a"], "cat.png"));
  await settle();
  expect(posted).toEqual([]);
  const [one] = FakeSocket.last.sent.map((frame) => JSON.parse(frame) as { clientId: string; body: string });
  if (!one) throw new Error("nothing was sent");
  acknowledge(store(one.clientId, one.body));
  await settle();
  expect(posted).toEqual(["cat.png"]);
  room.send("two");
  expect(sends()).toEqual(["one", "two"]);
  release(200);
  await settle();
});

test("over HTTP a text and the files after it arrive in the order they were written in, each once", async () => {
  const release = hold("one");
  open();
  await withoutSockets();
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

test("a text that is refused or discarded holds up no file", async () => {
  answer = (body) => (body === "bad" ? 422 : body === "late" ? 503 : 200);
  open();
  await withoutSockets();
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

function open(): void {
  room = openRoom(ID, { side: "user", name: "Ada" });
}

/** The line is there and the room says what it has; answers what is sent on it. */
function connect(): string[] {
  FakeSocket.last.open();
  FakeSocket.last.hear(JSON.stringify({ type: "ready", ...history(room.getState().messages.at(-1)?.seq ?? 0) }));
  return sends();
}

async function reconnect(): Promise<string[]> {
  const before = FakeSocket.last;
  before.lose();
  await pass(1200);
  expect(FakeSocket.last).not.toBe(before);
  const sent = connect();
  await settle();
  expect(sends()).toEqual(sent);
  return sent;
}

/** Until the client talks over HTTP. */
async function withoutSockets(): Promise<void> {
  FakeSocket.last.lose();
  await pass(1200);
  FakeSocket.last.lose();
  await settle();
  expect(room.getState().connection).toBe("polling");
}

/** What a request sends: a text in its body, a file by its name in the address. */
function said(path: string, sent: unknown): { clientId: string; body: string } {
  const query = new URLSearchParams(path.split("?")[1]);
  if (sent instanceof File) return { clientId: query.get("clientId") ?? "", body: query.get("name") ?? "" };
  return JSON.parse(String(sent)) as { clientId: string; body: string };
}

/** What is posted so is answered when it is released. */
function hold(held: string): (status: number) => void {
  const { promise, resolve } = Promise.withResolvers<number>();
  answer = (body) => (body === held ? promise : 200);
  return resolve;
}

function sends(): string[] {
  return FakeSocket.last.sent
    .map((text) => JSON.parse(text) as { type: string; body: string })
    .flatMap(({ type, body }) => (type === "send" ? [body] : []));
}

function unsent(): string[] {
  return room.getState().pending.map(({ body }) => body);
}

/** The same client id twice is one message. */
function store(
  client_id: string,
  message: string,
  sender_type: SupportMessage["sender_type"] = "user",
): SupportMessage {
  const known = stored.find((one) => one.client_id === client_id);
  if (known) return known;
  const said = { seq: stored.length + 1, client_id, sender_type, sender_name: "", message, created_at: 1 };
  stored.push(said);
  return said;
}

function ackOf({ client_id, seq, created_at }: SupportMessage) {
  return { clientId: client_id, seq, created_at };
}

function acknowledge(message: SupportMessage): void {
  FakeSocket.last.hear(JSON.stringify({ type: "ack", ...ackOf(message) }));
}

function history(since: number): History {
  const session = { session_id: ID, user_name: "Ada", user_email: null, status: "open", updated_at: 1 } as const;
  const messages = stored.filter(({ seq }) => seq > since);
  return { epoch: "e", session, lastSeq: stored.length, readSeq: { user: 0, admin: 0 }, messages };
}

async function pass(ms: number): Promise<void> {
  await vi.advanceTimersByTimeAsync(ms);
  await settle();
}

/** What was begun and needs no time is done. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
}
