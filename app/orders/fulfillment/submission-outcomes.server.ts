import { and, eq, inArray, isNotNull, isNull, or, sql } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import { type Db, violates } from "#app/db/db.server.ts";
import { type Order, orders } from "#app/db/schema.server.ts";
import { heldBy, historyAfter } from "#app/db/steps/order-steps.server.ts";
import { storeAnswer } from "#app/db/store-answer.server.ts";
import { log } from "#app/http/log.ts";
import { noteRefusal } from "#app/orders/providers/dialect.server.ts";
import { costByRate } from "#app/orders/providers/order-cost.ts";
import type { ProviderLink } from "#app/orders/providers/provider-link.server.ts";
import type { AddOutcome } from "#app/orders/providers/reading/add-answer.ts";
import { isRecord } from "#app/orders/providers/reading/members.ts";
import type { ProviderResponse } from "#app/orders/providers/reading/response.ts";
import { OPEN_STATUSES } from "#app/orders/rules/order-status.ts";
import { retryAfter } from "#app/orders/rules/retry-after.ts";
import { closeOrder } from "./close-order.server.ts";
import { type Deferral, deferralOf, isLastDeferral } from "./deferrals.ts";
import { type ClaimedOrder, holdSubmission, isFirstWithKey, isSubmittingNow } from "./submission-claims.server.ts";

/** Stores what a provider made of an order. */
export function storeOutcome(
  link: ProviderLink,
  order: ClaimedOrder,
  outcome: AddOutcome,
  response: ProviderResponse,
): Promise<void> {
  return storeAnswer(() => applyOutcome(link, order, outcome, response));
}

function applyOutcome(
  link: ProviderLink,
  order: ClaimedOrder,
  outcome: AddOutcome,
  response: ProviderResponse,
): Promise<void> {
  switch (outcome.kind) {
    case "accepted":
      return accept(link, order, outcome.providerOrderId, response);
    case "rejected":
      return reject(link, order, response);
    case "deferred":
      return defer(link, order, outcome, response);
    case "unknown":
      return holdUnknown(link, order, outcome.why, response);
    default:
      return outcome satisfies never;
  }
}

async function accept(
  link: ProviderLink,
  order: ClaimedOrder,
  providerOrderId: string,
  response: ProviderResponse,
): Promise<void> {
  const { db } = link;
  const logged = link.logResponse(order.id, "add", response);
  try {
    const update = acceptSubmission(db, order, providerOrderId);
    const [accepted] = saysOnlyId(response) ? [await update] : await db.batch([update, logged]);
    if (accepted.length === 0) await reportLateId(db, order, providerOrderId, logged);
  } catch (error) {
    // Two orders with one provider id would both close when it does.
    if (!violates(error, "orders.provider_order_id")) throw error;
    await holdSubmission(db, order, "id_taken", `another order has the provider's id ${providerOrderId}`, [logged]);
  }
  await link.endPause();
}

async function reject(link: ProviderLink, order: ClaimedOrder, response: ProviderResponse): Promise<void> {
  const logged = link.logResponse(order.id, "add", response);
  const remains = order.quantity * order.runs;
  const to = { status: "Canceled", remains, startCount: null, fulfillment: "rejected" } as const;
  // A person may have found the order at the provider meanwhile, and it would be refunded though it is delivered.
  const isClosed = await closeOrder(link.db, link.env, order, { ...to, onlyIf: isUndecided(order) }, [logged]);
  if (!isClosed) await logged;
}

async function defer(
  link: ProviderLink,
  order: ClaimedOrder,
  outcome: AddOutcome & { kind: "deferred" },
  response: ProviderResponse,
): Promise<void> {
  const now = Date.now();
  const logged = link.logResponse(order.id, "add", response);
  const deferral = deferralOf(order, outcome, now);
  if (order.resendUntil !== null && !isFirstWithKey(order)) {
    await queueUnderKey(link.db, order, nextAttemptAt(order, now), logged);
  } else if (isLastDeferral(deferral, order, now)) {
    await holdSubmission(link.db, order, "refused_too_long", deferral.deferredFor, [logged], deferral);
  } else {
    await link.db.batch([queueAgain(link.db, order, deferral, now), logged]);
  }
  if (outcome.cause === "key" || outcome.cause === "funds") await link.pauseOrders(outcome.cause);
}

async function holdUnknown(
  link: ProviderLink,
  order: ClaimedOrder,
  why: string,
  response: ProviderResponse,
): Promise<void> {
  const logged = link.logResponse(order.id, "add", response);
  if (link.settings.honorsIdempotencyKeys && response.kind !== "json") {
    await queueUnderKey(link.db, order, nextAttemptAt(order, Date.now()), logged);
    return;
  }
  const unread = noteRefusal(link.db, link.id, order.id, response, link.reader);
  await holdSubmission(link.db, order, "unclear_answer", why, [logged, ...unread]);
}

function nextAttemptAt({ attempts }: Order, now: number): number {
  return now + retryAfter(attempts - 1);
}

function queueAgain(db: Db, order: Order, deferral: Deferral, now: number) {
  const history = sql`iif(${orders.fulfillment} = 'held', ${historyAfter({ fulfillment: "queued" }, now)}, ${orders.history})`;
  const queue = {
    fulfillment: "queued",
    heldFor: null,
    history,
    leaseUntil: nextAttemptAt(order, now),
    resendUntil: null,
    ...deferral,
    updatedAt: now,
  } as const;
  // A person may have closed the order while it was held.
  return db
    .update(orders)
    .set(queue)
    .where(and(isUndecided(order), inArray(orders.status, OPEN_STATUSES)));
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

/** Returns whether the response says nothing that the order's row doesn't: logging it costs two rows per order. */
function saysOnlyId(response: ProviderResponse): boolean {
  return response.kind === "json" && isRecord(response.body) && Object.keys(response.body).join() === "order";
}
