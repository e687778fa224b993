import { eq } from "drizzle-orm";
import { beforeEach, describe, expect, test } from "vitest";
import { gmailSyncStatus, gmailTokens, users } from "#app/db/schema.server.ts";
import { accountOwner, type MailboxOwner, ownedBy, ZERO_USER_ID } from "#app/gmail/tokens/mailbox-owner.server.ts";
import { db } from "#tests/workerd/customer.ts";
import { someone } from "#tests/workerd/gmail-mailbox.ts";
import { newAccount } from "#tests/workerd/new-account.ts";
import { readSyncRow } from "./mailbox-sync-state.server.ts";
import {
  dueMailboxes,
  nextSyncTime,
  postponeIfSuspended,
  rescheduleSync,
  setAutoSync,
  unschedule,
} from "./sync-schedule.server.ts";

const NOW = 1_795_000_000_000;

type Row = Partial<typeof gmailSyncStatus.$inferInsert>;

beforeEach(async () => {
  await db.delete(gmailSyncStatus);
});

test("finds the mailboxes that are due and not running, longest waiting first", async () => {
  await mailbox({ nextSyncAt: null });
  expect(await nextSyncTime(db)).toBeNull();
  const now = await mailbox({ nextSyncAt: NOW, leaseUntil: NOW });
  const longest = await mailbox({ nextSyncAt: NOW - 9 });
  const second = await mailbox({ nextSyncAt: NOW - 5 });
  await mailbox({ nextSyncAt: NOW + 1 });
  await mailbox({ nextSyncAt: NOW - 20, leaseUntil: NOW + 1 });
  expect(await dueMailboxes(db, NOW, 9)).toEqual([longest, second, now]);
  expect(await dueMailboxes(db, NOW, 2)).toEqual([longest, second]);
  expect(await nextSyncTime(db)).toBe(NOW - 20);
});

const OWNERS: [kind: string, make: () => MailboxOwner][] = [
  ["account", someone],
  ["visitor", () => ({ userId: ZERO_USER_ID, ownerDigest: crypto.randomUUID() })],
];

describe.for(OWNERS)("the schedule of the mailbox of an %s", ([, make]) => {
  test("ends only without tokens", async () => {
    const [owner, other] = [await mailbox({ nextSyncAt: 5 }, make()), await mailbox({ nextSyncAt: 5 }, make())];
    await db.insert(gmailTokens).values({ ...owner, accessToken: "sealed", createdAt: 1 });
    await unschedule(db, owner);
    expect(await nextOf(owner)).toBe(5);
    await db.update(gmailTokens).set({ accessToken: null }).where(ownedBy(gmailTokens, owner));
    await db.insert(gmailTokens).values({ ...other, accessToken: "sealed", createdAt: 1 });
    await unschedule(db, owner);
    expect([await nextOf(owner), await nextOf(other)]).toEqual([null, 5]);
  });

  test.for<[what: string, before: Row, nextSyncAt: number | null]>([
    ["an automatic one, at once", { autoSync: true, nextSyncAt: 5 }, NOW],
    ["an interrupted one, at once", { pending: '["a"]', nextSyncAt: 5 }, NOW],
    ["another, when it was planned", { nextSyncAt: 5 }, 5],
    ["another, never if it was not planned", { nextSyncAt: null }, null],
  ])("continues after a new connection: %s", async ([, before, nextSyncAt]) => {
    const failed = { ...before, lastError: "Connect again.", failures: 3 };
    const [owner, other] = [await mailbox(failed, make()), await mailbox(failed, make())];
    const [own, others] = [await readSyncRow(db, owner), await readSyncRow(db, other)];
    await rescheduleSync(db, owner, NOW);
    expect(await readSyncRow(db, owner)).toEqual({ ...own, lastError: null, failures: 0, nextSyncAt });
    expect(await readSyncRow(db, other)).toEqual(others);
  });

  test.for<[what: string, before: Row, on: boolean, nextSyncAt: number | null]>([
    ["on makes it due", { nextSyncAt: null }, true, NOW],
    ["on keeps an earlier time", { nextSyncAt: 5 }, true, 5],
    ["on keeps a later time", { nextSyncAt: NOW + 5 }, true, NOW + 5],
    ["off ends it", { autoSync: true, nextSyncAt: 5 }, false, null],
    ["off lets an interrupted sync continue", { autoSync: true, pending: '["a"]', nextSyncAt: 5 }, false, 5],
    ["off lets a running sync continue", { autoSync: true, leaseUntil: NOW + 1, nextSyncAt: 5 }, false, 5],
    ["off ends it after a sync whose lease is over", { autoSync: true, leaseUntil: NOW, nextSyncAt: 5 }, false, null],
  ])("%s", async ([, before, on, nextSyncAt]) => {
    const [owner, other] = [await mailbox(before, make()), await mailbox(before, make())];
    const [own, others] = [await readSyncRow(db, owner), await readSyncRow(db, other)];
    await setAutoSync(db, owner, on, NOW);
    expect(await readSyncRow(db, owner)).toEqual({ ...own, autoSync: on, nextSyncAt });
    expect(await readSyncRow(db, other)).toEqual(others);
  });

  test.for([
    [true, NOW],
    [false, null],
  ] as const)("starts with automatic sync %s", async ([autoSync, nextSyncAt]) => {
    const owner = make();
    await setAutoSync(db, owner, autoSync, NOW);
    expect(await readSyncRow(db, owner)).toMatchObject({ autoSync, nextSyncAt });
  });
});

test("looks at a suspended account again in 15 minutes, and postpones no other", async () => {
  const [owner, other] = await Promise.all([newAccount(), newAccount()]).then((accounts) =>
    accounts.map(({ userId }) => accountOwner(userId)),
  );
  if (!owner || !other) throw new Error("no accounts");
  for (const one of [owner, other]) await mailbox({ nextSyncAt: 5 }, one);
  await db.update(users).set({ suspendedAt: 1 }).where(eq(users.id, owner.userId));
  expect(await postponeIfSuspended(db, other, NOW)).toBe(false);
  expect([await nextOf(owner), await nextOf(other)]).toEqual([5, 5]);
  expect(await postponeIfSuspended(db, owner, NOW)).toBe(true);
  expect([await nextOf(owner), await nextOf(other)]).toEqual([NOW + 15 * 60_000, 5]);
  expect(await postponeIfSuspended(db, { userId: ZERO_USER_ID, ownerDigest: "x" }, NOW)).toBe(false);
});

async function mailbox(row: Row, owner = someone()): Promise<MailboxOwner> {
  await db.insert(gmailSyncStatus).values({ ...owner, ...row });
  return owner;
}

async function nextOf(owner: MailboxOwner): Promise<number | null | undefined> {
  return (await readSyncRow(db, owner))?.nextSyncAt;
}
