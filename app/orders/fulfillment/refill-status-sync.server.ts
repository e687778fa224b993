import { and, asc, eq, gt } from "drizzle-orm";
import { isUnavailable } from "#app/db/bounded-database.server.ts";
import type { Db } from "#app/db/db.server.ts";
import { providerLog, type RefillStatus, refills } from "#app/db/schema.server.ts";
import { log, logError, runLogged } from "#app/http/log.ts";
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
import { isRefillTracked } from "./indexed-conditions.server.ts";
import { MAX_IDS_PER_CALL } from "./status-calls.server.ts";
import { UNREADABLE_MS } from "./status-sync.server.ts";

/** A round divides as many refused calls. Seven tell one bad id of 100 apart. */
const MAX_DIVISIONS = 10;

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
  let after = 0;
  let recent = false;
  let divisionsLeft = MAX_DIVISIONS;
  for (;;) {
    const open = await readTracked(db, provider, after);
    const last = open.at(-1);
    if (!last) return { open: after > 0, recent };
    after = last.id;
    recent ||= last.createdAt > Date.now() - RECENT_MS;
    // A refused call says nothing about the others in it.
    const groups = [open.filter((refill) => !wasUnreadable(refill)), open.filter(wasUnreadable)];
    for (let group = groups.shift(); group; group = groups.shift()) {
      if (group.length === 0) continue;
      if (!takesCalls(provider)) return { open: true, recent };
      const ids = group.map(({ providerRefillId }) => providerRefillId).join(",");
      const response = await callProvider(env, provider, { action: "refill_status", refills: ids });
      const statuses = readRefillStatuses(response);
      await noteResponse(db, provider, response, response.kind === "no_response");
      if (statuses === null) {
        if (!state.hasFailed) await logProviderResponse(db, provider, null, "refill_status", response);
        state.hasFailed = true;
        return { open: true, recent };
      }
      state.hasFailed = false;
      // Those that were unreadable before stay so together.
      if (statuses === "refused" && group.length > 1 && !group.some(wasUnreadable)) {
        const half = Math.ceil(group.length / 2);
        if (divisionsLeft-- > 0) groups.unshift(group.slice(0, half), group.slice(half));
        continue;
      }
      for (const refill of group) await applyStatus(db, provider, refill, statuses, response);
    }
  }
}

type TrackedRefill = Awaited<ReturnType<typeof readTracked>>[number];

function readTracked(db: Db, provider: Provider, after: number) {
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
    .where(and(isRefillTracked, eq(refills.providerId, provider.id), gt(refills.id, after)))
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
  statuses: Map<string, RefillStatus> | "refused",
  response: ProviderResponse,
): Promise<void> {
  const about = { refill: refill.id, provider: provider.id };
  const status = statuses === "refused" ? undefined : statuses.get(refill.providerRefillId ?? "");
  const isSame = status === refill.status;
  if (isSame && !wasUnreadable(refill)) return;
  try {
    if (status) {
      const update = { unreadableSince: 0, ...(!isSame && { status, updatedAt: Date.now() }) };
      await db
        .update(refills)
        .set(update)
        .where(and(eq(refills.id, refill.id), isRefillTracked));
      return;
    }
  } catch (error) {
    // It may have been stored. The round is repeated.
    if (isUnavailable(error)) throw error;
    logError("refill status not applied", error, about);
  }
  await runLogged("refill not marked unreadable", about, () => noteUnreadable(db, provider, refill, response));
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
