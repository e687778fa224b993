import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { CLOSE } from "#app/support/protocol/close-codes.ts";
import type { History } from "#app/support/protocol/frames.ts";
import { MemoryStorage } from "#tests/faults/browser-globals.ts";
import { FakeSocket, stubPage } from "#tests/stand-ins/fake-socket.ts";
import { moveFiles, openFileOutbox } from "./file-outbox.ts";
import { openRoom } from "./room-client.ts";

/** Results that arrive after their room was closed, or after its connection was replaced. */

const ID = "anon_1_00000000000000000000000000000000";
const NEXT_ID = "user_1";

/** IndexedDB, which Node doesn't have. */
const files = vi.hoisted(() => new Map<string, unknown>());
vi.mock("idb-keyval", () => ({
  createStore: () => null,
  entries: async () => [...files],
  get: async (key: string) => files.get(key),
  set: async (key: string, value: unknown) => void files.set(key, value),
  del: async (key: string) => void files.delete(key),
}));

let requests: { method: string; respond: (response: Response) => void }[];
let room: ReturnType<typeof openRoom>;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "Date"] });
  stubPage();
  vi.stubGlobal("localStorage", new MemoryStorage());
  files.clear();
  requests = [];
  vi.stubGlobal("fetch", (_: string, { method = "GET" }: RequestInit) => {
    const { promise, resolve } = Promise.withResolvers<Response>();
    requests.push({ method, respond: resolve });
    return promise;
  });
});
afterEach(() => {
  room.close();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test("leaves a file to the session that took over, however its upload from the closed room ends", async () => {
  open();
  connect();
  room.sendFile(new File(["a"], "cat.png"));
  await settle();
  room.close();
  await moveFiles(ID, NEXT_ID);
  requests[0]?.respond(new Response(null, { status: 422 }));
  await settle();
  expect(await openFileOutbox(ID).read()).toEqual([]);
  expect(await openFileOutbox(NEXT_ID).read()).toMatchObject([{ body: "cat.png", state: "sending" }]);
});

test("uploads no file that is found in storage after the room was closed", async () => {
  const file = new File(["a"], "cat.png");
  await openFileOutbox(ID).add({ clientId: "c1", body: "cat.png", createdAt: Date.now(), state: "sending", file });
  open();
  room.close();
  await settle();
  expect(requests).toEqual([]);
  expect(room.getState().pending).toEqual([]);
});

test("stays live when a poll ends after the socket has opened", async () => {
  open();
  await pollOnce();
  connect();
  requests[0]?.respond(Response.json(history()));
  await settle();
  expect(room.getState()).toMatchObject({ connection: "live" });
});

test("stays as it was closed when a poll ends later", async () => {
  open();
  await pollOnce();
  room.close();
  requests[0]?.respond(new Response(null, { status: 404 }));
  await settle();
  expect(room.getState()).toMatchObject({ connection: "connecting", movedTo: null });
});

test("ignores frames and the end of a connection that was replaced", async () => {
  open();
  connect();
  const old = FakeSocket.last;
  old.disconnect();
  await vi.advanceTimersByTimeAsync(1200);
  connect();
  expect(FakeSocket.last).not.toBe(old);
  old.receive(JSON.stringify({ type: "presence", user: true, agents: 9 }));
  old.dispatchEvent(Object.assign(new Event("close"), { code: CLOSE.gone, reason: "" }));
  await settle();
  expect(room.getState()).toMatchObject({ connection: "live", presence: { user: false, agents: 0 } });
});

function open(): void {
  room = openRoom(ID, { side: "user", name: "Ada" });
}

function connect(): void {
  FakeSocket.last.open();
  FakeSocket.last.receive(JSON.stringify({ type: "ready", ...history() }));
}

/** Fails sockets until the client polls. The poll waits for its response. */
async function pollOnce(): Promise<void> {
  FakeSocket.last.disconnect();
  await vi.advanceTimersByTimeAsync(1200);
  FakeSocket.last.disconnect();
  await vi.advanceTimersByTimeAsync(2500);
  expect(requests).toHaveLength(1);
}

function history(): History {
  const session = { session_id: ID, user_name: "Ada", user_email: null, status: "open", updated_at: 1 } as const;
  return { epoch: "e", session, lastSeq: 0, readSeq: { user: 0, admin: 0 }, messages: [] };
}

/** Runs pending work that needs no timer. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
}
