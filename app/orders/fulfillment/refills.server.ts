import { and, asc, eq, getTableColumns, gt, inArray, isNull, lt, lte, or, sql } from "drizzle-orm";
import { type Db, violates } from "#app/db/db.server.ts";
import { orders, refills, services } from "#app/db/schema.server.ts";
import { storeAnswer } from "#app/db/store-answer.server.ts";
import { runLogged } from "#app/http/log.ts";
import { refillState } from "#app/orders/delivery/refill-terms.ts";
import { asOf } from "#app/orders/delivery/test-orders.ts";
import type { ProviderLink } from "#app/orders/providers/provider-link.server.ts";
import { type RefillOutcome, readRefill } from "#app/orders/providers/reading/refill-answer.ts";
import { isDelivered, OPEN_REFILL_STATUSES } from "#app/orders/rules/order-status.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "#app/time.ts";
import { isRefillQueued, isRefillSubmitting } from "./indexed-conditions.server.ts";
import { runWhileAvailable } from "./run-while-available.server.ts";
import { claimTime, LEASE_MS } from "./submission-claims.server.ts";

export type Refill = typeof refills.$inferSelect;
export type RefillRefusal = "order_not_found" | "not_refillable" | "refill_expired" | "refill_open";
export type RefillResult = { ok: true; refillId: number } | { ok: false; reason: RefillRefusal };

const REFILLS_PER_RUN = 20;
/** How long a request for a refill of the same order is taken for a repetition: the first response may have been lost. */
const REPEATED_MS = 10 * MINUTE_MS;
/** A refill that the provider may take later is sent again after this first, and less often as it gets older. */
const DEFERRED_MS = 60_000;
const MAX_DEFERRED_MS = HOUR_MS;
/** A refill that the provider has put off for this long is held. */
const LAST_DEFERRAL_MS = 3 * DAY_MS;

const STATE_AFTER = {
  accepted: "accepted",
  rejected: "rejected",
  deferred: "queued",
  // A repeated refill may be delivered twice, so a person decides.
  unknown: "held",
} as const;

/**
 * Requests a refill of an order until its deadline. An order has one open refill at a time: within ten minutes, another
 * request returns it.
 */
export async function requestRefill(
  db: Db,
  who: { userId: string; isTest: boolean },
  orderId: number,
): Promise<RefillResult> {
  const [found] = await db
    .select({ order: orders, refill: services.refill })
    .from(orders)
    .innerJoin(services, eq(services.id, orders.serviceId))
    .where(and(eq(orders.id, orderId), eq(orders.userId, who.userId), eq(orders.isTest, who.isTest)))
    .limit(1);
  if (!found) return { ok: false, reason: "order_not_found" };
  const { order, refill } = found;
  const now = Date.now();
  const { refillUntil } = asOf(order, now);
  const state = refillState({ refill, refillDays: order.refillDays, refillUntil }, now);
  const delivered = who.isTest || isDelivered(order.status);
  if (state === "none" || !delivered) return { ok: false, reason: "not_refillable" };
  if (state === "expired") return { ok: false, reason: "refill_expired" };
  try {
    const [refill] = await db
      .insert(refills)
      .values({
        orderId,
        userId: who.userId,
        providerId: order.providerId,
        fulfillment: order.providerOrderId === null ? "manual" : "queued",
        createdAt: now,
        updatedAt: now,
      })
      .returning({ id: refills.id });
    if (!refill) throw new Error("insert returned no refill");
    return { ok: true, refillId: refill.id };
  } catch (error) {
    if (!violates(error, "refills.order_id")) throw error;
    const isRepeated = gt(refills.createdAt, now - REPEATED_MS);
    const [open] = await db
      .select({ id: refills.id })
      .from(refills)
      .where(and(eq(refills.orderId, orderId), inArray(refills.status, OPEN_REFILL_STATUSES), isRepeated))
      .limit(1);
    return open ? { ok: true, refillId: open.id } : { ok: false, reason: "refill_open" };
  }
}

/** Returns the owner's refills among the ids: of test orders or of live ones. */
export async function readRefills(
  db: Db,
  owner: { userId: string; isTest: boolean },
  refillIds: number[],
): Promise<Refill[]> {
  const ids = sql`(select value from json_each(${JSON.stringify(refillIds)}))`;
  return db
    .select(getTableColumns(refills))
    .from(refills)
    .innerJoin(orders, eq(orders.id, refills.orderId))
    .where(and(eq(refills.userId, owner.userId), eq(orders.isTest, owner.isTest), inArray(refills.id, ids)));
}

/** Holds refills whose call was cut off, because the provider may have accepted them. */
export async function holdLostRefills(db: Db): Promise<void> {
  await db
    .update(refills)
    .set({ fulfillment: "held", updatedAt: Date.now() })
    .where(and(isRefillSubmitting, lt(refills.leaseUntil, Date.now())));
}

/** Sends the queued refills of a provider, a few in each round. Returns how many. */
export async function sendRefills(link: ProviderLink): Promise<number> {
  const queued = await link.db
    .select({
      id: refills.id,
      orderId: refills.orderId,
      createdAt: refills.createdAt,
      providerOrderId: orders.providerOrderId,
    })
    .from(refills)
    .innerJoin(orders, eq(orders.id, refills.orderId))
    .where(and(isRefillQueued, lte(refills.leaseUntil, Date.now()), eq(refills.providerId, link.id)))
    .orderBy(asc(refills.id))
    .limit(REFILLS_PER_RUN);
  for (const refill of queued) {
    if (!link.takesCalls()) break;
    let responds = true;
    await runWhileAvailable("refill not sent", { refill: refill.id, provider: link.id }, async () => {
      responds = await sendRefill(link, refill);
    });
    // The next one would hang too, and the next round waits for them.
    if (!responds) break;
  }
  return queued.length;
}

/** Claims a refill. If the answer to the claim is lost, this releases it and throws: nobody would send it. */
async function claimRefill(db: Db, id: number): Promise<boolean> {
  const leaseUntil = claimTime() + LEASE_MS;
  try {
    const claimed = await db
      .update(refills)
      .set({ fulfillment: "submitting", leaseUntil })
      .where(and(eq(refills.id, id), eq(refills.fulfillment, "queued")))
      .returning({ id: refills.id });
    return claimed.length > 0;
  } catch (error) {
    const isClaimed = and(
      eq(refills.id, id),
      eq(refills.fulfillment, "submitting"),
      eq(refills.leaseUntil, leaseUntil),
    );
    await runLogged("claim of a refill not released", { refill: id }, () =>
      storeAnswer(() => db.update(refills).set({ fulfillment: "queued", leaseUntil: 0 }).where(isClaimed)),
    );
    throw error;
  }
}

/** Claims the refill before the call, so that it is held when its lease ends after an error. Returns whether the provider responded. */
async function sendRefill(link: ProviderLink, refill: QueuedRefill): Promise<boolean> {
  if (!(await claimRefill(link.db, refill.id))) return true;
  const { response, said } = await link.callAbout("refill", refill.providerOrderId ?? "", readRefill);
  const outcome: RefillOutcome = said ?? { kind: "deferred", cause: "busy" };
  const store = storeRefill(link.db, refill, outcome, Date.now());
  await storeAnswer(() => link.db.batch([store, link.logResponse(refill.orderId, "refill", response)]));
  await link.noteResponse(response, outcome.kind === "unknown");
  return response.kind === "json";
}

function storeRefill(db: Db, { id, createdAt }: QueuedRefill, outcome: RefillOutcome, now: number) {
  // It may have been held as cut off before its answer could be stored.
  const isHeldSince = and(
    eq(refills.fulfillment, "held"),
    isNull(refills.providerRefillId),
    inArray(refills.status, OPEN_REFILL_STATUSES),
  );
  return db
    .update(refills)
    .set({
      fulfillment: stateAfter(outcome, now - createdAt),
      ...(outcome.kind === "accepted" && { providerRefillId: outcome.providerRefillId }),
      ...(outcome.kind === "rejected" && { status: "Rejected" as const }),
      leaseUntil: outcome.kind === "deferred" ? now + deferredFor(now - createdAt) : 0,
      updatedAt: now,
    })
    .where(and(eq(refills.id, id), or(eq(refills.fulfillment, "submitting"), isHeldSince)));
}

/** Returns the state of a refill of this age (ms) after an outcome. */
function stateAfter(outcome: RefillOutcome, age: number) {
  const isLast = outcome.kind === "deferred" && age > LAST_DEFERRAL_MS;
  // Nobody can ask for a refill whose id says nothing, so a person looks.
  const isNameless = outcome.kind === "accepted" && outcome.providerRefillId === null;
  return isLast || isNameless ? "held" : STATE_AFTER[outcome.kind];
}

type QueuedRefill = { id: number; orderId: number; createdAt: number; providerOrderId: string | null };

/** Returns how long a refill of this age waits for the next call, in ms. */
function deferredFor(age: number): number {
  return Math.min(MAX_DEFERRED_MS, Math.max(DEFERRED_MS, Math.round(age / 4)));
}
