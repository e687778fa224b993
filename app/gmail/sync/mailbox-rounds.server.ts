import type { Db } from "#app/db/db.server.ts";
import { PROJECT_UNITS_PER_MINUTE, QuotaBudget, type QuotaUse } from "#app/gmail/api/gmail-quota.ts";
import type { MailboxOwner } from "#app/gmail/tokens/mailbox-owner.server.ts";
import { log, runLogged } from "#app/http/log.ts";
import { dueMailboxes, nextSyncTime } from "./sync-schedule.server.ts";

/** Syncs at a time. Ten a second, which 10,000 mailboxes in 15 minutes need, may take 4 s each. */
const MAX_RUNNING = 40;
const STARTS_PER_SECOND = 20;
/** Leaves a fifth to what people start on the page, and to syncs whose use is not known yet. */
const BUDGET_UNITS = PROJECT_UNITS_PER_MINUTE * 0.8;
/** A round ends after this many starts or this long, so that it stays below the platform's limits per alarm. */
const STARTS_PER_ROUND = 200;
const ROUND_MS = 30_000;
/** Mailboxes that become due shortly after each other share a round. */
const SHORTEST_PAUSE_MS = 2000;
/** All places are taken: how long to wait for one. */
const WAIT_FOR_PLACE_MS = 1000;
const RETRY_FAILED_MS = 60_000;

/** Memory of the dispatcher of mailboxes between rounds. D1 is the record, so all of it may be lost. */
export type MailboxMemory = {
  /** The running syncs by place; null is free. */
  places: ({ key: string; done: Promise<void> } | null)[];
  budget: QuotaBudget;
  pausedUntil: number;
  startFrom: number;
  /** Mailboxes whose sync failed on our side, maybe before it took its lease, and when each is tried again. */
  failed: Map<string, number>;
};

export function newMailboxMemory(now = Date.now()): MailboxMemory {
  const places = Array<null>(MAX_RUNNING).fill(null);
  return { places, budget: new QuotaBudget(BUDGET_UNITS, now), pausedUntil: 0, startFrom: 0, failed: new Map() };
}

/**
 * Starts the syncs that are due, longest waiting first, at the pace and within the quota that Google allows. Does not wait
 * for their end: a slow one only occupies its place, also in later rounds. Returns in how many ms the next round is due,
 * or null if no mailbox is scheduled. `sync` gets the number of its place.
 */
export async function startDueMailboxes(
  db: Db,
  memory: MailboxMemory,
  sync: (owner: MailboxOwner, place: number) => Promise<QuotaUse>,
): Promise<number | null> {
  const until = Date.now() + ROUND_MS;
  let started = 0;
  while (started < STARTS_PER_ROUND && Date.now() < until) {
    if (memory.pausedUntil > Date.now()) return memory.pausedUntil - Date.now();
    const running = runningKeys(memory);
    const free = MAX_RUNNING - running.size;
    if (free === 0) {
      await Promise.race([scheduler.wait(WAIT_FOR_PLACE_MS), ...memory.places.map((place) => place?.done)]);
      continue;
    }
    // A sync that was just started may not have its lease yet.
    const skipped = new Set([...running, ...failedKeys(memory)]);
    const read = await dueMailboxes(db, Date.now(), free + skipped.size);
    const due = read.filter((owner) => !skipped.has(keyOf(owner)));
    if (due.length === 0) return untilNext(db);
    for (const owner of due.slice(0, free)) {
      await pace(memory);
      if (memory.pausedUntil > Date.now()) break;
      start(memory, owner, sync);
      started++;
    }
  }
  return 0;
}

/** Resolves once all running syncs have ended. */
export async function untilIdle(memory: MailboxMemory): Promise<void> {
  await Promise.all(memory.places.map((place) => place?.done));
}

function start(
  memory: MailboxMemory,
  owner: MailboxOwner,
  sync: (owner: MailboxOwner, place: number) => Promise<QuotaUse>,
): void {
  const place = memory.places.indexOf(null);
  const key = keyOf(owner);
  const work = runLogged("mailbox not synced", {}, async () => {
    const { units, pauseMs } = await sync(owner, place);
    memory.budget.spend(units);
    if (pauseMs === null) return;
    memory.pausedUntil = Math.max(memory.pausedUntil, Date.now() + pauseMs);
    log("warn", "gmail sync paused: the project's quota is used up", { seconds: Math.round(pauseMs / 1000) });
  });
  const done = work.then((succeeded) => {
    if (!succeeded) memory.failed.set(key, Date.now() + RETRY_FAILED_MS);
    memory.places[place] = null;
  });
  memory.places[place] = { key, done };
}

/** Waits until the next sync may start. */
async function pace(memory: MailboxMemory): Promise<void> {
  const now = Date.now();
  const waitMs = Math.max(memory.startFrom - now, memory.budget.waitMs(now));
  memory.startFrom = Math.max(now, memory.startFrom) + 1000 / STARTS_PER_SECOND;
  if (waitMs > 0) await scheduler.wait(waitMs);
}

async function untilNext(db: Db): Promise<number | null> {
  const next = await nextSyncTime(db);
  return next === null ? null : Math.max(SHORTEST_PAUSE_MS, next - Date.now());
}

function runningKeys({ places }: MailboxMemory): Set<string> {
  return new Set(places.flatMap((place) => (place ? [place.key] : [])));
}

function failedKeys({ failed }: MailboxMemory): string[] {
  for (const [key, until] of failed) if (until <= Date.now()) failed.delete(key);
  return [...failed.keys()];
}

function keyOf({ userId, ownerDigest }: MailboxOwner): string {
  return `${userId} ${ownerDigest}`;
}
