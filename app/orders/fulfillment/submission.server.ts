import { and, asc, eq, inArray, lt, lte, sql } from "drizzle-orm";
import { type Db, violates } from "#app/db/db.server.ts";
import { type Order, orders } from "#app/db/schema.server.ts";
import { log, runLogged } from "#app/http/log.ts";
import {
  connectionTo,
  countFailure,
  endPause,
  type FulfillmentEnv,
  logProviderResponse,
  type Provider,
  pauseProvider,
  takesOrders,
} from "#app/orders/providers/provider-calls.server.ts";
import { postToProvider } from "#app/orders/providers/provider-client.server.ts";
import { type AddOutcome, type ProviderResponse, readAddResponse } from "#app/orders/providers/provider-responses.ts";
import { closeOrder } from "./close-order.server.ts";
import { CONCURRENT_CALLS } from "./concurrent-calls.ts";
import { isQueued, isSubmitting } from "./indexed-conditions.server.ts";
import { retryAfter } from "./retry-after.ts";

/** Longer than a call may take. If it ends while submitting, the outcome is unknown. */
export const LEASE_MS = 60_000;

const STORE_ATTEMPTS = 4;
const STORE_RETRY_MS = 200;

/**
 * Submits the queued orders of a provider that are due, at most `CONCURRENT_CALLS` of them. Claims them right before
 * their calls, so that each is sent at most once and few are cut off if this is killed. Throws before the claim if the
 * provider's URL or key cannot be used.
 */
export async function submitNext(
  db: Db,
  env: FulfillmentEnv,
  provider: Provider,
): Promise<"more" | "empty" | "back off"> {
  if (!takesOrders(provider)) return "empty";
  const connection = await connectionTo(env, provider);
  const claimed = await claimNext(db, provider);
  const outcomes = await Promise.all(
    claimed.map(async (order) => {
      const response = await postToProvider(connection, addParams(order));
      const outcome = readAddResponse(response);
      // An order whose outcome can't be stored is held when its lease ends.
      await runLogged("order outcome not stored", { order: order.id, outcome: outcome.kind }, () =>
        retried(() => applyOutcome(db, env, provider, order, outcome, response)),
      );
      await countFailure(db, provider, outcome.kind === "unknown");
      return outcome.kind;
    }),
  );
  // An unknown outcome may be the first of an outage, and every order sent in one would be held.
  if (outcomes.some((kind) => kind === "unknown" || kind === "deferred")) return "back off";
  return claimed.length === CONCURRENT_CALLS ? "more" : "empty";
}

function claimNext(db: Db, provider: Provider): Promise<Order[]> {
  const now = Date.now();
  const next = db
    .select({ id: orders.id })
    .from(orders)
    .where(and(isQueued, eq(orders.providerId, provider.id), lte(orders.leaseUntil, now)))
    .orderBy(asc(orders.leaseUntil), asc(orders.id))
    .limit(CONCURRENT_CALLS);
  return db
    .update(orders)
    .set({ fulfillment: "submitting", leaseUntil: now + LEASE_MS, attempts: sql`${orders.attempts} + 1` })
    .where(and(inArray(orders.id, next), isQueued))
    .returning();
}

/** Repeats a write that fails. The provider has the order, and only this call knows its id. */
async function retried(work: () => Promise<unknown>): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await work();
      return;
    } catch (error) {
      if (attempt === STORE_ATTEMPTS) throw error;
      await scheduler.wait(STORE_RETRY_MS * 2 ** attempt);
    }
  }
}

async function applyOutcome(
  db: Db,
  env: FulfillmentEnv,
  provider: Provider,
  order: Order,
  outcome: AddOutcome,
  response: ProviderResponse,
): Promise<void> {
  const now = Date.now();
  const logged = logProviderResponse(db, provider, order.id, "add", response);
  const move = (to: Partial<Order>) =>
    db.batch([
      db
        .update(orders)
        .set({ leaseUntil: 0, updatedAt: now, ...to })
        .where(and(eq(orders.id, order.id), eq(orders.fulfillment, "submitting"))),
      logged,
    ]);
  const hold = async (why: string) => {
    await move({ fulfillment: "held" });
    log("warn", "order held: unknown submission outcome", { order: order.id, why });
  };
  switch (outcome.kind) {
    case "accepted":
      try {
        await move({ fulfillment: "accepted", providerOrderId: outcome.providerOrderId });
      } catch (error) {
        // Two orders with one provider id would both close when it does.
        if (!violates(error, "orders.provider_order_id")) throw error;
        await hold(`another order has the provider's id ${outcome.providerOrderId}`);
      }
      if (provider.pausedFor !== null) await endPause(db, provider);
      return;
    case "rejected":
      await closeOrder(
        db,
        env,
        order,
        { status: "Canceled", remains: order.quantity * order.runs, startCount: null, fulfillment: "rejected" },
        [logged],
      );
      return;
    case "deferred":
      await move({ fulfillment: "queued", leaseUntil: now + retryAfter(order.attempts - 1) });
      if (outcome.cause !== "busy") await pauseProvider(db, provider, outcome.cause, outcome.error);
      return;
    case "unknown":
      await hold(outcome.why);
      return;
    default:
      outcome satisfies never;
  }
}

/**
 * Holds orders whose submission was cut off. Without a lookup by our reference they can be neither resent nor refunded.
 */
export async function holdLostSubmissions(db: Db): Promise<void> {
  const lost = await db
    .update(orders)
    .set({ fulfillment: "held", leaseUntil: 0, updatedAt: Date.now() })
    .where(and(isSubmitting, lt(orders.leaseUntil, Date.now())))
    .returning({ id: orders.id });
  for (const { id } of lost) log("warn", "order held: submission cut off", { order: id });
}

function addParams(order: Order): Record<string, string> {
  const drip: Record<string, string> =
    order.runs > 1 ? { runs: String(order.runs), interval: String(order.intervalMinutes) } : {};
  const providerFields = Object.fromEntries(
    Object.entries(order.providerFields).map(([name, value]) => [name, String(value)]),
  );
  return {
    action: "add",
    service: order.providerServiceId ?? "",
    link: order.link,
    quantity: String(order.quantity),
    ...drip,
    ...providerFields,
  };
}
