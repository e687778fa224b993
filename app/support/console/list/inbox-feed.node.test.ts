import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { InboxChange } from "#app/support/inbox/inbox-change.ts";
import type { InboxEvent } from "#app/support/inbox/inbox-state.ts";
import type { InboxPage, InboxRow } from "#app/support/inbox/inbox-view.ts";
import { CLOSE } from "#app/support/protocol/close-codes.ts";
import { FakeSocket, stubPage } from "#tests/stand-ins/fake-socket.ts";
import { inboxRow } from "#tests/workerd/inbox-row.ts";
import { openInboxFeed, readMore } from "./inbox-feed.ts";

const SETTLE_MS = 100;
const LOADED_AT = 1_800_000_000_000;
const COUNTS = { open: 0, mine: 0, unassigned: 0, closed: 0, snoozed: 0, unread: 0 };
const PAGE: InboxPage = { rows: [], next: null, counts: COUNTS, readAt: LOADED_AT, changesAt: null, mentions: [] };
const NEW: InboxRow = inboxRow(1, { sessionId: "one", updatedAt: LOADED_AT + 1, unread: true });

/** The query of each request. */
let requested: string[];
let respond: (query: string) => Response | Promise<Response>;
let told: InboxEvent[];
let announced: string[];
let current: Parameters<typeof openInboxFeed>[0]["current"] extends () => infer Shown ? Shown : never;
let feed: ReturnType<typeof openInboxFeed>;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval"] });
  stubPage();
  requested = [];
  told = [];
  announced = [];
  respond = () => Response.json(PAGE);
  vi.stubGlobal("fetch", async (path: string) => {
    const query = decodeURIComponent(path.replace("/admin/inbox?", ""));
    requested.push(query);
    return respond(query);
  });
  current = { page: PAGE, list: "view=open", shown: { view: "open", filter: null, agentId: "bo" } };
  let last = Promise.resolve();
  feed = openInboxFeed({
    current: () => current,
    tell: (event) => told.push(event),
    onNewMessages: (rows) => announced.push(...rows.map(({ sessionId }) => sessionId)),
    inOrder: (work) => {
      last = last.then(work);
    },
  });
});
afterEach(() => {
  feed.close();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test("reads the list when it has connected, because hints before that are lost", async () => {
  await connect();
  expect(requested).toEqual(["view=open&limit=1"]);
  expect(told).toEqual([{ type: "connected" }, { type: "allRead", page: PAGE }]);
});

test("reads as many rows again as were loaded", async () => {
  current = { ...current, page: { ...PAGE, rows: Array.from({ length: 600 }, (_, at) => inboxRow(at)) } };
  respond = (query) => {
    const limit = Number(new URLSearchParams(query).get("limit"));
    const rows = Array.from({ length: limit }, (_, at) => inboxRow(at + (query.includes("after") ? 500 : 0)));
    return Response.json({ ...PAGE, rows, next: query.includes("after") ? "b" : "a" });
  };
  await connect();
  expect(requested).toEqual(["view=open&limit=500", "view=open&limit=100&after=a"]);
});

test("makes one request for all that changed within a moment, and reads everything if that is much", async () => {
  await connect();
  for (const id of ["one", "two", "one"]) hint(id);
  await pass(SETTLE_MS);
  for (let id = 0; id <= 50; id++) hint(`s${id}`);
  await pass(SETTLE_MS);
  expect(requested.slice(1)).toEqual(["ids=one,two", "view=open&limit=1"]);
  expect(told.at(-2)).toMatchObject({ type: "someRead", ids: ["one", "two"] });
});

test("applies a hint without a request, after any read that may have started before it", async () => {
  await connect();
  const { promise, resolve } = Promise.withResolvers<Response>();
  respond = () => promise;
  hint("two");
  await pass(SETTLE_MS);
  hint("one", { row: NEW, totals: [], changesAt: null, mentions: [], readAt: LOADED_AT + 1 });
  await pass(0);
  expect(told.at(-1)).toEqual({ type: "allRead", page: PAGE });
  resolve(Response.json(PAGE));
  await pass(0);
  expect(told.slice(-2).map(({ type }) => type)).toEqual(["someRead", "changed"]);
  expect(requested).toHaveLength(2);
});

test("announces a new message once, whether a hint or a read brings it", async () => {
  await connect();
  hint("one", { row: NEW, totals: [], changesAt: null, mentions: [], readAt: LOADED_AT + 1 });
  await pass(0);
  respond = () => Response.json({ ...PAGE, rows: [NEW] });
  hint("one");
  await pass(SETTLE_MS);
  expect(announced).toEqual(["one"]);
});

test("reads everything a while after a failed read, and later each time", async () => {
  vi.spyOn(Math, "random").mockReturnValue(0.5);
  await connect();
  respond = () => new Response(null, { status: 503 });
  hint("one");
  await pass(SETTLE_MS);
  await pass(1000);
  await pass(1999);
  expect(requested.slice(1)).toEqual(["ids=one", "view=open&limit=1"]);
  await pass(1);
  expect(requested).toHaveLength(4);
});

test("ignores what was read of another list or after the end", async () => {
  await connect();
  const before = told.length;
  respond = () => {
    current = { ...current, list: "view=mine" };
    return Response.json(PAGE);
  };
  hint("one");
  await pass(SETTLE_MS);
  hint("two");
  await pass(SETTLE_MS);
  expect(told.slice(before)).toMatchObject([{ type: "someRead", ids: ["two"] }]);
  feed.close();
  hint("three");
  await pass(SETTLE_MS);
  expect(told).toHaveLength(before + 1);
});

test("ends when the server says that the session has ended, and asks after two failed sockets", async () => {
  respond = () => new Response(null, { status: 404 });
  FakeSocket.last.disconnect();
  await pass(0);
  expect(requested).toEqual([]);
  await pass(1200);
  FakeSocket.last.disconnect();
  await pass(0);
  expect(told.map(({ type }) => type)).toEqual(["disconnected", "disconnected", "signedOut"]);
});

test("ends at once with the session of an open socket", async () => {
  FakeSocket.last.dispatchEvent(Object.assign(new Event("close"), { code: CLOSE.signedOut, reason: "" }));
  expect(told).toEqual([{ type: "signedOut" }]);
});

test("reads the next page of the list shown, unless it has ended or another one is shown since", async () => {
  current = { ...current, page: { ...PAGE, next: "cursor" } };
  expect(await readMore(() => current)).toEqual({ type: "moreRead", after: "cursor", page: PAGE });
  expect(requested).toEqual(["view=open&after=cursor&limit=200"]);
  const lists = [current, { ...current, list: "view=mine" }];
  expect(await readMore(() => lists.shift() ?? current)).toBeNull();
  current = { ...current, page: PAGE };
  expect(await readMore(() => current)).toEqual({ type: "moreRead", after: null, page: null });
  expect(requested).toHaveLength(2);
});

async function connect(): Promise<void> {
  FakeSocket.last.open();
  await pass(SETTLE_MS);
}

function hint(sessionId: string, change?: InboxChange): void {
  FakeSocket.last.receive(JSON.stringify({ type: "hint", session_id: sessionId, change }));
}

async function pass(ms: number): Promise<void> {
  await vi.advanceTimersByTimeAsync(ms);
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
}
