import { and, asc, eq } from "drizzle-orm";
import type { Db } from "#app/db/db.server.ts";
import { orders } from "#app/db/schema.server.ts";
import { logError, runLogged } from "#app/http/log.ts";
import {
  connectionTo,
  type FulfillmentEnv,
  type Provider,
  readyProviders,
} from "#app/orders/providers/provider-calls.server.ts";
import { resolveCancellations, sendCancellations } from "./cancellations.server.ts";
import { holdLostRefills, sendRefills, syncRefills } from "./refills.server.ts";
import { syncStatuses } from "./status-sync.server.ts";
import { holdLostSubmissions, submitOrder } from "./submission.server.ts";

/** Each minute, for all providers together: D1 takes 1,000 queries of one invocation (paid plan), an order about six. */
const SEND_AT_ONCE = 120;
/** A worker may hold six connections open. */
const LANES = 4;

/** What the cron trigger does each time: settle lost calls, send what waits, ask how the rest stands. */
export async function runFulfillment(db: Db, env: FulfillmentEnv, sendAtOnce = SEND_AT_ONCE): Promise<void> {
  await runStep("hold lost submissions", () => holdLostSubmissions(db));
  await runStep("hold lost refills", () => holdLostRefills(db));
  const providers = await readyProviders(db);
  let left = sendAtOnce;
  for (const [index, provider] of providers.entries()) {
    const share = Math.ceil(left / (providers.length - index));
    left -= share;
    try {
      // What one does not need is left to those after it. Of one that fails nobody knows how much it needed.
      left += share - (await runAtProvider(db, env, provider, share));
    } catch (error) {
      // One provider that is set up wrongly must not keep the others waiting.
      logError("provider failed", error, { provider: provider.id });
    }
  }
  await runStep("resolve cancellations", () => resolveCancellations(db));
}

/** Runs one step of a turn. The next one runs even when this one throws. */
async function runStep(step: string, work: () => Promise<unknown>, providerId?: number): Promise<void> {
  await runLogged("fulfillment step failed", { step, provider: providerId }, work);
}

/** Submits up to `most` queued orders and returns how many it took. Throws when the provider cannot be called at all. */
async function runAtProvider(db: Db, env: FulfillmentEnv, provider: Provider, most: number): Promise<number> {
  // Before any order is claimed: one that was claimed and not sent would be held for a person.
  await connectionTo(env, provider);
  const waiting = await db
    .select({ id: orders.id })
    .from(orders)
    .where(and(eq(orders.fulfillment, "queued"), eq(orders.providerId, provider.id)))
    .orderBy(asc(orders.id))
    .limit(most);
  await submitEach(db, env, waiting);
  await runStep("send cancellations", () => sendCancellations(db, env, provider), provider.id);
  await runStep("sync statuses", () => syncStatuses(db, env, provider), provider.id);
  await runStep("send refills", () => sendRefills(db, env, provider), provider.id);
  await runStep("sync refills", () => syncRefills(db, env, provider), provider.id);
  return waiting.length;
}

/** Stops when an answer stays away: what is sent to a provider that is down is held for a person. */
async function submitEach(db: Db, env: FulfillmentEnv, waiting: { id: number }[]): Promise<void> {
  const queue = waiting.values();
  let answers = true;
  const lane = async () => {
    for (const { id } of queue) {
      if (!answers) return;
      // What was claimed before it threw is held when its lease ends.
      await runLogged("order not submitted", { order: id }, async () => {
        if ((await submitOrder(db, env, id)) === "unknown") answers = false;
      });
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
}
