import { and, eq, inArray, isNotNull, isNull, or, sql } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import { type Db, violates } from "#app/db/db.server.ts";
import { type HoldReason, type Order, orders } from "#app/db/schema.server.ts";
import { heldBy, historyAfter } from "#app/db/steps/order-steps.server.ts";
import { storeAnswer } from "#app/db/store-answer.server.ts";
import { log } from "#app/http/log.ts";
import { noteUnread, readerOf, refusalText } from "#app/orders/providers/dialect.server.ts";
import { costByRate } from "#app/orders/providers/order-cost.ts";
import {
  endPause,
  type FulfillmentEnv,
  logProviderResponse,
  type Provider,
  pauseProvider,
} from "#app/orders/providers/provider-calls.server.ts";
import type { AddOutcome } from "#app/orders/providers/reading/add-answer.ts";
import { isRecord } from "#app/orders/providers/reading/members.ts";
import type { ProviderResponse } from "#app/orders/providers/reading/response.ts";
import { OPEN_STATUSES } from "#app/orders/rules/order-status.ts";
import { retryAfter } from "#app/orders/rules/retry-after.ts";
import { closeOrder } from "./close-order.server.ts";
import { type Deferral, deferralOf, isLastDeferral } from "./deferrals.ts";
import { type ClaimedOrder, isFirstWithKey } from "./submission-claims.server.ts";

/** Stores what a provider made of an order. */
export function storeOutcome(...outcome: Parameters<typeof applyOutcome>): Promise<void> {
  return storeAnswer(() => applyOutcome(...outcome));
}

async function applyOutcome(
  db: Db,
  env: FulfillmentEnv,
  provider: Provider,
  order: ClaimedOrder,
  outcome: AddOutcome,
  response: ProviderResponse,
): Promise<void> {
  const now = Date.now();
  const logged = logProviderResponse(db, provider, order.id, "add", response);
  const leaseUntil = now + retryAfter(order.attempts - 1);
  switch (outcome.kind) {
    case "accepted":
      try {
        const accept = acceptSubmission(db, order, outcome.providerOrderId);
        const [accepted] = saysOnlyId(response) ? [await accept] : await db.batch([accept, logged]);
        if (accepted.length === 0) await reportLateId(db, order, outcome.providerOrderId, logged);
      } catch (error) {
        // Two orders with one provider id would both close when it does.
        if (!violates(error, "orders.provider_order_id")) throw error;
        const why = `another order has the provider's id ${outcome.providerOrderId}`;
        await holdSubmission(db, order, "id_taken", why, [logged]);
      }
      if (provider.pausedFor !== null) await endPause(db, provider);
      return;
    case "rejected": {
      const remains = order.quantity * order.runs;
      const to = { status: "Canceled", remains, startCount: null, fulfillment: "rejected" } as const;
      // A person may have found the order at the provider meanwhile, and it would be refunded though it is delivered.
      const isClosed = await closeOrder(db, env, order, { ...to, onlyIf: isUndecided(order) }, [logged]);
      if (!isClosed) await logged;
      return;
    }
    case "deferred": {
      const deferral = deferralOf(order, outcome, now);
      if (order.resendUntil !== null && !isFirstWithKey(order)) {
        await queueUnderKey(db, order, leaseUntil, logged);
      } else if (isLastDeferral(deferral, order, now)) {
        await holdSubmission(db, order, "refused_too_long", deferral.deferredFor, [logged], deferral);
      } else {
        const history = sql`iif(${orders.fulfillment} = 'held', ${historyAfter({ fulfillment: "queued" }, now)}, ${orders.history})`;
        const queue = {
          fulfillment: "queued",
          heldFor: null,
          history,
          leaseUntil,
          resendUntil: null,
          ...deferral,
          updatedAt: now,
        } as const;
        // A person may have closed the order while it was held.
        const mayQueue = and(isUndecided(order), inArray(orders.status, OPEN_STATUSES));
        await db.batch([db.update(orders).set(queue).where(mayQueue), logged]);
      }
      if (outcome.cause === "key" || outcome.cause === "funds") await pauseProvider(db, provider, outcome.cause);
      return;
    }
    case "unknown":
      if (provider.honorsIdempotencyKeys && response.kind !== "json") {
        await queueUnderKey(db, order, leaseUntil, logged);
      } else {
        const text = refusalText(response, readerOf(provider));
        const unread =
          text === null ? [] : [noteUnread(db, provider.id, { kind: "error", word: text, orderId: order.id })];
        await holdSubmission(db, order, "unclear_answer", outcome.why, [logged, ...unread]);
      }
      return;
    default:
      outcome satisfies never;
  }
}

/** Matches the order while this call is its last one. A person may have had it sent again. */
function isSubmittingNow({ id, attempts }: Order) {
  return and(eq(orders.id, id), eq(orders.attempts, attempts), eq(orders.fulfillment, "submitting"));
}

/** Also matches the order if the outcome took so long that it was held as cut off, until a person has decided. */
function isUndecided(order: Order) {
  const { id, attempts } = order;
  const isLast = and(eq(orders.id, id), eq(orders.attempts, attempts));
  const isHeldSince = and(isLast, eq(orders.fulfillment, "held"), isNull(orders.providerOrderId));
  return or(isSubmittingNow(order), isHeldSince);
}

function acceptSubmission(db: Db, order: ClaimedOrder, providerOrderId: string) {
  const now = Date.now();
  const cost = costByRate(order, order.providerRate ?? null);
  return db
    .update(orders)
    .set({
      fulfillment: "accepted",
      heldFor: null,
      history: historyAfter({ fulfillment: "accepted" }, now),
      providerOrderId,
      ...cost,
      leaseUntil: 0,
      updatedAt: now,
    })
    .where(isUndecided(order))
    .returning({ id: orders.id });
}

/**
 * Reports an id that came after a person's decision: if they had the order sent again, it is delivered twice. An earlier
 * attempt may have stored the id although its response was lost.
 */
async function reportLateId(db: Db, order: Order, providerOrderId: string, logged: Promise<unknown>): Promise<void> {
  const [stored] = await db.select({ id: orders.providerOrderId }).from(orders).where(eq(orders.id, order.id));
  if (stored?.id === providerOrderId) return;
  await logged;
  log("warn", "the provider's id came after a person's decision", { order: order.id, providerOrderId });
}

/**
 * Queues an order again that the provider may have, for another call with its key. Holds it if staff changed the provider
 * during the call, which clears `resendUntil`: the new settings don't know the key.
 */
async function queueUnderKey(db: Db, order: Order, leaseUntil: number, logged: BatchItem<"sqlite">): Promise<void> {
  const updatedAt = Date.now();
  const [, held] = await db.batch([
    db
      .update(orders)
      .set({ fulfillment: "queued", leaseUntil, updatedAt })
      .where(and(isSubmittingNow(order), isNotNull(orders.resendUntil))),
    db
      .update(orders)
      .set({ ...heldBy("provider_changed", updatedAt), leaseUntil: 0 })
      .where(isSubmittingNow(order))
      .returning({ id: orders.id }),
    logged,
  ]);
  for (const { id } of held) log("warn", "order held: its provider changed during the call", { order: id });
}

/** Holds an order that is being submitted. `also` and `changes` are stored with it. */
export async function holdSubmission(
  db: Db,
  order: Order,
  heldFor: HoldReason,
  why: string,
  also: BatchItem<"sqlite">[] = [],
  changes: Partial<Deferral> = {},
): Promise<void> {
  await db.batch([
    db
      .update(orders)
      .set({ ...changes, ...heldBy(heldFor, Date.now()), leaseUntil: 0 })
      .where(isSubmittingNow(order)),
    ...also,
  ]);
  log("warn", "order held: unknown submission outcome", { order: order.id, why });
}

/** Returns whether the response says nothing that the order's row doesn't: logging it costs two rows per order. */
function saysOnlyId(response: ProviderResponse): boolean {
  return response.kind === "json" && isRecord(response.body) && Object.keys(response.body).join() === "order";
}
