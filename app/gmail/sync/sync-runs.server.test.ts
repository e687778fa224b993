import { env as bindings } from "cloudflare:workers";
import { afterEach, expect, test, vi } from "vitest";
import { gmailSyncStatus, gmailTokens } from "#app/db/schema.server.ts";
import { storeGrant } from "#app/gmail/tokens/gmail-tokens.server.ts";
import { type MailboxOwner, ownedBy } from "#app/gmail/tokens/mailbox-owner.server.ts";
import { HOUR_MS } from "#app/time.ts";
import { GOOGLE_CLIENT, scriptedFetch } from "#tests/stand-ins/scripted-fetch.ts";
import { db } from "#tests/workerd/customer.ts";
import { someone, storedIds } from "#tests/workerd/gmail-mailbox.ts";
import { readSyncRow } from "./mailbox-sync-state.server.ts";
import { SYNC_TEXTS, type SyncTools, type SyncType, syncDueMailbox, syncMailbox } from "./sync-mailbox.server.ts";

const NOW = 1_795_000_000_000;
const ENV = { ...bindings, ...GOOGLE_CLIENT } as unknown as Env;
/** A mailbox that was synced before. */
const SYNCED = { lastSyncAt: 1, historyId: "40" };

afterEach(() => {
  vi.restoreAllMocks();
});

test("reads 250 messages a run, a minute apart, until none is left", async () => {
  const owner = await mailbox(SYNCED);
  const ids = idsOf(600);
  const { paths, batches } = gmail({ added: ids });
  const first = { ok: true, read: 250, removed: 0, requests: 11, total: 250, finished: false };
  expect(await sync(owner)).toEqual(first);
  const rest = { pending: ids.slice(250), progress: 250, progressTotal: 600, leaseId: null };
  expect(await readSyncRow(db, owner)).toMatchObject({ ...rest, nextSyncAt: NOW + 60_000, historyId: "40" });
  expect(await sync(owner)).toEqual({ ...first, requests: 10, total: 500 });
  const last = { ok: true, read: 100, removed: 0, requests: 4, total: 600, finished: true };
  expect(await sync(owner)).toEqual(last);
  expect(batches.map((batch) => batch.length)).toEqual(Array(24).fill(25));
  expect(batches.flat()).toEqual(ids);
  expect(paths.filter((path) => path.includes("history"))).toHaveLength(1);
  expect(await readSyncRow(db, owner)).toMatchObject({ historyId: "60", progress: 600 });
});

test("reads the newest 2000 messages of a long history, and removes what it says", async () => {
  const owner = await mailbox(SYNCED);
  const ids = idsOf(2001);
  gmail({ added: ids, deleted: ["gone-1", "gone-2"] });
  expect(await sync(owner)).toMatchObject({ ok: true, read: 250, removed: 2 });
  expect(await storedIds(owner)).toEqual(ids.slice(1, 251));
  expect((await readSyncRow(db, owner))?.progressTotal).toBe(2000);
});

const LIST = "/messages?maxResults=7";
const PLANS: [what: string, row: Row, type: SyncType, paths: string[], historyId: string][] = [
  ["lists a new mailbox from where it was connected", { historyId: "40" }, "initial", [LIST], "40"],
  ["asks where a mailbox is that nobody noted", {}, "initial", ["/profile", LIST], "50"],
  ["reads the changes of one that was synced", SYNCED, "initial", ["/history?startHistoryId=40&maxResults=500"], "60"],
  ["lists one whose place was lost", { lastSyncAt: 1 }, "incremental", ["/profile", LIST], "50"],
  ["lists one again on request", SYNCED, "full", ["/profile", LIST], "50"],
  ["resumes an interrupted sync", { ...SYNCED, pending: '["m1"]' }, "incremental", [], "40"],
  ["starts an interrupted one again on request", { ...SYNCED, pending: '["m1"]' }, "full", ["/profile", LIST], "50"],
];

test.for(PLANS)("%s", async ([, row, type, paths, historyId]) => {
  const owner = await mailbox(row);
  const requests = gmail({ listed: [] });
  expect(await sync(owner, {}, { type, maxMessages: 7 })).toMatchObject({ ok: true, finished: true });
  expect(requests.paths.filter((path) => !path.includes("batch"))).toEqual(paths);
  expect(requests.batches).toEqual(row.pending && type !== "full" ? [["m1"]] : []);
  expect(await readSyncRow(db, owner)).toMatchObject({ historyId, lastSyncAt: NOW });
});

test("shows no more progress than there is", async () => {
  const owner = await mailbox({ ...SYNCED, pending: '["m1"]', progress: 9, progressTotal: 4 });
  gmail({});
  await sync(owner);
  expect((await readSyncRow(db, owner))?.progress).toBe(5);
});

test("halves its batches down to five while Gmail is crowded, and gives up after five tries", async () => {
  const owner = await mailbox({ ...SYNCED, pending: JSON.stringify(idsOf(30)) });
  const { batches } = gmail({ part: () => ({ status: 403, reason: "userRateLimitExceeded" }) });
  const waits: number[] = [];
  expect(await sync(owner, { sleep: keep(waits) })).toEqual({ ok: false, reason: "later", text: SYNC_TEXTS.crowded });
  expect(batches.map((batch) => batch.length)).toEqual([25, 12, 6, 5, 5]);
  expect(waits).toEqual([250, 500, 1000, 2000]);
  const row = await readSyncRow(db, owner);
  expect([...(row?.pending ?? [])].sort()).toEqual(idsOf(30));
  expect(row).toMatchObject({ lastError: SYNC_TEXTS.crowded, failures: 1, nextSyncAt: NOW + 30_000, progress: 0 });
});

test("keeps the size of its batches after an outage of parts", async () => {
  const owner = await mailbox({ ...SYNCED, pending: JSON.stringify(idsOf(60)) });
  const { batches } = gmail({ part: (_id, batch) => ({ status: batch === 1 ? 503 : 200 }) });
  expect(await sync(owner)).toMatchObject({ ok: true, finished: true, total: 60 });
  expect(batches.map((batch) => batch.length)).toEqual([25, 25, 25, 10]);
});

test("keeps trying as long as each try reads a message", async () => {
  const owner = await mailbox({ ...SYNCED, pending: JSON.stringify(idsOf(8)) });
  const { batches } = gmail({ part: (id, batch) => ({ status: id === idsOf(8)[batch - 1] ? 200 : 503 }) });
  const waits: number[] = [];
  expect(await sync(owner, { sleep: keep(waits) })).toMatchObject({ ok: true, finished: true, read: 8 });
  expect([batches.length, waits]).toEqual([8, Array(7).fill(250)]);
});

test.for([
  [0, false],
  [3, false],
  [4, true],
] as const)(
  "reads the others of a message that fails, and skips it after %i failed runs: %s",
  async ([failures, skips]) => {
    vi.spyOn(console, "error").mockImplementation(() => {});
    const owner = await mailbox({ ...SYNCED, failures, pending: JSON.stringify(idsOf(30)) });
    const [stuck = "", ...others] = idsOf(30);
    const { batches } = gmail({ part: (id) => ({ status: id === stuck ? 500 : 200 }) });
    const result = await sync(owner);
    expect(result).toMatchObject(skips ? { ok: true, total: 29 } : { reason: "later", text: SYNC_TEXTS.away });
    expect(await storedIds(owner)).toEqual(others);
    expect((await readSyncRow(db, owner))?.pending).toEqual(skips ? [] : [stuck]);
    // The first try reads others, so it does not count.
    expect(batches.filter((batch) => batch.includes(stuck))).toHaveLength(5);
  },
);

test.for<[retryAfter: string, waits: number[] | null]>([
  ["20", [20_000]],
  ["21", null],
])("waits %s seconds for a part only within its patience", async ([retryAfter, expected]) => {
  const owner = await mailbox({ ...SYNCED, pending: '["m1"]' });
  gmail({ part: (_id, batch) => (batch === 1 ? { status: 503, retryAfter } : { status: 200 }) });
  const waits: number[] = [];
  const result = await sync(owner, { sleep: keep(waits) });
  expect(result).toMatchObject(expected ? { ok: true } : { text: SYNC_TEXTS.crowded });
  expect(waits).toEqual(expected ?? []);
});

test.for([
  ["1", 0, 30_000],
  ["40", 0, 40_000],
  ["40", 1, 60_000],
  ["1", 6, 1_920_000],
  ["1", 7, HOUR_MS],
  ["1", 99, HOUR_MS],
  ["7200", 99, 2 * HOUR_MS],
  ["86400", 0, 24 * HOUR_MS],
  ["86401", 0, 24 * HOUR_MS],
] as const)(
  "asked to wait %s s after %i failed runs, it comes back in %i ms",
  async ([retryAfter, failures, delay]) => {
    const owner = await mailbox({ ...SYNCED, failures });
    gmail({ history: () => new Response("", { status: 429, headers: { "Retry-After": retryAfter } }) });
    const text = SYNC_TEXTS.crowded;
    expect(await sync(owner, { patienceMs: 0 })).toEqual({ ok: false, reason: "later", text });
    expect(await readSyncRow(db, owner)).toMatchObject({
      failures: failures + 1,
      nextSyncAt: NOW + delay,
      lastError: text,
    });
  },
);

test.for([
  [true, NOW + HOUR_MS],
  [false, null],
] as const)(
  "tries a request that Gmail refuses again in an hour if the sync is automatic: %s",
  async ([autoSync, at]) => {
    const errors = vi.spyOn(console, "error").mockImplementation(() => {});
    const owner = await mailbox({ ...SYNCED, autoSync });
    gmail({ history: () => new Response("", { status: 400 }) });
    expect(await sync(owner)).toEqual({ ok: false, reason: "broken", text: SYNC_TEXTS.broken });
    const row = { failures: 1, nextSyncAt: at, lastError: SYNC_TEXTS.broken, leaseId: null };
    expect(await readSyncRow(db, owner)).toMatchObject(row);
    expect(errors).toHaveBeenCalledTimes(1);
  },
);

test("resumes after a failure of its own as after others, and throws it", async () => {
  vi.spyOn(console, "error").mockImplementation(() => {});
  const owner = await mailbox({ ...SYNCED, failures: 1, pending: '["m1"]' });
  gmail({ part: () => ({ status: 503 }) });
  const sleep = async () => {
    throw new TypeError("no timer");
  };
  await expect(sync(owner, { sleep })).rejects.toThrow("no timer");
  const row = { failures: 2, nextSyncAt: NOW + 60_000, lastError: SYNC_TEXTS.ours, leaseId: null, pending: ["m1"] };
  expect(await readSyncRow(db, owner)).toMatchObject(row);
});

test.for([
  ["busy", (owner: MailboxOwner) => set(owner, { leaseId: "another" })],
  ["not_connected", forget],
] as const)("says that a sync whose lease is lost meanwhile is %s", async ([reason, change]) => {
  const owner = await mailbox({ ...SYNCED, pending: '["m1"]' });
  gmail({ part: () => ({ status: 503 }) });
  let clock = NOW;
  const sleep = async () => {
    // The lease is looked at again.
    clock += 15_000;
    await change(owner);
  };
  expect(await sync(owner, { sleep, now: () => clock })).toEqual({ ok: false, reason, text: SYNC_TEXTS[reason] });
});

test("asks to reconnect, and drops the tokens, when reading is forbidden", async () => {
  const owner = await mailbox({ ...SYNCED, autoSync: true });
  gmail({ history: () => new Response("", { status: 403 }) });
  const refusal = { ok: false, reason: "reconnect", text: SYNC_TEXTS.reconnect };
  expect(await sync(owner)).toEqual(refusal);
  const row = { lastError: SYNC_TEXTS.reconnect, failures: 1, nextSyncAt: null };
  expect(await readSyncRow(db, owner)).toMatchObject(row);
  expect(await sync(owner)).toEqual(refusal);
  expect(await sync(someone())).toEqual({ ok: false, reason: "not_connected", text: SYNC_TEXTS.not_connected });
});

test("syncs a due mailbox with two seconds of patience, and says what it used", async () => {
  const owner = await mailbox({ historyId: "40", nextSyncAt: 5 });
  const { paths } = gmail({ listed: idsOf(3) });
  const tools = { now: () => NOW, random: () => 0 };
  expect(await syncDueMailbox(db, ENV, owner, tools)).toEqual({ units: 65, pauseMs: null });
  expect(paths[0]).toBe("/messages?maxResults=100");
  vi.restoreAllMocks();
  const limited = Response.json(
    { error: { errors: [{ reason: "rateLimitExceeded" }] } },
    { status: 429, headers: { "Retry-After": "3" } },
  );
  gmail({ history: () => limited });
  const waits: number[] = [];
  const used = await syncDueMailbox(db, ENV, owner, { ...tools, sleep: keep(waits) });
  expect([used, waits]).toEqual([{ units: 2, pauseMs: 60_000 }, []]);
});

test("takes a mailbox without tokens off the schedule, and no other that fails", async () => {
  const ended = await mailbox({ ...SYNCED, nextSyncAt: 5 });
  await db.update(gmailTokens).set({ accessToken: null }).where(ownedBy(gmailTokens, ended));
  const lost = await mailbox({ ...SYNCED, nextSyncAt: 5 });
  await forgetTokens(lost);
  const running = await mailbox({ ...SYNCED, nextSyncAt: 5, leaseUntil: NOW + 1 });
  for (const owner of [ended, lost, running]) await syncDueMailbox(db, ENV, owner, { now: () => NOW });
  const times = await Promise.all([ended, lost, running].map((owner) => readSyncRow(db, owner)));
  expect(times.map((row) => row?.nextSyncAt)).toEqual([null, null, 5]);
});

type Row = Partial<typeof gmailSyncStatus.$inferInsert>;
type Part = { status: number; reason?: string; retryAfter?: string };
type Script = {
  listed?: string[];
  added?: string[];
  deleted?: string[];
  history?: () => Response;
  /** The outcome of a message in the nth batch, found if missing. */
  part?: (id: string, batch: number) => Part;
};

/** Replies as Gmail does. `paths`: the path of each request, without the prefix they share. */
function gmail({ listed = [], added = [], deleted = [], history, part }: Script) {
  const paths: string[] = [];
  const batches: string[][] = [];
  scriptedFetch(({ url, body }) => {
    const path = url.pathname.replace("/gmail/v1/users/me", "") + url.search;
    paths.push(path);
    if (path === "/profile") return Response.json({ emailAddress: "ada@mail.example", historyId: "50" });
    if (path.startsWith("/messages")) return Response.json({ messages: listed.map((id) => ({ id })) });
    if (path.startsWith("/history")) {
      const of = (ids: string[]) => ids.map((id) => ({ message: { id } }));
      const changes = [{ messagesAdded: of(added), messagesDeleted: of(deleted) }];
      return history?.() ?? Response.json({ historyId: "60", history: changes });
    }
    const ids = [...body.matchAll(/Content-ID: <([^>]+)>/g)].map(([, id = ""]) => id);
    batches.push(ids);
    return batchOf(ids.map((id) => ({ id, ...(part?.(id, batches.length) ?? { status: 200 }) })));
  });
  return { paths, batches };
}

function batchOf(parts: (Part & { id: string })[]): Response {
  const texts = parts.map(({ id, status, reason, retryAfter }) => {
    const message = { id, internalDate: "5", payload: { headers: [{ name: "From", value: "a@b.example" }] } };
    const body = status === 200 ? message : { error: { errors: [{ reason }] } };
    const header = retryAfter ? `Retry-After: ${retryAfter}\r\n` : "";
    const http = `HTTP/1.1 ${status} Status\r\n${header}\r\n${JSON.stringify(body)}`;
    return `--b\r\nContent-ID: <response-${id}>\r\n\r\n${http}\r\n`;
  });
  return new Response(`${texts.join("")}--b--`, { headers: { "Content-Type": "multipart/mixed; boundary=b" } });
}

async function mailbox(row: Row): Promise<MailboxOwner> {
  const owner = someone();
  const grant = { accessToken: "access", refreshToken: "r", scope: "read", expiresAt: NOW * 2 };
  await storeGrant(db, ENV, owner, { ...grant, emailAddress: "ada@mail.example" });
  await db.insert(gmailSyncStatus).values({ ...owner, ...row });
  return owner;
}

function sync(
  owner: MailboxOwner,
  tools: Partial<SyncTools> = {},
  { type = "incremental" as SyncType, maxMessages = 100 } = {},
) {
  const quick = { now: () => NOW, random: () => 0, sleep: async () => {} };
  return syncMailbox(db, ENV, owner, { type, maxMessages }, { ...quick, ...tools });
}

function idsOf(count: number): string[] {
  return Array.from({ length: count }, (_, n) => `m${String(n).padStart(4, "0")}`);
}

function keep(waits: number[]) {
  return async (ms: number) => void waits.push(ms);
}

async function set(owner: MailboxOwner, row: Row): Promise<void> {
  await db.update(gmailSyncStatus).set(row).where(ownedBy(gmailSyncStatus, owner));
}

async function forgetTokens(owner: MailboxOwner): Promise<void> {
  await db.delete(gmailTokens).where(ownedBy(gmailTokens, owner));
}

async function forget(owner: MailboxOwner): Promise<void> {
  await forgetTokens(owner);
  await db.delete(gmailSyncStatus).where(ownedBy(gmailSyncStatus, owner));
}
