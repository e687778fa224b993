import { and, eq, min } from "drizzle-orm";
import type { Db } from "#app/db/db.server.ts";
import { orders, providers } from "#app/db/schema.server.ts";
import { runLogged } from "#app/http/log.ts";
import {
  callProvider,
  countFailure,
  type FulfillmentEnv,
  needsProbe,
  type Provider,
} from "#app/orders/providers/provider-calls.server.ts";
import { sendCancellations } from "./cancellations.server.ts";
import { isQueued } from "./indexed-conditions.server.ts";
import { sendRefills, syncRefills } from "./refills.server.ts";
import { newStatusCursor, type StatusCursor, syncStatuses } from "./status-sync.server.ts";
import { submitNext } from "./submission.server.ts";

/** A change at the provider shows within 15 s: this, one call, and the page's own polling. */
const RECENT_ROUND_MS = 8000;
const OLDER_ROUND_MS = 60_000;
const REFILL_ROUND_MS = 60_000;
/** A round that failed, or whose provider was away, is repeated after this. */
const FAILED_ROUND_MS = 30_000;
/** No order is sent for this long after one that the provider did not take. */
const BACK_OFF_MS = 10_000;
/** Orders are sent in a row at most this long before statuses get their turn. */
const SENDING_MS = 8000;

/** Memory of one provider's dispatcher between rounds. D1 is the record, so all of it may be lost. */
export type DispatcherMemory = {
  statuses: StatusCursor;
  statusesAt: number;
  /** When the statuses of refills are asked for next. */
  refillsFrom: number;
  sendFrom: number;
};

export function newMemory(): DispatcherMemory {
  return { statuses: newStatusCursor(), statusesAt: 0, refillsFrom: 0, sendFrom: 0 };
}

/**
 * Does what is due at one provider: submits queued orders, sends cancellations and refills, and asks for statuses. Returns
 * in how many ms the next round is due, or null if nothing is open there.
 */
export async function runProvider(
  db: Db,
  env: FulfillmentEnv,
  providerId: number,
  memory: DispatcherMemory,
): Promise<number | null> {
  const [provider] = await db.select().from(providers).where(eq(providers.id, providerId));
  if (!provider?.enabled) return null;
  const now = Date.now();
  if (provider.openUntil > now) return provider.openUntil - now;
  const isUp = !needsProbe(provider) || (await probe(db, env, provider));
  if (!isUp) return FAILED_ROUND_MS;

  const step = (name: string, work: () => Promise<unknown>) =>
    runLogged("fulfillment step failed", { step: name, provider: providerId }, work);
  const send = async () => {
    const until = Date.now() + SENDING_MS;
    let more = true;
    while (more && Date.now() >= memory.sendFrom && Date.now() < until) {
      more = false;
      const sent = await step("submit orders", async () => {
        const result = await submitNext(db, env, provider);
        more = result === "more";
        if (result === "back off") memory.sendFrom = Date.now() + BACK_OFF_MS;
      });
      if (!sent) memory.sendFrom = Date.now() + FAILED_ROUND_MS;
    }
  };
  await send();
  await step("send cancellations", () => sendCancellations(db, env, provider));
  await step("send refills", async () => {
    const sent = await sendRefills(db, env, provider);
    if (sent > 0) memory.refillsFrom = Math.min(memory.refillsFrom, Date.now() + RECENT_ROUND_MS);
  });
  let next: number | null = null;
  const dueIn = (delay: number) => {
    next = Math.min(next ?? delay, delay);
  };
  if (now - memory.statusesAt >= RECENT_ROUND_MS) {
    memory.statusesAt = now;
    const done = await step("sync statuses", async () => {
      // An order placed meanwhile doesn't wait for all the statuses.
      const { open, soon } = await syncStatuses(db, env, provider, memory.statuses, send);
      if (open) dueIn(soon ? RECENT_ROUND_MS : OLDER_ROUND_MS);
    });
    if (!done) dueIn(FAILED_ROUND_MS);
  } else {
    dueIn(RECENT_ROUND_MS - (now - memory.statusesAt));
  }
  if (now >= memory.refillsFrom) {
    memory.refillsFrom = now + FAILED_ROUND_MS;
    await step("sync refills", async () => {
      const { open, recent } = await syncRefills(db, env, provider);
      const round = recent ? RECENT_ROUND_MS : REFILL_ROUND_MS;
      memory.refillsFrom = open ? now + round : Number.POSITIVE_INFINITY;
    });
  }
  if (Number.isFinite(memory.refillsFrom)) dueIn(Math.max(0, memory.refillsFrom - Date.now()));
  const queuedIn = await untilQueued(db, provider);
  if (queuedIn !== null) dueIn(Math.max(queuedIn, memory.sendFrom - Date.now()));
  return next;
}

/** Asks a provider whose breaker was open for the balance, so that no order is risked. Returns whether it responds. */
async function probe(db: Db, env: FulfillmentEnv, provider: Provider): Promise<boolean> {
  const response = await callProvider(env, provider, { action: "balance" });
  await countFailure(db, provider, response.kind === "no_response");
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
