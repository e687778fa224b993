import { eq } from "drizzle-orm";
import { afterEach, expect, test, vi } from "vitest";
import { gmailSyncStatus, users } from "#app/db/schema.server.ts";
import { deleteGmailData } from "#app/gmail/gmail-personal-data.server.ts";
import { disconnect, readMailbox } from "#app/gmail/mailbox/mailbox.server.ts";
import { readTokenRow } from "#app/gmail/tokens/gmail-tokens.server.ts";
import { accountOwner, type MailboxOwner, ownedBy } from "#app/gmail/tokens/mailbox-owner.server.ts";
import { DAY_MS } from "#app/time.ts";
import { db } from "#tests/workerd/customer.ts";
import {
  connectMailbox,
  lane,
  listedIds,
  SECOND,
  someone,
  storedIds,
  syncQuickly,
} from "#tests/workerd/gmail-mailbox.ts";
import { newAccount } from "#tests/workerd/new-account.ts";
import { claimLease, readSyncRow } from "./mailbox-sync-state.server.ts";
import { SYNC_TEXTS, syncDueMailbox } from "./sync-mailbox.server.ts";
import { setAutoSync } from "./sync-schedule.server.ts";

const BATCH = "/batch/gmail/v1";
const realFetch = globalThis.fetch;

afterEach(() => {
  vi.restoreAllMocks();
});

test("keeps its lease while Gmail hangs, and then backs off", async () => {
  const { env, owner } = await automatic();
  let clock = Date.now();
  const stolen: unknown[] = [];
  vi.spyOn(globalThis, "fetch").mockImplementation(async () => {
    // The longest that a request may take.
    clock += 30_000;
    stolen.push(await claimLease(db, owner, clock));
    throw new DOMException("timed out", "TimeoutError");
  });
  const sleep = async (ms: number) => {
    clock += ms;
  };
  await syncDueMailbox(db, env, owner, { now: () => clock, sleep, random: () => 0.5 });
  expect(stolen.length).toBeGreaterThan(3);
  expect(stolen.every((claimed) => claimed === null)).toBe(true);
  expect(await readSyncRow(db, owner)).toMatchObject({ leaseId: null, failures: 1 });
});

test("stays scheduled when another sync takes over its lease", async () => {
  const { env, owner, script } = await automatic();
  await script({ on: BATCH, kind: "status", status: 500 });
  const sleep = async () => {
    await db.update(gmailSyncStatus).set({ leaseUntil: 1 }).where(ownedBy(gmailSyncStatus, owner));
    expect(await claimLease(db, owner, Date.now())).not.toBeNull();
  };
  await syncDueMailbox(db, env, owner, { sleep, random: () => 0 });
  const row = await readSyncRow(db, owner);
  expect(row?.leaseId).not.toBeNull();
  expect(row?.nextSyncAt).toBeGreaterThan(Date.now());
});

test("stays scheduled when it is connected again while its old tokens are refused", async () => {
  const { env, owner, script } = await automatic();
  await script({ on: "/messages", kind: "status", status: 401, times: 2 });
  let lists = 0;
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
    if (String(input).includes("/messages?") && ++lists === 2) expect(await connectMailbox(env, owner)).toBeNull();
    return realFetch(input, init);
  });
  await syncDueMailbox(db, env, owner);
  expect(lists).toBe(2);
  expect(await readMailbox(db, owner)).toMatchObject({
    connected: true,
    lastError: null,
    nextSyncAt: expect.any(Number),
  });
});

const LATE_RESPONSES: [what: string, response: () => Response | null][] = [
  ["messages of the earlier mailbox", () => null],
  ["a refusal of the earlier mailbox", () => new Response("", { status: 400 })],
  ["an outage at the earlier mailbox", () => new Response("", { status: 429, headers: { "Retry-After": "600" } })],
];

for (const [what, response] of LATE_RESPONSES) {
  test(`stores nothing in a newly connected mailbox when ${what} arrives late`, async () => {
    vi.spyOn(console, "error").mockImplementation(() => {});
    const { env, owner } = await automatic();
    let batches = 0;
    let connected: unknown;
    vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
      if (!String(input).includes(BATCH) || ++batches !== 2) return realFetch(input, init);
      const late = response() ?? (await realFetch(input, init));
      await disconnect(db, env, owner);
      expect(await connectMailbox(env, owner, { account: SECOND })).toBeNull();
      connected = [await readSyncRow(db, owner), await readTokenRow(db, owner)];
      return late;
    });
    expect(await syncQuickly(env, owner)).toMatchObject({ ok: false });
    expect(await storedIds(owner)).toEqual([]);
    expect([await readSyncRow(db, owner), await readTokenRow(db, owner)]).toEqual(connected);
    vi.restoreAllMocks();
    expect(await syncQuickly(env, owner)).toMatchObject({ ok: true, finished: true });
    expect(await storedIds(owner)).toEqual(await listedIds(env, owner));
  });
}

test("stores nothing once the deletion of the account has begun", async () => {
  const { env, owner } = await automatic();
  await deleteGmailData(db, owner.userId);
  await syncDueMailbox(db, env, owner);
  expect(await syncQuickly(env, owner)).toMatchObject({ ok: false });
  expect(await storedIds(owner)).toEqual([]);
  expect(await readSyncRow(db, owner)).toBeNull();
});

test("reads no mail of a suspended account, and continues once it is reactivated", async () => {
  const { env, owner, seen } = await automatic(accountOwner((await newAccount()).userId));
  const before = (await seen()).length;
  await suspend(owner, Date.now());
  await syncDueMailbox(db, env, owner);
  expect(await seen()).toHaveLength(before);
  const row = await readSyncRow(db, owner);
  expect(row).toMatchObject({ lastError: null, autoSync: true });
  expect(row?.nextSyncAt).toBeGreaterThan(Date.now());
  await suspend(owner, null);
  await syncDueMailbox(db, env, owner);
  expect(await storedIds(owner)).toHaveLength(100);
});

test("stops a running sync when the account is suspended", async () => {
  const { env, owner } = await automatic(accountOwner((await newAccount()).userId));
  let batches = 0;
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
    if (String(input).includes(BATCH) && ++batches === 2) await suspend(owner, Date.now());
    return realFetch(input, init);
  });
  await syncDueMailbox(db, env, owner);
  expect(batches).toBe(2);
  expect(await storedIds(owner)).toHaveLength(25);
});

for (const retryAfter of ["99999999999999999", "Fri, 31 Dec 9999 23:59:59 GMT"]) {
  test(`waits at most a day when Gmail asks for ${retryAfter}`, async () => {
    const { env, owner, script } = await automatic();
    await script({ on: "/messages", kind: "status", status: 429, retryAfter });
    await syncDueMailbox(db, env, owner);
    const row = await readSyncRow(db, owner);
    expect(row).toMatchObject({ leaseId: null, failures: 1 });
    expect(row?.nextSyncAt).toBeLessThanOrEqual(Date.now() + DAY_MS);
    expect(row?.nextSyncAt).toBeGreaterThan(Date.now() + 60_000);
  });
}

test("reads the newest messages instead of a history without end", async () => {
  const { env, owner } = await automatic();
  await syncQuickly(env, owner);
  let pages = 0;
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
    if (!String(input).includes("/history?")) return realFetch(input, init);
    if (++pages > 1000) throw new Error("too many pages");
    return Response.json({ historyId: "7", nextPageToken: "next" });
  });
  expect(await syncQuickly(env, owner)).toMatchObject({ ok: true, finished: true, total: 100 });
  expect(pages).toBeLessThanOrEqual(100);
});

test("resumes a requested sync by itself after the database failed in the middle", async () => {
  const errors = vi.spyOn(console, "error").mockImplementation(() => {});
  const { env, owner } = await automatic();
  await setAutoSync(db, owner, false);
  const batch = env.DB.batch.bind(env.DB);
  let batches = 0;
  vi.spyOn(env.DB, "batch").mockImplementation(async (statements) => {
    // A single write comes as two statements: its deadline is the other one.
    if (statements.length > 2 && ++batches === 2) throw new Error("Network connection lost");
    return batch(statements);
  });
  await expect(syncQuickly(env, owner)).rejects.toThrow("Network connection lost");
  const row = await readSyncRow(db, owner);
  expect(row).toMatchObject({ leaseId: null, failures: 1, lastError: SYNC_TEXTS.ours });
  expect(row?.pending).toHaveLength(100);
  expect(row?.nextSyncAt).toBeGreaterThan(Date.now());
  expect(row?.nextSyncAt).toBeLessThan(Date.now() + 2 * 60_000);
  await syncDueMailbox(db, env, owner);
  expect(await storedIds(owner)).toHaveLength(100);
  expect(errors).toHaveBeenCalledTimes(1);
});

async function suspend({ userId }: MailboxOwner, suspendedAt: number | null): Promise<void> {
  await db.update(users).set({ suspendedAt }).where(eq(users.id, userId));
}

/** A connected mailbox that is synced automatically. */
async function automatic(owner: MailboxOwner = someone()) {
  const made = await lane();
  expect(await connectMailbox(made.env, owner)).toBeNull();
  await setAutoSync(db, owner, true);
  return { ...made, owner };
}
