import { and, asc, eq, gt, inArray, lt, type SQL } from "drizzle-orm";
import { type RefillStatus, refills } from "#app/db/schema.server.ts";
import { log } from "#app/http/log.ts";
import type { ProviderLink } from "#app/orders/providers/provider-link.server.ts";
import { type RefillReport, readRefillStates, type Unreadable } from "#app/orders/providers/reading/states-answer.ts";
import { RECENT_MS } from "#app/orders/rules/recent-orders.ts";
import type { HeldCursor } from "./held-orders.server.ts";
import { isRefillHeldAtProvider, isRefillTracked } from "./indexed-conditions.server.ts";
import { runWhileAvailable } from "./run-while-available.server.ts";
import { type Asked, keepUnreadable } from "./state-calls.server.ts";
import { type CallState, MAX_IDS_PER_CALL, newCallState, StateCalls } from "./status-calls.server.ts";
import { NO_ANSWER_MS, UNREADABLE_MS } from "./status-sync.server.ts";

/** A round divides as many refused calls. Seven tell one bad id of 100 apart. */
const MAX_DIVISIONS = 10;

type RefillCalls = StateCalls<TrackedRefill, RefillReport>;

/** Postpones nothing: unreadable refills are asked about last anyway. */
function callsAboutRefills(
  link: ProviderLink,
  state: CallState,
  apply: Asked<TrackedRefill, RefillReport>["apply"],
): RefillCalls {
  const asked = {
    call: "refill_status",
    idOf: ({ providerRefillId }: TrackedRefill) => providerRefillId ?? "",
    orderIdOf: ({ orderId }: TrackedRefill) => orderId,
    wasUnreadable,
    read: readRefillStates,
    apply,
  } as const;
  return new StateCalls(link, asked, { state, callsLeft: MAX_DIVISIONS + 1, postpones: false });
}

/**
 * Asks for the statuses of the open refills of a provider. Writes what changed. Returns whether any is open, and whether
 * one of them was requested within the last hour. Logs the first of several failures in a row, which `state` remembers.
 */
export async function syncRefills(
  link: ProviderLink,
  state = newCallState(),
): Promise<{ open: boolean; recent: boolean }> {
  const calls = callsAboutRefills(link, state, async (some, entries) => {
    for (const refill of some) {
      // Asked about again in a later round.
      if (!link.mayGoOn()) break;
      await applyStatus(link, refill, entryOf(refill, entries));
    }
  });
  const unreadable: TrackedRefill[] = [];
  let after = state.singlesAfter ?? 0;
  let recent = after > 0;
  state.singlesAfter = 0;
  for (;;) {
    const open = await readPage(link, isRefillTracked, after);
    const last = open.at(-1);
    if (!last) break;
    after = last.id;
    recent ||= last.createdAt > Date.now() - RECENT_MS;
    if (!link.takesCalls()) return { open: true, recent };
    // Asked about alone, none can make the provider refuse the others.
    const isAlone = link.dialect.refill_status === "one";
    if (!isAlone) unreadable.push(...open.filter(wasUnreadable));
    const first = isAlone ? open : open.filter((refill) => !wasUnreadable(refill));
    const asked = await calls.ask(first);
    if (calls.isOver) {
      await holdUnanswered(link, state);
      return { open: true, recent };
    }
    if (asked < first.length && calls.singlesLeft <= 0) {
      state.singlesAfter = first[asked - 1]?.id ?? 0;
      return { open: true, recent: true };
    }
  }
  // Behind all others, whose call they could make the provider refuse.
  for (let from = 0; from < unreadable.length; from += MAX_IDS_PER_CALL) {
    if (!link.takesCalls() || calls.isOver) break;
    await calls.ask(unreadable.slice(from, from + MAX_IDS_PER_CALL));
  }
  return { open: after > 0, recent };
}

/**
 * Asks for refills that are held although the provider's id is known, because their status could not be read, and lets those
 * go on whose status can. Reads the refills that wait for staff. Returns whether the provider answered about all of them.
 */
export async function syncHeldRefills(
  link: ProviderLink,
  cursor: HeldCursor = { order: null, refill: null },
): Promise<boolean> {
  const calls = callsAboutRefills(link, { ...newCallState(), hasFailed: true }, async (some, entries) => {
    for (const refill of some) {
      const entry = entryOf(refill, entries);
      if (entry.kind === "report" && link.mayGoOn()) await resume(link, refill, entry.status);
    }
  });
  let after = cursor.refill ?? 0;
  cursor.refill = null;
  for (;;) {
    const held = await readPage(link, isRefillHeldAtProvider, after);
    if (held.length === 0) return true;
    const asked = await calls.ask(held);
    if (calls.isOver) return false;
    after = held[asked - 1]?.id ?? after;
    if (asked < held.length) {
      cursor.refill = asked > 0 ? after : null;
      return false;
    }
  }
}

async function resume({ db }: ProviderLink, { id }: TrackedRefill, status: RefillStatus): Promise<void> {
  await db
    .update(refills)
    .set({ fulfillment: "accepted", status, unreadableSince: 0, updatedAt: Date.now() })
    .where(and(eq(refills.id, id), isRefillHeldAtProvider));
  log("info", "held refill goes on", { refill: id, status });
}

/** Holds refills of a provider that has given no readable answer about any refill for a day, a page of them in each round. */
async function holdUnanswered({ db, id: provider }: ProviderLink, { failingSince }: CallState): Promise<void> {
  const limit = Date.now() - NO_ANSWER_MS;
  if (failingSince === 0 || failingSince > limit) return;
  const unanswered = db
    .select({ id: refills.id })
    .from(refills)
    .where(and(isRefillTracked, eq(refills.providerId, provider), lt(refills.createdAt, limit)))
    .limit(MAX_IDS_PER_CALL);
  const held = await db
    .update(refills)
    .set({ fulfillment: "held" })
    .where(and(inArray(refills.id, unanswered), isRefillTracked))
    .returning({ id: refills.id });
  if (held.length > 0) log("warn", "refills held without an answer", { provider, refills: held.length });
}

type Entry = RefillReport | Unreadable;

function entryOf({ providerRefillId }: TrackedRefill, entries: ReadonlyMap<string, Entry>): Entry {
  return entries.get(providerRefillId ?? "") ?? { kind: "unreadable", why: "missing", entry: undefined };
}

type TrackedRefill = Awaited<ReturnType<typeof readPage>>[number];

function readPage({ db, id }: ProviderLink, condition: SQL, after: number) {
  return db
    .select({
      id: refills.id,
      orderId: refills.orderId,
      status: refills.status,
      providerRefillId: refills.providerRefillId,
      unreadableSince: refills.unreadableSince,
      createdAt: refills.createdAt,
    })
    .from(refills)
    .where(and(condition, eq(refills.providerId, id), gt(refills.id, after)))
    .orderBy(asc(refills.id))
    .limit(MAX_IDS_PER_CALL);
}

function wasUnreadable({ unreadableSince }: TrackedRefill): boolean {
  return unreadableSince !== 0;
}

/** Stores a refill's status. One that can't be read or stored is noted, or its order could never be refilled again. */
async function applyStatus(link: ProviderLink, refill: TrackedRefill, entry: Entry): Promise<void> {
  const status = entry.kind === "report" ? entry.status : undefined;
  const about = { refill: refill.id, provider: link.id };
  const isSame = status === refill.status;
  if (isSame && !wasUnreadable(refill)) return;
  if (status) {
    const update = { unreadableSince: 0, ...(!isSame && { status, updatedAt: Date.now() }) };
    // Where the database is unavailable, it may have been stored. The round is repeated.
    const isStored = await runWhileAvailable("refill status not applied", about, () =>
      link.db
        .update(refills)
        .set(update)
        .where(and(eq(refills.id, refill.id), isRefillTracked)),
    );
    if (isStored) return;
  }
  await runWhileAvailable("refill not marked unreadable", about, () => noteUnreadable(link, refill, entry));
}

/** Logs the first unreadable status in a row, and holds the refill when it stays unreadable. */
async function noteUnreadable(link: ProviderLink, refill: TrackedRefill, said: Entry): Promise<void> {
  const { id, orderId, unreadableSince } = refill;
  const now = Date.now();
  const isTracked = and(eq(refills.id, id), isRefillTracked);
  if (!wasUnreadable(refill)) {
    log("warn", "refill status not readable", { refill: id, provider: link.id });
    const mark = link.db.update(refills).set({ unreadableSince: now }).where(isTracked);
    await link.db.batch([mark, ...keepUnreadable(link, "refill_status", { orderId, said })]);
  } else if (now - unreadableSince > UNREADABLE_MS) {
    await link.db.update(refills).set({ fulfillment: "held" }).where(isTracked);
    log("warn", "refill held", { refill: id, why: "unreadable" });
  }
}
