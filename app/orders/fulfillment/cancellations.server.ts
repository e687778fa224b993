import { and, asc, eq, inArray, lt, sql } from "drizzle-orm";
import type { Db } from "#app/db/db.server.ts";
import { cancellations, type Order, orders, services } from "#app/db/schema.server.ts";
import { storeAnswer } from "#app/db/store-answer.server.ts";
import type { ProviderLink } from "#app/orders/providers/provider-link.server.ts";
import { type CancelOutcome, readCancel } from "#app/orders/providers/reading/cancel-answer.ts";
import { DECLINING_STATUSES, FINAL_STATUSES, isFinal, OPEN_STATUSES } from "#app/orders/rules/order-status.ts";
import { retryAfter } from "#app/orders/rules/retry-after.ts";
import { type CloseEnv, closeOrder } from "./close-order.server.ts";
import { isCancellationPending, isCancellationQueued } from "./indexed-conditions.server.ts";
import { runWhileAvailable } from "./run-while-available.server.ts";

export type CancellationRefusal = "order_not_found" | "not_cancelable";

const CANCELLATIONS_PER_RUN = 20;
/** A cancellation without a readable answer is sent so often, over more than a day. Then it is held. */
const MAX_ATTEMPTS = 34;
/** The delay after an error on our side, such as a failed write. */
const RETRY_FAILED_MS = 60_000;

type Owner = { userId: string; isTest: boolean };

/** Requests the cancellation of one order, as `requestCancellations` does. */
export async function requestCancellation(
  db: Db,
  env: CloseEnv,
  who: Owner,
  orderId: number,
): Promise<{ ok: true } | { ok: false; reason: CancellationRefusal }> {
  const reason = (await requestCancellations(db, env, who, [orderId])).get(orderId);
  return reason === undefined ? { ok: true } : { ok: false, reason };
}

/**
 * Requests the cancellation of open orders. An order that was not sent yet is canceled and refunded at once, which takes
 * eight statements; otherwise its provider or a person decides. Returns the refused ones and why. Repeating the request
 * changes nothing: a cancellation that was requested before is not refused, also after its order has ended.
 */
export async function requestCancellations(
  db: Db,
  env: CloseEnv,
  who: Owner,
  orderIds: number[],
): Promise<Map<number, CancellationRefusal>> {
  const found = await db
    .select({
      order: orders,
      cancel: services.cancel,
      requested: sql<(typeof cancellations.$inferSelect)["status"] | null>`${cancellations.status}`.as("requested"),
    })
    .from(orders)
    .innerJoin(services, eq(services.id, orders.serviceId))
    .leftJoin(cancellations, and(eq(cancellations.orderId, orders.id), eq(cancellations.userId, who.userId)))
    .where(areOwn(who, orderIds));
  const refused = new Map<number, CancellationRefusal>(orderIds.map((id) => [id, "order_not_found"]));
  const open: Order[] = [];
  for (const { order, cancel, requested } of found) {
    const isOpen = !isFinal(order.status);
    const isRequested = requested !== null && requested !== "Rejected";
    if (!isRequested && !(cancel && isOpen)) {
      refused.set(order.id, "not_cancelable");
      continue;
    }
    refused.delete(order.id);
    if (isOpen) open.push(order);
  }
  if (open.length === 0) return refused;
  await insertCancellations(db, who, open);
  const unsent = open.filter(({ fulfillment, resendUntil }) => fulfillment === "queued" && resendUntil === null);
  for (const order of unsent) {
    await closeOrder(db, env, order, {
      status: "Canceled",
      remains: order.quantity * order.runs,
      startCount: null,
      fulfillment: "rejected",
      onlyWhile: "queued",
    });
  }
  if (unsent.length > 0) await resolveCancellations(db);
  return refused;
}

async function insertCancellations(db: Db, who: Owner, open: Order[]): Promise<void> {
  const ids = open.map(({ id }) => id);
  const now = sql<number>`cast(${Date.now()} as integer)`;
  await db
    .insert(cancellations)
    .select(
      db
        .select({
          orderId: orders.id,
          userId: orders.userId,
          // A test order is simulated to its end, whatever is requested.
          status: sql<"Pending" | "Rejected">`iif(${orders.isTest}, 'Rejected', 'Pending')`.as("status"),
          providerId: orders.providerId,
          fulfillment: sql<
            "manual" | "queued"
          >`iif(${orders.isTest} or ${orders.providerId} is null, 'manual', 'queued')`.as("fulfillment"),
          leaseUntil: sql<number>`0`.as("lease_until"),
          attempts: sql<number>`0`.as("attempts"),
          createdAt: now.as("created_at"),
          updatedAt: now.as("updated_at"),
        })
        .from(orders)
        .where(areOwn(who, ids)),
    )
    .onConflictDoNothing();
}

/** Binds all ids as one parameter, because D1 allows 100. */
function areOwn({ userId, isTest }: Owner, orderIds: number[]) {
  const ids = sql`(select value from json_each(${JSON.stringify(orderIds)}))`;
  return and(eq(orders.userId, userId), eq(orders.isTest, isTest), inArray(orders.id, ids));
}

/**
 * Sends queued cancellations to their provider. Retries failures, because a repeated cancellation does no harm. Throws at
 * once if the database is unavailable.
 */
export async function sendCancellations(link: ProviderLink): Promise<void> {
  const now = Date.now();
  const queued = await link.db
    .select({
      orderId: cancellations.orderId,
      attempts: cancellations.attempts,
      providerOrderId: orders.providerOrderId,
    })
    .from(cancellations)
    .innerJoin(orders, eq(orders.id, cancellations.orderId))
    .where(
      and(
        isCancellationQueued,
        lt(cancellations.leaseUntil, now),
        eq(cancellations.providerId, link.id),
        eq(orders.fulfillment, "accepted"),
        inArray(orders.status, OPEN_STATUSES),
      ),
    )
    .orderBy(asc(cancellations.leaseUntil))
    .limit(CANCELLATIONS_PER_RUN);
  const failed: number[] = [];
  for (const cancellation of queued) {
    const { orderId } = cancellation;
    if (!link.takesCalls()) break;
    let responds = true;
    const about = { order: orderId, provider: link.id };
    const sent = await runWhileAvailable("cancellation not sent", about, async () => {
      responds = await sendCancellation(link, cancellation, now);
    });
    if (!sent) failed.push(orderId);
    // The next one would hang too, and the next round waits for them.
    if (!responds) break;
  }
  if (failed.length === 0) return;
  // Moves failing cancellations to the end of the queue, so that they do not block the others.
  await link.db
    .update(cancellations)
    .set({ leaseUntil: now + RETRY_FAILED_MS })
    .where(inArray(cancellations.orderId, failed));
}

/** Returns whether the provider responded. */
async function sendCancellation(
  link: ProviderLink,
  { orderId, attempts, providerOrderId }: { orderId: number; attempts: number; providerOrderId: string | null },
  now: number,
): Promise<boolean> {
  const id = providerOrderId ?? "";
  const { response, said } = await link.callAbout("cancel", id, (...read) => readCancel(...read, id));
  const outcome: CancelOutcome = said ?? { kind: "unknown", why: "it misses another parameter" };
  const store = link.db
    .update(cancellations)
    .set({
      fulfillment: stateAfter(outcome, attempts + 1),
      ...(outcome.kind === "rejected" && { status: "Rejected" as const }),
      attempts: attempts + 1,
      leaseUntil: isDecided(outcome) ? 0 : now + retryAfter(attempts),
      updatedAt: Date.now(),
    })
    .where(and(eq(cancellations.orderId, orderId), isCancellationPending));
  // A provider that has canceled an order rejects the next call.
  await storeAnswer(() => link.db.batch([store, link.logResponse(orderId, "cancel", response)]));
  await link.noteResponse(response, response.kind !== "json");
  return response.kind === "json";
}

function isDecided(outcome: CancelOutcome): outcome is CancelOutcome & { kind: "accepted" | "rejected" } {
  return outcome.kind === "accepted" || outcome.kind === "rejected";
}

function stateAfter(outcome: CancelOutcome, attempts: number) {
  if (isDecided(outcome)) return outcome.kind;
  return attempts >= MAX_ATTEMPTS ? "held" : "queued";
}

/** Resolves pending cancellations from their orders' final statuses. Those still queued leave the queue. */
export async function resolveCancellations(db: Db): Promise<void> {
  const orderStatus = db.select({ status: orders.status }).from(orders).where(eq(orders.id, cancellations.orderId));
  const isDeclined = inArray(sql`(${orderStatus})`, DECLINING_STATUSES);
  const sent = sql`iif(${isDeclined}, 'rejected', 'accepted')`;
  await db
    .update(cancellations)
    .set({
      status: sql`iif(${isDeclined}, 'Rejected', 'Accepted')`,
      fulfillment: sql`iif(${isCancellationQueued}, ${sent}, ${cancellations.fulfillment})`,
      updatedAt: Date.now(),
    })
    .where(and(isCancellationPending, inArray(sql`(${orderStatus})`, FINAL_STATUSES)));
}
