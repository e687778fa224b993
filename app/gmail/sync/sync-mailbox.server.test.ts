import { expect, test, vi } from "vitest";
import { gmailMessages, gmailSyncStatus, gmailTokens } from "#app/db/schema.server.ts";
import { disconnect, readGmailData, readMailbox } from "#app/gmail/mailbox/mailbox.server.ts";
import { freshAccessToken, readTokenRow } from "#app/gmail/tokens/gmail-tokens.server.ts";
import { type MailboxOwner, ownedBy } from "#app/gmail/tokens/mailbox-owner.server.ts";
import type { Fault } from "#tests/stand-ins/google-faults.ts";
import { atScale } from "#tests/workerd/at-scale.ts";
import { db } from "#tests/workerd/customer.ts";
import {
  asMailboxOwner,
  connectMailbox,
  DEMO,
  lane,
  listedIds,
  someone,
  storedIds,
  syncDue,
  syncQuickly,
} from "#tests/workerd/gmail-mailbox.ts";
import { claimLease, readSyncRow } from "./mailbox-sync-state.server.ts";
import { SYNC_TEXTS, syncMailbox } from "./sync-mailbox.server.ts";
import { setAutoSync } from "./sync-schedule.server.ts";

const LATER_MS = 7 * 24 * 60 * 60_000;
const BATCH = "/batch/gmail/v1";

test("reads the 100 newest messages in at most 6 upstream requests, and syncs again with one", async () => {
  const { env, owner, seen } = await connected();
  const before = (await seen()).length;
  expect(await syncQuickly(env, owner)).toMatchObject({ ok: true, read: 100, total: 100, finished: true });
  expect((await seen()).slice(before)).toEqual([
    "GET /gmail/v1/users/me/messages",
    ...Array<string>(4).fill(`POST ${BATCH}`),
  ]);
  expect(await storedIds(owner)).toEqual(await listedIds(env, owner));

  const after = (await seen()).length;
  expect(await syncQuickly(env, owner)).toMatchObject({ ok: true, read: 0, removed: 0, total: 100 });
  expect((await seen()).slice(after)).toEqual(["GET /gmail/v1/users/me/history"]);
});

test("keeps the mailbox total up to date without extra requests", async () => {
  const { env, owner, seen } = await connected();
  const totals = async () => {
    const { messagesTotal } = (await asMailboxOwner(env, owner, "/profile")) as { messagesTotal: number };
    return [(await readSyncRow(db, owner))?.totalMessages, messagesTotal];
  };
  const [known, real = 0] = await totals();
  expect(real).toBeGreaterThan(100);
  expect(known).toBe(real);
  await syncQuickly(env, owner);
  expect(await totals()).toEqual([real, real]);
  const [first = "", second = "", third = ""] = await storedIds(owner);
  await asMailboxOwner(env, owner, `/messages/${first}/trash`, {});
  await asMailboxOwner(env, owner, "/messages/batchDelete", { ids: [second, third] });
  const sent = { from: "new@sender.example", to: "demo@gmail.example", subject: "", body_text: "Hello" };
  await asMailboxOwner(env, owner, "/messages", sent);
  await syncQuickly(env, owner);
  expect(await totals()).toEqual([real - 1, real - 1]);
  expect((await readGmailData(db, owner))?.totalMessages).toBe(real - 1);
  const before = (await seen()).length;
  await syncQuickly(env, owner);
  expect((await seen()).slice(before)).toEqual(["GET /gmail/v1/users/me/history"]);
});

test.for(["incremental", "full"] as const)(
  "counts new messages once if a sync fails at its end, after %s",
  async (type) => {
    const { env, owner } = await connected();
    const profileTotal = async () =>
      ((await asMailboxOwner(env, owner, "/profile")) as { messagesTotal: number }).messagesTotal;
    const knownTotal = async () => (await readSyncRow(db, owner))?.totalMessages;
    const arrive = () =>
      asMailboxOwner(env, owner, "/messages", { from: "a@b.example", to: DEMO, subject: "", body_text: "Hello" });
    await syncQuickly(env, owner);
    await arrive();
    // The end of a sync decides when the next one is due.
    const random = () => {
      throw new Error("the database stood still");
    };
    const tools = { random, sleep: async () => {} };
    const errors = vi.spyOn(console, "error").mockImplementation(() => {});
    await expect(syncMailbox(db, env, owner, { type, maxMessages: 100 }, tools)).rejects.toThrow("stood still");
    errors.mockRestore();
    expect(await knownTotal()).toBe(await profileTotal());
    await arrive();
    expect(await syncQuickly(env, owner)).toMatchObject({ ok: true, read: 1, finished: true });
    expect(await knownTotal()).toBe(await profileTotal());
    expect(await storedIds(owner)).toHaveLength(102);
    await syncQuickly(env, owner);
    expect(await knownTotal()).toBe(await profileTotal());
  },
);

test.for(["before", "during", "after the reading of"])(
  "counts new messages once if the mailbox is connected again %s its first sync",
  async (when) => {
    const { env, owner, script } = await connected();
    const profileTotal = async () =>
      ((await asMailboxOwner(env, owner, "/profile")) as { messagesTotal: number }).messagesTotal;
    const arriveAndReconnect = async () => {
      const sent = { from: "a@b.example", to: DEMO, subject: "", body_text: "Hello" };
      await asMailboxOwner(env, owner, "/messages", sent);
      expect(await connectMailbox(env, owner)).toBeNull();
    };
    if (when === "before") await arriveAndReconnect();
    if (when === "during") {
      await script({ on: BATCH, kind: "shuffle" }, { on: BATCH, kind: "status", status: 500 });
      expect(await syncQuickly(env, owner, { sleep: arriveAndReconnect })).toMatchObject({ ok: true, total: 100 });
    }
    if (when === "after the reading of") {
      await script(
        { on: BATCH, kind: "shuffle", times: 2 },
        { on: BATCH, kind: "status", status: 429, retryAfter: "600" },
      );
      expect(await syncQuickly(env, owner)).toMatchObject({ ok: false });
      await arriveAndReconnect();
    }
    await syncQuickly(env, owner);
    await syncQuickly(env, owner);
    expect((await readSyncRow(db, owner))?.totalMessages).toBe(await profileTotal());
    expect(await storedIds(owner)).toEqual(expect.arrayContaining(await listedIds(env, owner)));
  },
);

test("follows new, deleted and trashed messages through history", async () => {
  const { env, owner } = await connected();
  await syncQuickly(env, owner);
  const [first = "", second = ""] = await storedIds(owner);
  await asMailboxOwner(env, owner, `/messages/${first}/trash`, {});
  await asMailboxOwner(env, owner, "/messages/batchDelete", { ids: [second] });
  const sent = {
    from: "new@sender.example",
    to: "demo@gmail.example",
    subject: "",
    body_text: "Fish &amp; chips <now>",
  };
  const arrived = (await asMailboxOwner(env, owner, "/messages", sent)) as { id: string };

  expect(await syncQuickly(env, owner)).toMatchObject({ ok: true, read: 1, removed: 2, total: 99 });
  const ids = await storedIds(owner);
  expect(ids).toContain(arrived.id);
  expect(ids).not.toContain(first);
  expect(ids).not.toContain(second);
  expect((await readGmailData(db, owner))?.recent[0]).toMatchObject({ fromEmail: "new@sender.example", subject: "" });
  await asMailboxOwner(env, owner, `/messages/${first}/untrash`, {});
  expect(await syncQuickly(env, owner)).toMatchObject({ ok: true, read: 1, total: 100 });
});

const PASSING: [what: string, faults: Fault[]][] = [
  ["a 401 on parts", [{ on: BATCH, kind: "parts", every: 3, status: 401 }]],
  ["a 403 rate limit on the list", [{ on: "/messages", kind: "status", status: 403, reason: "rateLimitExceeded" }]],
  ["403 rate limits on parts", [{ on: BATCH, kind: "parts", every: 2, status: 403, reason: "userRateLimitExceeded" }]],
  [
    "500s",
    [
      { on: "/messages", kind: "status", status: 500 },
      { on: BATCH, kind: "status", status: 503, times: 3 },
    ],
  ],
  ["a connection cut in the middle of a response", [{ on: BATCH, kind: "cut_response", times: 2 }]],
  ["a missing part", [{ on: BATCH, kind: "lose_part", times: 2 }]],
  ["parts in another order", [{ on: BATCH, kind: "shuffle", times: 4 }]],
];

/** Faults that are handled as one of `PASSING` is, or that a test of its own makes too. */
const PASSING_LIKEWISE: typeof PASSING = [
  ["a 401 on the list", [{ on: "/messages", kind: "status", status: 401 }]],
  ["a 401 on a batch", [{ on: BATCH, kind: "status", status: 401 }]],
  [
    "a 429 with Retry-After",
    [{ on: BATCH, kind: "status", status: 429, reason: "rateLimitExceeded", retryAfter: "7" }],
  ],
  ["too many concurrent requests", [{ on: BATCH, kind: "at_most", count: 8, times: 6 }]],
  ["500s on parts", [{ on: BATCH, kind: "parts", every: 4, status: 500, times: 3 }]],
  ["a connection cut before the response", [{ on: BATCH, kind: "cut" }]],
];

for (const [what, faults] of [...PASSING, ...(atScale(0, 1) ? PASSING_LIKEWISE : [])]) {
  test(`${what} neither loses nor duplicates messages`, async () => {
    const { env, owner, script } = await connected();
    await script(...faults);
    expect(await syncQuickly(env, owner)).toMatchObject({ ok: true, total: 100, finished: true });
    expect(await storedIds(owner)).toEqual(await listedIds(env, owner));
    const page = (await asMailboxOwner(env, owner, "/messages?maxResults=1")) as { messages: { id: string }[] };
    const newest = (await readGmailData(db, owner))?.recent[0];
    expect(newest?.id).toBe(page.messages[0]?.id);
    expect(newest?.snippet).toContain("message 1 of 250");
  });
}

test("replaces a token that Google refuses, again after it has accepted the new one", async () => {
  const { env, owner, script } = await connected();
  const tokens = [(await readTokenRow(db, owner))?.accessToken];
  const refused: Fault = { on: BATCH, kind: "status", status: 401 };
  const accepted: Fault = { on: BATCH, kind: "shuffle" };
  await script(refused, accepted, refused, accepted, refused);
  expect(await syncQuickly(env, owner)).toMatchObject({ ok: true, total: 100, finished: true });
  tokens.push((await readTokenRow(db, owner))?.accessToken);
  expect(new Set(tokens).size).toBe(2);
});

test("stores no message that is moved to the trash while the sync runs", async () => {
  const { env, owner } = await connected();
  const [first = "", ...rest] = await listedIds(env, owner);
  const fetching = globalThis.fetch;
  let batches = 0;
  const calls = vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
    if (String(input).includes(BATCH) && ++batches === 1) {
      await asMailboxOwner(env, owner, `/messages/${first}/trash`, {});
    }
    return fetching(input, init);
  });
  expect(await syncQuickly(env, owner)).toMatchObject({ ok: true, total: 99, finished: true });
  calls.mockRestore();
  expect(await storedIds(owner)).toEqual(rest);
});

test("retries only the parts that failed", async () => {
  const { env, owner, script, seen } = await connected();
  await script({ on: BATCH, kind: "parts", every: 5, status: 500 });
  const waits: number[] = [];
  await syncQuickly(env, owner, { waits });
  expect((await seen()).filter((line) => line.includes(BATCH))).toHaveLength(5);
  expect(waits).toHaveLength(1);
});

test("waits at least as long as Retry-After asks", async () => {
  const { env, owner, script } = await connected();
  await script({ on: BATCH, kind: "status", status: 429, retryAfter: "7" });
  const waits: number[] = [];
  await syncQuickly(env, owner, { waits });
  expect(waits).toHaveLength(1);
  expect(waits[0]).toBeGreaterThanOrEqual(7000);
});

test("says in plain words that Gmail is limiting us", () => {
  expect(SYNC_TEXTS.crowded).toBe("Gmail asked us to slow down. The sync will resume automatically.");
});

const STOPPING: [what: string, fault: Fault, text: string][] = [
  ["a long Retry-After", { on: BATCH, kind: "status", status: 429, retryAfter: "600" }, SYNC_TEXTS.crowded],
  ["an outage of Gmail", { on: BATCH, kind: "status", status: 500, times: 5 }, SYNC_TEXTS.away],
  ["a connection that keeps dropping", { on: BATCH, kind: "cut", times: 5 }, SYNC_TEXTS.away],
  ["a used-up quota", { on: BATCH, kind: "status", status: 403, reason: "dailyLimitExceeded" }, SYNC_TEXTS.exhausted],
];

for (const [what, fault, text] of STOPPING) {
  test(`${what} stops the sync with a clear state, and the next one resumes it`, async () => {
    const { env, owner, script, seen } = await connected();
    // The first two batches succeed.
    await script({ on: BATCH, kind: "shuffle", times: 2 }, fault);
    expect(await syncQuickly(env, owner)).toEqual({ ok: false, reason: "later", text });
    expect(await readMailbox(db, owner)).toMatchObject({
      connected: true,
      lastError: text,
      progress: { done: 50, total: 100, running: false },
    });
    expect(await storedIds(owner)).toHaveLength(50);
    const before = (await seen()).length;
    expect(await syncDue(env)).toBe(0);
    await makeDue(owner);
    expect(await syncDue(env)).toBe(1);
    expect((await seen()).slice(before)).toEqual([`POST ${BATCH}`, `POST ${BATCH}`]);
    expect(await storedIds(owner)).toEqual(await listedIds(env, owner));
    expect(await readMailbox(db, owner)).toMatchObject({ lastError: null, progress: null });
  });
}

test("skips a message that keeps failing without holding up others", async () => {
  const { env, owner, script } = await connected();
  const stuck: Fault = { on: BATCH, kind: "at_most", count: 0, times: 5 };
  await script(
    { on: BATCH, kind: "shuffle", times: 3 },
    { ...stuck, kind: "parts", every: 25, status: 500, times: 100 },
  );
  for (let run = 1; run < 5; run++) expect(await syncQuickly(env, owner)).toMatchObject({ ok: false, reason: "later" });
  expect(await storedIds(owner)).toHaveLength(99);
  expect(await syncQuickly(env, owner)).toMatchObject({ ok: true, total: 99 });
});

test.for(["newest", "oldest"])(
  "deletes the %s message that left the mailbox if the history is too old",
  async (which) => {
    const { env, owner, script, seen } = await connected();
    await syncQuickly(env, owner);
    const { internalDate: date, id } = gmailMessages;
    const stored = await db.select({ id }).from(gmailMessages).where(ownedBy(gmailMessages, owner)).orderBy(date);
    const gone = stored.at(which === "newest" ? -1 : 0)?.id ?? "";
    await asMailboxOwner(env, owner, "/messages/batchDelete", { ids: [gone] });
    await script({ on: "/history", kind: "status", status: 404, reason: "notFound" });
    const before = (await seen()).length;
    expect(await syncQuickly(env, owner)).toMatchObject({ ok: true, finished: true });
    expect((await seen()).length - before).toBeLessThanOrEqual(7);
    expect(await storedIds(owner)).toEqual(await listedIds(env, owner));
  },
);

test("asks to reconnect after a revoked grant and resumes syncing afterwards", async () => {
  const { env, owner } = await connected();
  await syncQuickly(env, owner);
  await setAutoSync(db, owner, true);
  const token = await freshAccessToken(db, env, owner);
  await fetch(`${env.GOOGLE_ISSUER}/oauth2/revoke`, { method: "POST", body: new URLSearchParams({ token }) });

  expect(await syncQuickly(env, owner)).toEqual({ ok: false, reason: "reconnect", text: SYNC_TEXTS.reconnect });
  expect(await readMailbox(db, owner)).toMatchObject({ connected: false, reconnectNeeded: true, nextSyncAt: null });
  expect(await syncDue(env)).toBe(0);
  expect(await connectMailbox(env, owner)).toBeNull();
  expect(await readMailbox(db, owner)).toMatchObject({ connected: true, reconnectNeeded: false, lastError: null });
  expect(await syncDue(env)).toBe(1);
  expect(await storedIds(owner)).toHaveLength(100);
});

test("an unreadable mailbox doesn't block the next one", async () => {
  const errors = vi.spyOn(console, "error").mockImplementation(() => {});
  const { env, owner } = await connected();
  const broken = await connected();
  await setAutoSync(db, owner, true);
  await db
    .update(gmailSyncStatus)
    .set({ pending: "no list", nextSyncAt: 1 })
    .where(ownedBy(gmailSyncStatus, broken.owner));
  expect(await syncDue(env)).toBe(2);
  expect(await storedIds(owner)).toHaveLength(100);
  expect(errors).toHaveBeenCalledTimes(1);
  errors.mockRestore();
});

test("refreshes an expiring token before use, once for all callers", async () => {
  const { env, owner } = await connected();
  const before = await readTokenRow(db, owner);
  await db
    .update(gmailTokens)
    .set({ expiresAt: Date.now() + 60_000 })
    .where(ownedBy(gmailTokens, owner));
  const tokens = await Promise.all(Array.from({ length: 6 }, () => freshAccessToken(db, env, owner)));
  expect(new Set(tokens).size).toBe(1);
  const after = await readTokenRow(db, owner);
  expect(after?.accessToken).not.toBe(before?.accessToken);
  expect(after?.expiresAt).toBeGreaterThan(Date.now() + 600_000);
});

test("runs one sync per mailbox at a time and lets an abandoned lease expire", async () => {
  const { env, owner } = await connected();
  const [one, other] = await Promise.all([syncQuickly(env, owner), syncQuickly(env, owner)]);
  expect([one.ok, other.ok].sort()).toEqual([false, true]);
  expect(one.ok ? other : one).toMatchObject({ reason: "busy" });
  expect(await claimLease(db, owner, Date.now())).not.toBeNull();
  expect(await syncQuickly(env, owner)).toMatchObject({ ok: false, reason: "busy" });
  expect(await readMailbox(db, owner)).toMatchObject({ progress: { running: true } });
  await makeDue(owner);
  expect(await syncDue(env)).toBe(1);
  expect(await readSyncRow(db, owner)).toMatchObject({ leaseId: null, lastError: null });
});

test("keeps a mailbox empty that is disconnected during a sync", async () => {
  const { env, owner, script } = await connected();
  await script({ on: BATCH, kind: "shuffle" }, { on: BATCH, kind: "status", status: 500 });
  const result = await syncQuickly(env, owner, { sleep: () => disconnect(db, env, owner) });
  expect(result).toMatchObject({ ok: false });
  expect(await storedIds(owner)).toEqual([]);
  expect(await readMailbox(db, owner)).toMatchObject({ connected: false, reconnectNeeded: false });
});

test("syncs by itself only mailboxes with automatic sync", async () => {
  const wanting = await connected();
  const other = await connected();
  await setAutoSync(db, wanting.owner, true);
  expect(await syncDue(wanting.env)).toBe(1);
  expect(await storedIds(wanting.owner)).toHaveLength(100);
  expect(await storedIds(other.owner)).toEqual([]);
  const row = await readSyncRow(db, wanting.owner);
  expect(row?.nextSyncAt).toBeGreaterThan(Date.now() + 10 * 60_000);
  await setAutoSync(db, wanting.owner, false);
  expect((await readSyncRow(db, wanting.owner))?.nextSyncAt).toBeNull();
});

async function connected() {
  const made = await lane();
  const owner = someone();
  expect(await connectMailbox(made.env, owner)).toBeNull();
  return { ...made, owner };
}

async function makeDue(owner: MailboxOwner): Promise<void> {
  await db
    .update(gmailSyncStatus)
    .set({ leaseUntil: Date.now() - LATER_MS, nextSyncAt: Date.now() - LATER_MS })
    .where(ownedBy(gmailSyncStatus, owner));
}
