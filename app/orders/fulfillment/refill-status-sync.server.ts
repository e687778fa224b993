import { and, asc, eq, gt, type SQL } from "drizzle-orm";
import type { Db } from "#app/db/db.server.ts";
import { providerLog, type RefillStatus, refills } from "#app/db/schema.server.ts";
import { log } from "#app/http/log.ts";
import {
  callProvider,
  type FulfillmentEnv,
  logProviderResponse,
  MAX_LOGGED_CHARACTERS,
  noteResponse,
  type Provider,
  takesCalls,
} from "#app/orders/providers/provider-calls.server.ts";
import { type ProviderResponse, readRefillStatuses, refillEntry } from "#app/orders/providers/provider-responses.ts";
import { RECENT_MS } from "#app/orders/rules/recent-orders.ts";
import { isRefillHeldAtProvider, isRefillTracked } from "./indexed-conditions.server.ts";
import { runWhileAvailable } from "./run-while-available.server.ts";
import { MAX_IDS_PER_CALL } from "./status-calls.server.ts";
import { UNREADABLE_MS } from "./status-sync.server.ts";

/** A round divides as many refused calls. Seven tell one bad id of 100 apart. */
const MAX_DIVISIONS = 10;

type Asking = {
  db: Db;
  env: FulfillmentEnv;
  provider: Provider;
  state: { hasFailed: boolean };
  divisionsLeft: number;
  apply: (refill: TrackedRefill, status: RefillStatus | undefined, response: ProviderResponse) => Promise<void>;
};

/**
 * Asks for the statuses of the open refills of a provider. Writes what changed. Returns whether any is open, and whether
 * one of them was requested within the last hour. Logs the first of several failures in a row, which `state` remembers.
 */
export async function syncRefills(
  db: Db,
  env: FulfillmentEnv,
  provider: Provider,
  state = { hasFailed: false },
): Promise<{ open: boolean; recent: boolean }> {
  const apply: Asking["apply"] = (refill, status, response) => applyStatus(db, provider, refill, status, response);
  const asking: Asking = { db, env, provider, state, divisionsLeft: MAX_DIVISIONS, apply };
  const unreadable: TrackedRefill[] = [];
  let after = 0;
  let recent = false;
  for (;;) {
    const open = await readPage(db, provider, isRefillTracked, after);
    const last = open.at(-1);
    if (!last) break;
    after = last.id;
    recent ||= last.createdAt > Date.now() - RECENT_MS;
    unreadable.push(...open.filter(wasUnreadable));
    const readable = open.filter((refill) => !wasUnreadable(refill));
    if (!(await ask(asking, readable))) return { open: true, recent };
  }
  // Behind all others, whose call they could make the provider refuse.
  for (let from = 0; from < unreadable.length; from += MAX_IDS_PER_CALL) {
    if (!(await ask(asking, unreadable.slice(from, from + MAX_IDS_PER_CALL)))) break;
  }
  return { open: after > 0, recent };
}

/**
 * Asks for refills that are held although the provider's id is known, because their status could not be read, and lets those
 * go on whose status can. Reads the refills that wait for staff. Returns whether the provider answered.
 */
export async function syncHeldRefills(db: Db, env: FulfillmentEnv, provider: Provider): Promise<boolean> {
  const apply: Asking["apply"] = async ({ id }, status) => {
    if (!status) return;
    await db
      .update(refills)
      .set({ fulfillment: "accepted", status, unreadableSince: 0, updatedAt: Date.now() })
      .where(and(eq(refills.id, id), isRefillHeldAtProvider));
    log("info", "held refill goes on", { refill: id, status });
  };
  const asking: Asking = { db, env, provider, state: { hasFailed: true }, divisionsLeft: MAX_DIVISIONS, apply };
  let after = 0;
  for (;;) {
    const held = await readPage(db, provider, isRefillHeldAtProvider, after);
    const last = held.at(-1);
    if (!last) return true;
    if (!(await ask(asking, held))) return false;
    after = last.id;
  }
}

/**
 * Asks about refills in one call, and about each half if the provider refuses it, until the one is found that it refuses.
 * Those for whom no division is left are asked about in another round. Returns whether the provider answers at the moment.
 */
async function ask(asking: Asking, some: TrackedRefill[]): Promise<boolean> {
  const { db, env, provider, state } = asking;
  if (some.length === 0) return true;
  if (!takesCalls(provider)) return false;
  const ids = some.map(({ providerRefillId }) => providerRefillId).join(",");
  const response = await callProvider(env, provider, { action: "refill_status", refills: ids });
  const statuses = readRefillStatuses(response);
  await noteResponse(db, provider, response, response.kind === "no_response");
  if (statuses === null) {
    if (!state.hasFailed) await logProviderResponse(db, provider, null, "refill_status", response);
    state.hasFailed = true;
    return false;
  }
  state.hasFailed = false;
  if (statuses === "refused" && some.length > 1) {
    if (asking.divisionsLeft-- <= 0) return true;
    const half = Math.ceil(some.length / 2);
    const halves = [some.slice(0, half), some.slice(half)];
    // Always in the same order, the divisions could end at the same bad ids in every round.
    if (Math.random() < 0.5) halves.reverse();
    for (const part of halves) if (!(await ask(asking, part))) return false;
    return true;
  }
  for (const refill of some) {
    const status = statuses === "refused" ? undefined : statuses.get(refill.providerRefillId ?? "");
    await asking.apply(refill, status, response);
  }
  return true;
}

type TrackedRefill = Awaited<ReturnType<typeof readPage>>[number];

function readPage(db: Db, provider: Provider, condition: SQL, after: number) {
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
    .where(and(condition, eq(refills.providerId, provider.id), gt(refills.id, after)))
    .orderBy(asc(refills.id))
    .limit(MAX_IDS_PER_CALL);
}

function wasUnreadable({ unreadableSince }: TrackedRefill): boolean {
  return unreadableSince !== 0;
}

/** Stores a refill's status. One that can't be read or stored is noted, or its order could never be refilled again. */
async function applyStatus(
  db: Db,
  provider: Provider,
  refill: TrackedRefill,
  status: RefillStatus | undefined,
  response: ProviderResponse,
): Promise<void> {
  const about = { refill: refill.id, provider: provider.id };
  const isSame = status === refill.status;
  if (isSame && !wasUnreadable(refill)) return;
  if (status) {
    const update = { unreadableSince: 0, ...(!isSame && { status, updatedAt: Date.now() }) };
    // Where the database is unavailable, it may have been stored. The round is repeated.
    const isStored = await runWhileAvailable("refill status not applied", about, () =>
      db
        .update(refills)
        .set(update)
        .where(and(eq(refills.id, refill.id), isRefillTracked)),
    );
    if (isStored) return;
  }
  await runWhileAvailable("refill not marked unreadable", about, () => noteUnreadable(db, provider, refill, response));
}

/** Logs the first unreadable status in a row, and holds the refill when it stays unreadable. */
async function noteUnreadable(
  db: Db,
  provider: Provider,
  { id, orderId, providerRefillId, unreadableSince }: TrackedRefill,
  response: ProviderResponse,
): Promise<void> {
  const now = Date.now();
  const isTracked = and(eq(refills.id, id), isRefillTracked);
  if (unreadableSince === 0) {
    log("warn", "refill status not readable", { refill: id, provider: provider.id });
    const entry = refillEntry(response, providerRefillId ?? "");
    const said = (JSON.stringify(entry) ?? "missing").slice(0, MAX_LOGGED_CHARACTERS);
    await db.batch([
      db.update(refills).set({ unreadableSince: now }).where(isTracked),
      db
        .insert(providerLog)
        .values({ providerId: provider.id, orderId, action: "refill_status", response: said, createdAt: now }),
    ]);
  } else if (now - unreadableSince > UNREADABLE_MS) {
    await db.update(refills).set({ fulfillment: "held" }).where(isTracked);
    log("warn", "refill held", { refill: id, why: "unreadable" });
  }
}
