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

/** For all providers together. D1 allows 1,000 queries per invocation (paid plan), and an order takes about six. */
const SUBMISSIONS_PER_RUN = 120;
/** Below the six connections that a worker can hold open. */
const CONCURRENT_SUBMISSIONS = 4;

/** Runs once a minute: holds lost submissions, submits orders, polls statuses, sends refills and cancellations. */
export async function runFulfillment(db: Db, env: FulfillmentEnv, limit = SUBMISSIONS_PER_RUN): Promise<void> {
  await runStep("hold lost submissions", () => holdLostSubmissions(db));
  await runStep("hold lost refills", () => holdLostRefills(db));
  const providers = await readyProviders(db);
  let left = limit;
  for (const [index, provider] of providers.entries()) {
    const share = Math.ceil(left / (providers.length - index));
    left -= share;
    try {
      // Unused submissions pass to the next provider. If a provider fails, the number it used is unknown.
      left += share - (await runAtProvider(db, env, provider, share));
    } catch (error) {
      // A misconfigured provider must not block the others.
      logError("provider failed", error, { provider: provider.id });
    }
  }
  await runStep("resolve cancellations", () => resolveCancellations(db));
}

/** Runs one step and logs its error, so that the next step runs anyway. */
async function runStep(step: string, work: () => Promise<unknown>, providerId?: number): Promise<void> {
  await runLogged("fulfillment step failed", { step, provider: providerId }, work);
}

/** Submits up to `limit` queued orders and returns how many. Throws if the provider's URL or key cannot be used. */
async function runAtProvider(db: Db, env: FulfillmentEnv, provider: Provider, limit: number): Promise<number> {
  // Checks before claiming any order: an order that was claimed but not sent would be held.
  await connectionTo(env, provider);
  const queued = await db
    .select({ id: orders.id })
    .from(orders)
    .where(and(eq(orders.fulfillment, "queued"), eq(orders.providerId, provider.id)))
    .orderBy(asc(orders.id))
    .limit(limit);
  await submitEach(db, env, queued);
  await runStep("send cancellations", () => sendCancellations(db, env, provider), provider.id);
  await runStep("sync statuses", () => syncStatuses(db, env, provider), provider.id);
  await runStep("send refills", () => sendRefills(db, env, provider), provider.id);
  await runStep("sync refills", () => syncRefills(db, env, provider), provider.id);
  return queued.length;
}

/** Stops at the first unknown outcome, because every order sent to a provider that is down would be held. */
async function submitEach(db: Db, env: FulfillmentEnv, queued: { id: number }[]): Promise<void> {
  const queue = queued.values();
  let responds = true;
  const submitNext = async () => {
    for (const { id } of queue) {
      if (!responds) return;
      // An order that was claimed before the error is held when its lease ends.
      await runLogged("order not submitted", { order: id }, async () => {
        if ((await submitOrder(db, env, id)) === "unknown") responds = false;
      });
    }
  };
  await Promise.all(Array.from({ length: CONCURRENT_SUBMISSIONS }, submitNext));
}
