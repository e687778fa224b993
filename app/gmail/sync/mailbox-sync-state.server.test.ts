import { env } from "cloudflare:workers";
import { asc, eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { gmailMessages, gmailSyncStatus, gmailTokens, users } from "#app/db/schema.server.ts";
import type { GmailMessage } from "#app/gmail/api/gmail-message.server.ts";
import { type MailboxOwner, ownedBy, ZERO_USER_ID } from "#app/gmail/tokens/mailbox-owner.server.ts";
import { MINUTE_MS } from "#app/time.ts";
import { db } from "#tests/workerd/customer.ts";
import { someone, storedIds } from "#tests/workerd/gmail-mailbox.ts";
import { newAccount } from "#tests/workerd/new-account.ts";
import {
  claimLease,
  dropUnlisted,
  failSync,
  finishSync,
  LEASE_MS,
  type Lease,
  LeaseLost,
  leaseKeeper,
  MESSAGES_KEPT,
  pauseSync,
  readSyncRow,
  stopUntilConnected,
  writePlan,
  writeProgress,
} from "./mailbox-sync-state.server.ts";

const NOW = 1_795_000_000_000;

/** Accounts differ by their id, visitors only by the digest of their cookie. */
const OWNERS: [kind: string, make: () => MailboxOwner][] = [
  ["account", someone],
  ["visitor", () => ({ userId: ZERO_USER_ID, ownerDigest: crypto.randomUUID() })],
];

describe.for(OWNERS)("a sync of the mailbox of an %s", ([, make]) => {
  test("claims a mailbox without a lease or whose lease has ended, and no other", async () => {
    const { owner, other } = await twoMailboxes(make);
    expect(await claimLease(db, make(), NOW)).toBeNull();
    for (const [leaseUntil, isFree] of [
      [0, true],
      [NOW + 1, false],
      [NOW, true],
    ] as const) {
      await set(owner, { leaseUntil, leaseId: "earlier" });
      const before = await readSyncRow(db, owner);
      const claimed = await claimLease(db, owner, NOW);
      expect(claimed !== null).toBe(isFree);
      const leaseId = claimed?.lease.id ?? "earlier";
      const lease = { leaseId, leaseUntil: NOW + LEASE_MS, nextSyncAt: NOW + LEASE_MS };
      expect(await readSyncRow(db, owner)).toEqual(isFree ? { ...before, ...lease } : before);
      if (isFree) expect(claimed).toEqual({ lease: { owner, id: leaseId }, row: { ...before, ...lease } });
    }
    await other.isUnchanged();
  });

  test("renews its lease each 15 seconds, and notices that it lost it", async () => {
    const { owner, lease, other } = await twoMailboxes(make);
    let clock = NOW;
    const keep = leaseKeeper(db, lease, () => clock);
    const renewedAt: number[] = [];
    for (clock of [NOW, NOW + 14_999, NOW + 15_000, NOW + 29_999, NOW + 30_000]) {
      await set(owner, { leaseUntil: 1, nextSyncAt: 1 });
      await keep();
      const row = await readSyncRow(db, owner);
      if (row?.leaseUntil !== 1) renewedAt.push(clock - NOW);
      expect([row?.leaseUntil, row?.nextSyncAt]).toEqual(
        row?.leaseUntil === 1 ? [1, 1] : Array(2).fill(clock + LEASE_MS),
      );
    }
    expect(renewedAt).toEqual([15_000, 30_000]);
    await other.isUnchanged();
    await set(owner, { leaseId: "another" });
    const before = await readSyncRow(db, owner);
    clock = NOW + 45_000;
    await expect(keep()).rejects.toThrow(LeaseLost);
    await expect(keep()).rejects.toThrow(LeaseLost);
    expect(await readSyncRow(db, owner)).toEqual(before);
  });

  test("stores its plan, and deletes the messages that left this mailbox", async () => {
    const { owner, lease, other } = await twoMailboxes(make);
    const before = await readSyncRow(db, owner);
    const plan = { pending: ["new-1", "new-2"], historyId: "9", removed: ["b", "unknown"], size: { total: 3 } };
    await writePlan(db, lease, plan, NOW);
    expect(await readSyncRow(db, owner)).toEqual({
      ...before,
      pending: ["new-1", "new-2"],
      pendingHistoryId: "9",
      totalMessages: 3,
      progress: 0,
      progressTotal: 2,
      leaseUntil: NOW + LEASE_MS,
      nextSyncAt: NOW + LEASE_MS,
    });
    expect(await storedIds(owner)).toEqual(["a", "c", "d"]);
    await other.isUnchanged();
  });

  test("updates the mailbox size with each plan, and advances the history id if there is nothing to read", async () => {
    const { owner, lease, other } = await twoMailboxes(make);
    const write = async (pending: string[], growth: number) => {
      await writePlan(db, lease, { pending, historyId: "9", removed: [], size: { growth } }, NOW);
      const row = await readSyncRow(db, owner);
      return [row?.totalMessages, row?.historyId, row?.pendingHistoryId];
    };
    expect(await write(["new"], 3)).toEqual([11, "5", "9"]);
    expect(await write([], -1)).toEqual([10, "9", null]);
    expect(await write([], -11)).toEqual([0, "9", null]);
    await other.isUnchanged();
  });

  test("drops what a list of the newest messages leaves out, and keeps what is older than the list", async () => {
    const { owner, lease, other } = await twoMailboxes(make);
    // The other mailbox's "c" is older than everything here.
    await dropUnlisted(db, lease, { ids: ["c", "unknown"], whole: false });
    expect(await storedIds(owner)).toEqual(["a", "c"]);
    await other.isUnchanged();
  });

  test("drops what a list of the whole mailbox leaves out, however old", async () => {
    const { owner, lease, other } = await twoMailboxes(make);
    await dropUnlisted(db, lease, { ids: ["c"], whole: true });
    expect(await storedIds(owner)).toEqual(["c"]);
    await dropUnlisted(db, lease, { ids: [], whole: true });
    expect(await storedIds(owner)).toEqual([]);
    await other.isUnchanged();
  });

  test("stores what it read with its progress, and only the text of a message that it has", async () => {
    const { owner, lease, other } = await twoMailboxes(make);
    const before = await readSyncRow(db, owner);
    const found = [message("b", 77), message("e", 5)];
    await writeProgress(db, lease, { found, gone: ["a", "unknown"], pending: ["f"], progress: 3 }, NOW);
    expect(await readSyncRow(db, owner)).toEqual({
      ...before,
      pending: ["f"],
      progress: 3,
      leaseUntil: NOW + LEASE_MS,
      nextSyncAt: NOW + LEASE_MS,
    });
    expect(await messagesOf(owner)).toEqual([
      { ...STORED[1], ...owner, subject: "Subject of b", snippet: "Snippet of b" },
      { ...STORED[2], ...owner },
      { ...STORED[3], ...owner },
      { ...message("e", 5), ...owner },
    ]);
    await other.isUnchanged();
  });

  test("finishes with the number of this mailbox's messages and the next automatic sync", async () => {
    const { owner, lease, other } = await twoMailboxes(make);
    await db.insert(gmailMessages).values({ ...message("only-here", 9), ...owner });
    for (const { autoSync, pendingHistoryId, random, nextSyncAt } of [
      { autoSync: false, pendingHistoryId: null, random: 1, nextSyncAt: null },
      { autoSync: true, pendingHistoryId: null, random: 0, nextSyncAt: NOW + 15 * MINUTE_MS },
      { autoSync: true, pendingHistoryId: "12", random: 0.5, nextSyncAt: NOW + 16 * MINUTE_MS },
    ]) {
      await set(owner, {
        autoSync,
        pendingHistoryId,
        historyId: "11",
        pending: '["x"]',
        leaseId: lease.id,
        leaseUntil: 7,
      });
      await set(owner, { lastError: "Away", failures: 2 });
      const before = await readSyncRow(db, owner);
      expect(await finishSync(db, lease, NOW, () => random)).toBe(5);
      expect(await readSyncRow(db, owner)).toEqual({
        ...before,
        leaseId: null,
        leaseUntil: 0,
        lastSyncAt: NOW,
        historyId: pendingHistoryId ?? "11",
        pendingHistoryId: null,
        pending: [],
        lastError: null,
        failures: 0,
        nextSyncAt,
      });
    }
    await other.isUnchanged();
  });

  test("keeps the newest 2,000 messages of the mailbox when it finishes", async () => {
    const { owner, lease, other } = await twoMailboxes(make);
    await env.DB.prepare(
      `with recursive n(i) as (select 1 union all select i + 1 from n where i < ?1)
       insert into gmail_messages (id, user_id, owner_digest, from_email, internal_date)
       select 'new' || i, ?2, ?3, 'a@b.c', 1000 + i from n`,
    )
      .bind(MESSAGES_KEPT - 1, owner.userId, owner.ownerDigest)
      .run();
    expect(await finishSync(db, lease, NOW, () => 0)).toBe(MESSAGES_KEPT);
    const left = (await messagesOf(owner)).map(({ id }) => id);
    expect(left.filter((id) => !id.startsWith("new"))).toEqual(["d"]);
    await other.isUnchanged();
  });

  test("counts a failure and keeps what is pending", async () => {
    const { owner, lease, other } = await twoMailboxes(make);
    await set(owner, { failures: 2 });
    const before = await readSyncRow(db, owner);
    await failSync(db, lease, "Away", NOW + 1);
    const released = { leaseId: null, leaseUntil: 0 };
    const failed = { ...before, ...released, lastError: "Away", failures: 3, nextSyncAt: NOW + 1 };
    expect(await readSyncRow(db, owner)).toEqual(failed);
    await set(owner, { leaseId: lease.id });
    await failSync(db, lease, "Broken", null);
    expect(await readSyncRow(db, owner)).toEqual({ ...failed, lastError: "Broken", failures: 4, nextSyncAt: null });
    await other.isUnchanged();
  });

  test("pauses without counting a failure", async () => {
    const { owner, lease, other } = await twoMailboxes(make);
    const before = await readSyncRow(db, owner);
    expect(await pauseSync(db, lease, NOW + 7)).toBe((await storedIds(owner)).length);
    expect(await readSyncRow(db, owner)).toEqual({ ...before, leaseId: null, leaseUntil: 0, nextSyncAt: NOW + 7 });
    await other.isUnchanged();
  });

  test("stops after refused tokens, unless this mailbox has new ones", async () => {
    const { owner, lease, other } = await twoMailboxes(make);
    await set(owner, { failures: 2 });
    const before = await readSyncRow(db, owner);
    const released = { leaseId: null, leaseUntil: 0 };
    await stopUntilConnected(db, lease, "Connect again.", NOW);
    const stopped = { ...before, ...released, lastError: "Connect again.", failures: 3, nextSyncAt: null };
    expect(await readSyncRow(db, owner)).toEqual(stopped);

    await set(owner, { leaseId: lease.id });
    await db.insert(gmailTokens).values({ ...owner, accessToken: null, createdAt: 1 });
    await stopUntilConnected(db, lease, "Connect again.", NOW);
    expect(await readSyncRow(db, owner)).toEqual({ ...stopped, failures: 4 });

    await set(owner, { leaseId: lease.id });
    await db.update(gmailTokens).set({ accessToken: "sealed" }).where(ownedBy(gmailTokens, owner));
    await stopUntilConnected(db, lease, "Connect again.", NOW);
    expect(await readSyncRow(db, owner)).toEqual({ ...stopped, lastError: null, failures: 0, nextSyncAt: NOW });
    await other.isUnchanged();
  });

  test("writes nothing once it has lost its lease", async () => {
    const { owner, lease } = await twoMailboxes(make);
    await set(owner, { leaseId: "another" });
    await writesNothing(owner, lease);
  });
});

test("writes nothing to the mailbox of an account that was suspended meanwhile", async () => {
  const owner = { userId: (await newAccount()).userId, ownerDigest: "" };
  const { lease } = await twoMailboxes(someone, owner);
  await db.update(users).set({ suspendedAt: 1 }).where(eq(users.id, owner.userId));
  await writesNothing(owner, lease);
  await db.update(users).set({ suspendedAt: null }).where(eq(users.id, owner.userId));
  expect(await finishSync(db, lease, NOW, () => 0)).toBe(4);
});

async function writesNothing(owner: MailboxOwner, lease: Lease): Promise<void> {
  const before = [await readSyncRow(db, owner), await messagesOf(owner)];
  const times = [NOW, NOW + LEASE_MS];
  const keep = leaseKeeper(db, lease, () => times.shift() ?? 0);
  await expect(keep()).rejects.toThrow(LeaseLost);
  const plan = { pending: ["x"], historyId: "9", removed: ["a"], size: { total: 1 } };
  await expect(writePlan(db, lease, plan, NOW)).rejects.toThrow(LeaseLost);
  const step = { found: [message("e", 5), message("b", 6)], gone: ["a"], pending: [], progress: 1 };
  await expect(writeProgress(db, lease, step, NOW)).rejects.toThrow(LeaseLost);
  await expect(finishSync(db, lease, NOW, () => 0)).rejects.toThrow(LeaseLost);
  await dropUnlisted(db, lease, { ids: ["c"], whole: false });
  await dropUnlisted(db, lease, { ids: ["c"], whole: true });
  await failSync(db, lease, "Away", NOW);
  await stopUntilConnected(db, lease, "Connect again.", NOW);
  await expect(pauseSync(db, lease, NOW)).rejects.toThrow(LeaseLost);
  expect([await readSyncRow(db, owner), await messagesOf(owner)]).toEqual(before);
}

function message(id: string, internalDate: number): GmailMessage {
  const from = { fromEmail: `${id}@sender.example`, fromName: `Sender of ${id}` };
  return { id, ...from, subject: `Subject of ${id}`, snippet: `Snippet of ${id}`, internalDate };
}

/** "b" and "c" have the same time. */
const STORED = [100, 200, 200, 300].map((at, n) => ({
  ...message("abcd"[n] ?? "", at),
  subject: "as stored",
  snippet: "as stored",
}));

/** Two mailboxes with the same messages and the same lease id, the other's older. A sync may change only the first. */
async function twoMailboxes(make: () => MailboxOwner, owner = make()) {
  const other = make();
  const lease: Lease = { owner, id: crypto.randomUUID() };
  const status = { historyId: "5", lastSyncAt: 3, totalMessages: 8, progress: 1, progressTotal: 4, failures: 1 };
  for (const [one, older] of [
    [owner, 0],
    [other, 150],
  ] as const) {
    const running = { leaseId: lease.id, leaseUntil: NOW + 5, pending: '["p"]', nextSyncAt: NOW + 6 };
    await db.insert(gmailSyncStatus).values({ ...one, ...status, ...running, autoSync: true });
    for (const stored of STORED) {
      await db.insert(gmailMessages).values({ ...stored, ...one, internalDate: stored.internalDate - older });
    }
  }
  await db.insert(gmailTokens).values({ ...other, accessToken: "sealed", createdAt: 1 });
  const stateOfOther = async () => [await readSyncRow(db, other), await messagesOf(other)];
  const before = await stateOfOther();
  return { owner, lease, other: { isUnchanged: async () => expect(await stateOfOther()).toEqual(before) } };
}

function set(owner: MailboxOwner, values: Partial<typeof gmailSyncStatus.$inferInsert>) {
  return db.update(gmailSyncStatus).set(values).where(ownedBy(gmailSyncStatus, owner));
}

function messagesOf(owner: MailboxOwner) {
  return db.select().from(gmailMessages).where(ownedBy(gmailMessages, owner)).orderBy(asc(gmailMessages.id));
}
