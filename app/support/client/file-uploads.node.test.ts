import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { History } from "#app/support/protocol/frames.ts";
import { MemoryStorage } from "#tests/faults/browser-globals.ts";
import { FakeSocket, stubPage } from "#tests/stand-ins/fake-socket.ts";
import { FetchingXhr } from "#tests/stand-ins/fetching-xhr.ts";
import { openFileOutbox } from "./file-outbox.ts";
import { openRoom } from "./room-client.ts";

const ID = "anon_1_00000000000000000000000000000000";

/** IndexedDB, which Node doesn't have. */
const files = vi.hoisted(() => new Map<string, unknown>());
vi.mock("idb-keyval", () => ({
  createStore: () => null,
  entries: async () => [...files],
  get: async (key: string) => files.get(key),
  set: async (key: string, value: unknown) => void files.set(key, value),
  del: async (key: string) => void files.delete(key),
}));

/** Tells of a removed key, as a browser tells its other tabs. */
class ToldStorage extends MemoryStorage {
  override removeItem(key: string): void {
    const isKnown = this.getItem(key) !== null;
    super.removeItem(key);
    if (isKnown) window.dispatchEvent(Object.assign(new Event("storage"), { key, newValue: null }));
  }
}

let uploads: { name: string; respond: (response: Response) => void }[];
let room: ReturnType<typeof openRoom>;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"] });
  stubPage();
  vi.stubGlobal("localStorage", new ToldStorage());
  files.clear();
  uploads = [];
  vi.stubGlobal("fetch", (path: string) => {
    const { promise, resolve } = Promise.withResolvers<Response>();
    uploads.push({ name: new URLSearchParams(path.split("?")[1]).get("name") ?? "", respond: resolve });
    return promise;
  });
  room = openRoom(ID, { side: "user", name: "Ada" });
  FakeSocket.last.open();
  const session = { session_id: ID, user_name: "Ada", user_email: null, status: "open", updated_at: 1 } as const;
  const history: History = { epoch: "e", session, lastSeq: 0, readSeq: { user: 0, admin: 0 }, messages: [] };
  FakeSocket.last.receive(JSON.stringify({ type: "ready", ...history }));
});
afterEach(async () => {
  room.close();
  // An upload holds the lock of its session, which the next test needs.
  for (const { respond } of uploads) respond(new Response(null, { status: 503 }));
  await settle();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test("shows how much of a file is sent, in whole percents that never fall", async () => {
  room.sendFile(new File(["abc"], "a.png"));
  await settle();
  const seen = [];
  for (const loaded of [1, 500, 499, 1000]) {
    FetchingXhr.last?.progress(loaded, 1000);
    seen.push(room.getState().pending[0]?.progress);
  }
  expect(seen).toEqual([undefined, 50, 50, 100]);
});

test("cancels the upload in progress, forgets its file, and goes on to the next one", async () => {
  for (const name of ["a.png", "b.png"]) room.sendFile(new File(["a"], name));
  await settle();
  const first = FetchingXhr.last;
  room.discard(idOf("a.png"));
  await settle();
  expect(first?.isAborted).toBe(true);
  expect(uploads.map(({ name }) => name)).toEqual(["a.png", "b.png"]);
  expect(unsent()).toEqual(["b.png sending"]);
  expect((await openFileOutbox(ID).read()).map(({ body }) => body)).toEqual(["b.png"]);
});

test("cancels the upload in progress from another tab, and goes on to the next one", async () => {
  for (const name of ["a.png", "b.png"]) room.sendFile(new File(["a"], name));
  await settle();
  const first = FetchingXhr.last;
  const other = openRoom(ID, { side: "user", name: "Ada" });
  await settle();
  other.discard(idOf("a.png"));
  await settle();
  expect(first?.isAborted).toBe(true);
  expect(uploads.map(({ name }) => name)).toEqual(["a.png", "b.png"]);
  expect(unsent()).toEqual(["b.png sending"]);
  // The other tab has waited for its turn.
  uploads[1]?.respond(Response.json({ clientId: idOf("b.png"), seq: 1, created_at: 1 }));
  await settle();
  expect(other.getState().pending).toEqual([]);
  expect(uploads).toHaveLength(2);
  other.close();
});

test("never starts an upload that was canceled while it waited", async () => {
  for (const name of ["a.png", "b.png", "c.png"]) room.sendFile(new File(["a"], name));
  room.discard(idOf("a.png"));
  room.discard(idOf("b.png"));
  await settle();
  expect(uploads.map(({ name }) => name)).toEqual(["c.png"]);
});

test("gives the room's reason for a rejected file, and starts over without it on request", async () => {
  room.sendFile(new File(["a"], "a.png"));
  await settle();
  FetchingXhr.last?.progress(1, 2);
  uploads[0]?.respond(Response.json({ error: "blocked" }, { status: 403 }));
  await settle();
  expect(room.getState().pending).toMatchObject([{ state: "refused", reason: "blocked" }]);
  room.retry(idOf("a.png"));
  await settle();
  const [file] = room.getState().pending;
  expect([file?.state, file?.reason, file?.progress, uploads.length]).toEqual(["sending", undefined, undefined, 2]);
});

test("sends a file again a second after the room was too busy for it, and those after it later", async () => {
  vi.useFakeTimers({ toFake: ["Date", "setTimeout"] });
  for (const name of ["a.png", "b.png"]) room.sendFile(new File(["a"], name));
  await settle();
  uploads[0]?.respond(Response.json({ error: "rate_limited" }, { status: 429 }));
  await settle();
  expect(unsent()).toEqual(["a.png sending", "b.png sending"]);
  vi.advanceTimersByTime(999);
  await settle();
  expect(uploads).toHaveLength(1);
  vi.advanceTimersByTime(1);
  await settle();
  uploads[1]?.respond(Response.json({ clientId: idOf("a.png"), seq: 1, created_at: 1 }));
  await settle();
  expect(uploads.map(({ name }) => name)).toEqual(["a.png", "a.png", "b.png"]);
});

test("names a server error and a lost connection as the reason", async () => {
  const responses = [new Response("<html>", { status: 502 }), Response.error()];
  for (const [at, response] of responses.entries()) {
    room.sendFile(new File(["a"], `${at}.png`));
    await settle();
    uploads[at]?.respond(response);
    await settle();
  }
  expect(room.getState().pending.map(({ state, reason }) => `${state} ${reason}`)).toEqual([
    "failed server_error",
    "failed no_connection",
  ]);
});

test("keeps files chosen together in their order across a reload", async () => {
  const names = ["1.png", "2.png", "3.png", "4.png", "5.png"];
  for (const name of names) room.sendFile(new File(["a"], name));
  const times = room.getState().pending.map(({ createdAt }) => createdAt);
  expect(new Set(times).size).toBe(names.length);
  expect(room.getState().pending.map(({ body }) => body)).toEqual(names);
});

function idOf(name: string): string {
  return room.getState().pending.find(({ body }) => body === name)?.clientId ?? "";
}

function unsent(): string[] {
  return room.getState().pending.map(({ body, state }) => `${body} ${state}`);
}

/** Runs pending work that needs no timer. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
}
