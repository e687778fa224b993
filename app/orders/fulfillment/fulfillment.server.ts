import { and, eq, min } from "drizzle-orm";
import type { Db } from "#app/db/db.server.ts";
import { orders, providers } from "#app/db/schema.server.ts";
import { runLogged } from "#app/http/log.ts";
import {
  callProvider,
  type FulfillmentEnv,
  needsProbe,
  noteResponse,
  type Provider,
  takesCalls,
} from "#app/orders/providers/provider-calls.server.ts";
import { ProviderPace } from "#app/orders/providers/provider-pace.ts";
import { RECENT_ROUND_MS } from "#app/orders/rules/recent-orders.ts";
import { sendCancellations } from "./cancellations.server.ts";
import { syncHeld } from "./held-orders.server.ts";
import { isQueued } from "./indexed-conditions.server.ts";
import { sendRefills, syncRefills } from "./refills.server.ts";
import { newStatusCursor, type StatusCursor, syncStatuses } from "./status-sync.server.ts";
import { newSending, type Sending, startSubmission } from "./submission.server.ts";

const OLDER_ROUND_MS = 60_000;
const REFILL_ROUND_MS = 60_000;
/** Cron wakes the dispatcher for them. */
const HELD_ROUND_MS = 60 * 60_000;
/** Wait before a failed step is repeated. */
const FAILED_ROUND_MS = 30_000;
/** Orders are sent for this long, and for this long after each status call, so that a round ends. */
const SENDING_MS = 8000;
const SHORTEST_ROUND_MS = 1000;

/** Memory of one provider's dispatcher between rounds. D1 is the record, so all of it may be lost. */
export type DispatcherMemory = {
  pace: ProviderPace | null;
  sending: Sending;
  statuses: StatusCursor;
  statusesAt: number;
  /** When held orders with a provider id are asked for next. */
  heldFrom: number;
  /** When the statuses of refills are asked for next. */
  refillsFrom: number;
  /** Sends what was just placed, while a round runs. */
  send: (() => void) | null;
};

export function newMemory(): DispatcherMemory {
  return {
    pace: null,
    sending: newSending(),
    statuses: newStatusCursor(),
    statusesAt: 0,
    heldFrom: 0,
    refillsFrom: 0,
    send: null,
  };
}

/**
 * Does what is due at one provider, side by side at the provider's pace: submits queued orders, sends cancellations and
 * refills, and asks for statuses. Returns in how many ms the next round is due, or null if nothing is open there.
 */
export async function runProvider(
  db: Db,
  env: FulfillmentEnv,
  providerId: number,
  memory: DispatcherMemory,
): Promise<number | null> {
  const [row] = await db.select().from(providers).where(eq(providers.id, providerId));
  if (!row?.enabled) return null;
  memory.pace ??= new ProviderPace(row);
  memory.pace.setLimits(row);
  const provider: Provider = { ...row, pace: memory.pace };
  const isUp = takesCalls(provider) && (!needsProbe(provider) || (await probe(db, env, provider)));
  if (!isUp) return Math.max(SHORTEST_ROUND_MS, provider.openUntil - Date.now());

  const now = Date.now();
  let next: number | null = null;
  const dueIn = (delay: number) => {
    next = Math.min(next ?? delay, delay);
  };
  const step = (name: string, work: () => Promise<unknown>) =>
    runLogged("fulfillment step failed", { step: name, provider: providerId }, work);
  const submission = startSubmission(db, env, provider, memory.sending, now + SENDING_MS);
  memory.send = submission.more;
  const statuses = async () => {
    if (now - memory.statusesAt < RECENT_ROUND_MS) return dueIn(RECENT_ROUND_MS - (now - memory.statusesAt));
    memory.statusesAt = now;
    memory.sending.hasAccepted = false;
    const done = await step("sync statuses", async () => {
      const { open, soon } = await syncStatuses(db, env, provider, memory.statuses, () =>
        submission.more(Date.now() + SENDING_MS),
      );
      if (open) dueIn(soon ? RECENT_ROUND_MS : OLDER_ROUND_MS);
    });
    if (!done) dueIn(FAILED_ROUND_MS);
  };
  const held = async () => {
    if (now < memory.heldFrom) return;
    memory.heldFrom = now + HELD_ROUND_MS;
    await step("sync held orders", () => syncHeld(db, env, provider));
  };
  const refills = async () => {
    await step("send refills", async () => {
      const sent = await sendRefills(db, env, provider);
      if (sent > 0) memory.refillsFrom = Math.min(memory.refillsFrom, Date.now() + RECENT_ROUND_MS);
    });
    if (now >= memory.refillsFrom) {
      memory.refillsFrom = now + FAILED_ROUND_MS;
      await step("sync refills", async () => {
        const { open, recent } = await syncRefills(db, env, provider);
        const round = recent ? RECENT_ROUND_MS : REFILL_ROUND_MS;
        memory.refillsFrom = open ? now + round : Number.POSITIVE_INFINITY;
      });
    }
    if (Number.isFinite(memory.refillsFrom)) dueIn(Math.max(0, memory.refillsFrom - Date.now()));
  };
  await Promise.all([
    step("send cancellations", () => sendCancellations(db, env, provider)),
    statuses(),
    held(),
    refills(),
  ]);
  const isSubmitted = await step("submit orders", submission.end);
  memory.send = null;
  if (!isSubmitted) memory.sending.from = Date.now() + FAILED_ROUND_MS;
  if (memory.sending.hasAccepted) dueIn(Math.max(0, RECENT_ROUND_MS - (Date.now() - memory.statusesAt)));
  const queuedIn = await untilQueued(db, provider);
  if (queuedIn !== null) dueIn(Math.max(queuedIn, memory.sending.from - Date.now()));
  return next;
}

/** Asks a provider whose breaker was open for the balance, so that no order is risked. Returns whether it responds. */
async function probe(db: Db, env: FulfillmentEnv, provider: Provider): Promise<boolean> {
  const response = await callProvider(env, provider, { action: "balance" });
  await noteResponse(db, provider, response, response.kind === "no_response");
  return response.kind !== "no_response";
}

/** Returns in how many ms the next queued order is due, or null if there is none. */
async function untilQueued(db: Db, provider: Provider): Promise<number | null> {
  const [soonest] = await db
    .select({ at: min(orders.leaseUntil) })
    .from(orders)
    .where(and(isQueued, eq(orders.providerId, provider.id)));
  if (soonest?.at === undefined || soonest.at === null) return null;
  return Math.max(0, Math.max(soonest.at, provider.pausedUntil) - Date.now());
}
