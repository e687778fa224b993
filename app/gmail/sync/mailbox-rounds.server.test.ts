import { beforeEach, expect, test, vi } from "vitest";
import { gmailSyncStatus } from "#app/db/schema.server.ts";
import type { QuotaUse } from "#app/gmail/api/gmail-quota.ts";
import { type MailboxOwner, ownedBy } from "#app/gmail/tokens/mailbox-owner.server.ts";
import { db } from "#tests/workerd/customer.ts";
import { someone } from "#tests/workerd/gmail-mailbox.ts";
import { newMailboxMemory, startDueMailboxes, untilIdle } from "./mailbox-rounds.server.ts";

const HISTORY: QuotaUse = { units: 2, pauseMs: null };
const NEVER = new Promise<never>(() => {});

beforeEach(async () => {
  await db.delete(gmailSyncStatus);
});

test("starts each due mailbox once, longest waiting first, while others hang", async () => {
  withoutPace();
  // More than there are places.
  const owners = await dueMailboxes(45);
  const started: string[] = [];
  const memory = newMailboxMemory();
  const next = await startDueMailboxes(db, memory, async (owner) => {
    started.push(owner.userId);
    // Ten mailboxes never respond. They hold a lease, as a real sync does.
    await reschedule(owner, Date.now() + 100_000);
    return started.length <= 10 ? NEVER : HISTORY;
  });
  expect(started).toEqual(owners.map(({ userId }) => userId));
  expect(next).toBeGreaterThan(50_000);
  expect(memory.places.filter((place) => place !== null)).toHaveLength(10);
});

test("runs at most 40 syncs at a time, also across rounds", async () => {
  withoutPace();
  await dueMailboxes(45);
  const ends: (() => void)[] = [];
  const memory = newMailboxMemory();
  const round = startDueMailboxes(db, memory, async (owner) => {
    await reschedule(owner, Date.now() + 100_000);
    await new Promise<void>((resolve) => ends.push(resolve));
    return HISTORY;
  });
  await vi.waitUntil(() => ends.length === 40, { timeout: 90_000, interval: 20 });
  for (const end of ends.slice(0, 5)) end();
  await vi.waitUntil(() => ends.length === 45, { timeout: 90_000, interval: 20 });
  for (const end of ends) end();
  await round;
  await untilIdle(memory);
});

test("stops starting syncs for everybody while the project's quota is used up", async () => {
  await dueMailboxes(12);
  const logged = vi.spyOn(console, "log").mockImplementation(() => {});
  const memory = newMailboxMemory();
  let started = 0;
  const sync = async (owner: MailboxOwner): Promise<QuotaUse> => {
    started++;
    await reschedule(owner, Date.now() + 100_000);
    return { units: 2, pauseMs: 60_000 };
  };
  const next = await startDueMailboxes(db, memory, sync);
  const before = started;
  expect(before).toBeLessThan(12);
  expect(next).toBeGreaterThan(50_000);
  expect(await startDueMailboxes(db, memory, sync)).toBeGreaterThan(50_000);
  expect(started).toBe(before);
  memory.pausedUntil = 0;
  await startDueMailboxes(db, memory, async (owner) => {
    started++;
    await reschedule(owner, Date.now() + 100_000);
    return HISTORY;
  });
  await untilIdle(memory);
  expect(started).toBe(12);
  logged.mockRestore();
});

test("tries a mailbox that fails on our side a minute later, and the others at once", async () => {
  const [broken, ...others] = await dueMailboxes(5);
  const errors = vi.spyOn(console, "error").mockImplementation(() => {});
  const started: string[] = [];
  const memory = newMailboxMemory();
  await startDueMailboxes(db, memory, async (owner) => {
    started.push(owner.userId);
    if (owner.userId === broken?.userId) throw new Error("no database");
    await reschedule(owner, null);
    return HISTORY;
  });
  await untilIdle(memory);
  expect(started).toEqual([broken, ...others].map((owner) => owner?.userId));
  expect(errors).toHaveBeenCalledTimes(1);
  errors.mockRestore();
});

test("continues from the database after it lost its memory", async () => {
  const [first, second] = await dueMailboxes(2);
  await startDueMailboxes(db, newMailboxMemory(), async (owner) => {
    await reschedule(owner, owner.userId === first?.userId ? 1 : null);
    return NEVER;
  });
  const resumed: string[] = [];
  await startDueMailboxes(db, newMailboxMemory(), async (owner) => {
    resumed.push(owner.userId);
    await reschedule(owner, null);
    return HISTORY;
  });
  expect(resumed).toEqual([first?.userId]);
  expect(second).toBeDefined();
});

/** Lets syncs start at once, one after the other. A round that waits a second for a place does so. */
function withoutPace(): void {
  const wait = scheduler.wait.bind(scheduler);
  vi.spyOn(scheduler, "wait").mockImplementation((ms) => wait(ms === 1000 ? ms : 0));
}

/** Schedules that many mailboxes, the first of which has waited longest. */
async function dueMailboxes(count: number): Promise<MailboxOwner[]> {
  const owners = Array.from({ length: count }, () => someone());
  const [first, ...others] = owners.map((owner, n) =>
    db.insert(gmailSyncStatus).values({ ...owner, nextSyncAt: n + 1 }),
  );
  if (first) await db.batch([first, ...others]);
  return owners;
}

async function reschedule(owner: MailboxOwner, nextSyncAt: number | null): Promise<void> {
  await db.update(gmailSyncStatus).set({ nextSyncAt }).where(ownedBy(gmailSyncStatus, owner));
}
