import { and, asc, eq, inArray, isNotNull, lt, lte, sql } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import { type Db, violates } from "#app/db/db.server.ts";
import { type Order, orders, providers } from "#app/db/schema.server.ts";
import { log, runLogged } from "#app/http/log.ts";
import {
  connectionTo,
  endPause,
  type FulfillmentEnv,
  logProviderResponse,
  noteResponse,
  type Provider,
  pauseProvider,
  takesOrders,
} from "#app/orders/providers/provider-calls.server.ts";
import { postToProvider } from "#app/orders/providers/provider-client.server.ts";
import { ProviderPace } from "#app/orders/providers/provider-pace.ts";
import {
  type AddOutcome,
  isRecord,
  type ProviderResponse,
  readAddResponse,
} from "#app/orders/providers/provider-responses.ts";
import { closeOrder } from "./close-order.server.ts";
import { isQueued, isSubmitting } from "./indexed-conditions.server.ts";
import { retryAfter } from "./retry-after.ts";

/** Longer than a call may take. If it ends while submitting, the outcome is unknown. */
export const LEASE_MS = 60_000;

/** A little less than the 24 hours for which a provider honors a key. */
const KEY_HONORED_MS = 23 * 60 * 60_000;

const STORE_ATTEMPTS = 4;
const STORE_RETRY_MS = 200;
/** No order is sent for this long after one that the provider did not take. */
const BACK_OFF_MS = 10_000;
/** Each unknown outcome holds an order. After this many in a row, the back-off doubles, up to ten minutes. */
const UNKNOWN_IN_A_ROW = 5;
const MAX_BACK_OFF_MS = 10 * 60_000;

/** How sending to a provider goes. It is kept in memory only. */
export type Sending = {
  /** No order is sent before this. Ms since 1970. */
  from: number;
  /** Unknown outcomes in a row. While there is one, orders are sent one at a time. */
  unknown: number;
  /** An order was accepted since this was last set to false. */
  hasAccepted: boolean;
};

export function newSending(): Sending {
  return { from: 0, unknown: 0, hasAccepted: false };
}

/** Submits the queued orders of a provider that are due, until none is left or the provider takes none. */
export async function submitQueued(db: Db, env: FulfillmentEnv, provider: Provider, sending: Sending): Promise<void> {
  await startSubmission(db, env, provider, sending, Number.POSITIVE_INFINITY).end();
}

export type Submission = {
  /** Sends what was queued meanwhile, until the time `until`. */
  more(until?: number): void;
  /** Resolves once no call is in flight. Throws the first error. */
  end(): Promise<void>;
};

/**
 * Starts to submit the queued orders of a provider that are due, at its pace. Claims each order right before its call, so
 * that it is sent at most once and few are cut off if this is killed. No call waits for another one's outcome. Fails
 * before the first claim if the provider's URL or key cannot be used.
 */
export function startSubmission(
  db: Db,
  env: FulfillmentEnv,
  provider: Provider,
  sending: Sending,
  until: number,
): Submission {
  const pace = provider.pace ?? new ProviderPace(provider);
  const senders = new Set<Promise<void>>();
  const errors: unknown[] = [];
  let endsAt = until;
  let isEmpty = false;
  let isClosed = false;
  let connection: Connection | undefined;
  const maySend = () => {
    const now = Date.now();
    return !isEmpty && errors.length === 0 && now < endsAt && now >= sending.from && takesOrders(provider);
  };
  const sendNext = async (): Promise<void> => {
    await pace.enter();
    let made = false;
    try {
      if (!maySend()) return;
      connection ??= await connectionTo(env, provider);
      const order = await claimNext(db, provider);
      if (!order) {
        isEmpty = true;
        return;
      }
      if (!mayBeSent(provider, order)) {
        await hold(db, order, "the provider may have it, and its idempotency key no longer holds");
        return;
      }
      made = true;
      // An outage would hold every order that is sent while one has an unknown outcome.
      if (sending.unknown === 0) startSender();
      await submit(db, env, provider, connection, order, sending);
    } catch (error) {
      errors.push(error);
    } finally {
      pace.leave({ made });
    }
  };
  const startSender = () => {
    if (senders.size >= provider.concurrentCalls) return;
    const sender = (async () => {
      while (maySend()) await sendNext();
    })().finally(() => senders.delete(sender));
    senders.add(sender);
  };
  startSender();
  return {
    more(newUntil = endsAt) {
      if (isClosed) return;
      endsAt = newUntil;
      isEmpty = false;
      if (sending.unknown === 0 || senders.size === 0) startSender();
    },
    async end() {
      while (senders.size > 0) await Promise.race(senders);
      isClosed = true;
      if (errors.length > 0) throw errors[0];
    },
  };
}

type Connection = Awaited<ReturnType<typeof connectionTo>>;

async function submit(
  db: Db,
  env: FulfillmentEnv,
  provider: Provider,
  connection: Connection,
  order: Order,
  sending: Sending,
): Promise<void> {
  const response = await postToProvider(connection, addParams(provider, order));
  const outcome = readAddResponse(response);
  // An order whose outcome can't be stored is held when its lease ends.
  await runLogged("order outcome not stored", { order: order.id, outcome: outcome.kind }, () =>
    retried(() => applyOutcome(db, env, provider, order, outcome, response)),
  );
  await noteResponse(db, provider, response, outcome.kind === "unknown");
  sending.hasAccepted ||= outcome.kind === "accepted";
  sending.unknown = outcome.kind === "unknown" ? sending.unknown + 1 : 0;
  if (outcome.kind === "unknown" || outcome.kind === "deferred") {
    const doublings = Math.max(0, sending.unknown - UNKNOWN_IN_A_ROW);
    sending.from = Date.now() + Math.min(MAX_BACK_OFF_MS, BACK_OFF_MS * 2 ** doublings);
  }
}

/** Claims the order that has been due for longest, or returns undefined. */
async function claimNext(db: Db, provider: Provider): Promise<Order | undefined> {
  const now = Date.now();
  const next = db
    .select({ id: orders.id })
    .from(orders)
    .where(and(isQueued, eq(orders.providerId, provider.id), lte(orders.leaseUntil, now)))
    .orderBy(asc(orders.leaseUntil), asc(orders.id))
    .limit(1);
  const [claimed] = await db
    .update(orders)
    .set({
      fulfillment: "submitting",
      leaseUntil: now + LEASE_MS,
      attempts: sql`${orders.attempts} + 1`,
      // Noted before the call: if it is cut off, the row must tell whether the call carried a key.
      ...(provider.honorsIdempotencyKeys && {
        resendUntil: sql`coalesce(${orders.resendUntil}, cast(${now + KEY_HONORED_MS} as integer))`,
      }),
    })
    .where(and(inArray(orders.id, next), isQueued, isUnchanged(provider)))
    .returning();
  return claimed;
}

/** The provider's settings are still those that a call would use. Staff may change them during a round. */
function isUnchanged({ id, apiUrl, encryptedKey }: Provider) {
  return sql`exists (select 1 from ${providers}
    where ${providers.id} = ${id} and ${providers.enabled} and ${providers.apiUrl} = ${apiUrl} and ${providers.encryptedKey} = ${encryptedKey})`;
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
  const update = (to: Partial<Order>) =>
    db
      .update(orders)
      .set({ leaseUntil: 0, updatedAt: now, ...to })
      .where(and(eq(orders.id, order.id), eq(orders.fulfillment, "submitting")));
  const move = (to: Partial<Order>) => db.batch([update(to), logged]);
  switch (outcome.kind) {
    case "accepted":
      try {
        const accepted = { fulfillment: "accepted" as const, providerOrderId: outcome.providerOrderId };
        await (saysOnlyId(response) ? update(accepted) : move(accepted));
      } catch (error) {
        // Two orders with one provider id would both close when it does.
        if (!violates(error, "orders.provider_order_id")) throw error;
        await hold(db, order, `another order has the provider's id ${outcome.providerOrderId}`, [logged]);
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
      await move({
        fulfillment: "queued",
        leaseUntil: now + retryAfter(order.attempts - 1),
        resendUntil: isFirstWithKey(order) ? null : order.resendUntil,
      });
      if (outcome.cause !== "busy") await pauseProvider(db, provider, outcome.cause, outcome.error);
      return;
    case "unknown":
      if (provider.honorsIdempotencyKeys && response.kind === "no_response") {
        await move({ fulfillment: "queued", leaseUntil: now + retryAfter(order.attempts - 1) });
      } else {
        await hold(db, order, outcome.why, [logged]);
      }
      return;
    default:
      outcome satisfies never;
  }
}

async function hold(db: Db, order: Order, why: string, also: BatchItem<"sqlite">[] = []): Promise<void> {
  await db.batch([
    db
      .update(orders)
      .set({ fulfillment: "held", leaseUntil: 0, updatedAt: Date.now() })
      .where(and(eq(orders.id, order.id), eq(orders.fulfillment, "submitting"))),
    ...also,
  ]);
  log("warn", "order held: unknown submission outcome", { order: order.id, why });
}

/** Returns whether this call is the order's first with a key, so that no earlier one was cut off. */
function isFirstWithKey({ leaseUntil, resendUntil }: Order): boolean {
  return resendUntil === leaseUntil - LEASE_MS + KEY_HONORED_MS;
}

/**
 * Returns whether sending the claimed order can't deliver it twice: no call was cut off, or its key is still honored for
 * the same fields. Those of a deleted account are empty, and so is their digest.
 */
function mayBeSent({ honorsIdempotencyKeys }: Provider, order: Order): boolean {
  if (order.resendUntil === null || isFirstWithKey(order)) return true;
  return honorsIdempotencyKeys && Date.now() < order.resendUntil && order.requestDigest !== "";
}

/**
 * Holds orders whose submission was cut off. Without a lookup by our reference they can be neither resent nor refunded.
 * Those whose call carried an idempotency key are queued again.
 */
export async function holdLostSubmissions(db: Db): Promise<void> {
  await db
    .update(orders)
    .set({ fulfillment: "queued", leaseUntil: 0, updatedAt: Date.now() })
    .where(and(isSubmitting, lt(orders.leaseUntil, Date.now()), isNotNull(orders.resendUntil)));
  const lost = await db
    .update(orders)
    .set({ fulfillment: "held", leaseUntil: 0, updatedAt: Date.now() })
    .where(and(isSubmitting, lt(orders.leaseUntil, Date.now())))
    .returning({ id: orders.id });
  for (const { id } of lost) log("warn", "order held: submission cut off", { order: id });
}

/** Returns whether the response says nothing that the order's row doesn't: logging it costs two rows per order. */
function saysOnlyId(response: ProviderResponse): boolean {
  return response.kind === "json" && isRecord(response.body) && Object.keys(response.body).join() === "order";
}

function addParams({ honorsIdempotencyKeys }: Provider, order: Order): Record<string, string> {
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
    // The time tells apart the orders of two databases, such as a restored one.
    ...(honorsIdempotencyKeys && { request_id: `growline-${order.id}-${order.createdAt}` }),
  };
}
