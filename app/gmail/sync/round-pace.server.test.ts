import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { gmailSyncStatus } from "#app/db/schema.server.ts";
import type { QuotaUse } from "#app/gmail/api/gmail-quota.ts";
import { type MailboxOwner, ownedBy } from "#app/gmail/tokens/mailbox-owner.server.ts";
import { MINUTE_MS } from "#app/time.ts";
import { db } from "#tests/workerd/customer.ts";
import { someone } from "#tests/workerd/gmail-mailbox.ts";
import { newMailboxMemory, startDueMailboxes, untilIdle } from "./mailbox-rounds.server.ts";

const NOW = 1_795_000_000_000;
const FOR_A_PLACE_MS = 1000;
const USED: QuotaUse = { units: 2, pauseMs: null };
let waits: number[] = [];

beforeEach(async () => {
  await db.delete(gmailSyncStatus);
  vi.useFakeTimers({ now: NOW, toFake: ["Date"] });
  waits = [];
  vi.spyOn(scheduler, "wait").mockImplementation(async (ms) => {
    // A round that waits for a place goes on when a sync ends.
    if (ms === FOR_A_PLACE_MS) return new Promise(() => {});
    waits.push(ms);
    pass(ms);
  });
});

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

test("starts twenty syncs a second", async () => {
  const owners = await dueMailboxes(4);
  const places: number[] = [];
  const memory = newMailboxMemory();
  const next = await startDueMailboxes(db, memory, async (owner, place) => {
    places.push(place);
    await reschedule(owner, null);
    return USED;
  });
  expect([waits, owners.length, next]).toEqual([[50, 50, 50], 4, null]);
  await untilIdle(memory);
  expect(places).toHaveLength(4);
  expect(new Set(memory.places)).toEqual(new Set([null]));
});

test("waits until a budget that is overdrawn has filled up", async () => {
  await dueMailboxes(1);
  const memory = newMailboxMemory();
  // 960,000 units are there at the start, and as many come a minute.
  memory.budget.spend(960_000 + 16_000);
  await startDueMailboxes(db, memory, async (owner) => {
    await reschedule(owner, null);
    return { units: 16_000, pauseMs: null };
  });
  expect(waits).toEqual([1001]);
  await untilIdle(memory);
  expect(memory.budget.waitMs(Date.now())).toBeGreaterThan(900);
});

test.for([
  [1, 2000],
  [2001, 2001],
  [MINUTE_MS, MINUTE_MS],
] as const)("comes back for a mailbox that is due in %i ms after %i", async ([dueIn, next]) => {
  await db.insert(gmailSyncStatus).values({ ...someone(), nextSyncAt: NOW + dueIn });
  expect(await startDueMailboxes(db, newMailboxMemory(), async () => USED)).toBe(next);
});

test.for([
  [29_999, null],
  [30_000, 0],
] as const)("ends a round that has lasted %i ms with %s", async ([lasted, next]) => {
  await dueMailboxes(1);
  const memory = newMailboxMemory();
  const round = startDueMailboxes(db, memory, async (owner) => {
    pass(lasted);
    await reschedule(owner, null);
    return USED;
  });
  await untilIdle(memory);
  expect(await round).toBe(next);
});

test("ends a round after 200 starts", async () => {
  await dueMailboxes(201);
  let started = 0;
  const memory = newMailboxMemory();
  const next = await startDueMailboxes(db, memory, async (owner) => {
    started++;
    await reschedule(owner, null);
    return USED;
  });
  await untilIdle(memory);
  // It starts all that it has read last, 40 at most.
  expect([next, started >= 200]).toEqual([0, true]);
});

test("keeps the longest of several pauses, in which it starts nothing", async () => {
  await dueMailboxes(2);
  const memory = newMailboxMemory();
  const ends: ((use: QuotaUse) => void)[] = [];
  await startDueMailboxes(db, memory, async (owner) => {
    await reschedule(owner, null);
    return new Promise<QuotaUse>((resolve) => ends.push(resolve));
  });
  const [running] = memory.places;
  for (const [at, pauseMs] of [90_000, 60_000].entries()) ends[at]?.({ units: 2, pauseMs });
  await untilIdle(memory);
  expect(running).not.toBeNull();
  vi.setSystemTime(NOW + 10_000);
  await dueMailboxes(1);
  const never = async () => {
    throw new Error("started");
  };
  const left = (memory.pausedUntil ?? 0) - Date.now();
  expect(left).toBeGreaterThan(79_000);
  expect(await startDueMailboxes(db, memory, never)).toBe(left);
  vi.setSystemTime(memory.pausedUntil);
  let started = 0;
  await startDueMailboxes(db, memory, async (owner) => {
    started++;
    await reschedule(owner, null);
    return USED;
  });
  expect(started).toBe(1);
});

test("leaves out failed mailboxes for a minute, however many wait longest", async () => {
  const owners = await dueMailboxes(46);
  const last = owners.pop();
  const memory = newMailboxMemory();
  for (const { userId, ownerDigest } of owners) memory.failed.set(`${userId} ${ownerDigest}`, NOW + MINUTE_MS);
  const started: string[] = [];
  const round = async () => {
    await startDueMailboxes(db, memory, async (owner) => {
      started.push(owner.userId);
      await reschedule(owner, null);
      return USED;
    });
    await untilIdle(memory);
  };
  await round();
  expect(started).toEqual([last?.userId]);
  vi.setSystemTime(NOW + MINUTE_MS - 1);
  await round();
  expect(started).toHaveLength(1);
  vi.setSystemTime(NOW + MINUTE_MS);
  await round();
  expect([started.length, memory.failed.size]).toEqual([46, 0]);
});

test("tries a sync that failed again after a minute", async () => {
  vi.spyOn(console, "error").mockImplementation(() => {});
  const [owner] = await dueMailboxes(1);
  const memory = newMailboxMemory();
  await startDueMailboxes(db, memory, async () => {
    throw new Error("no database");
  });
  await untilIdle(memory);
  expect([...memory.failed]).toEqual([[`${owner?.userId} `, NOW + MINUTE_MS]]);
});

function pass(ms: number): void {
  vi.setSystemTime(Date.now() + ms);
}

/** Schedules that many mailboxes, the first of which has waited longest. */
async function dueMailboxes(count: number): Promise<MailboxOwner[]> {
  const owners = Array.from({ length: count }, () => someone());
  for (const [n, owner] of owners.entries()) await db.insert(gmailSyncStatus).values({ ...owner, nextSyncAt: n + 1 });
  return owners;
}

async function reschedule(owner: MailboxOwner, nextSyncAt: number | null): Promise<void> {
  await db.update(gmailSyncStatus).set({ nextSyncAt }).where(ownedBy(gmailSyncStatus, owner));
}
