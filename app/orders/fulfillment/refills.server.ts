import { and, asc, eq, inArray, lt, sql } from "drizzle-orm";
import { type Db, violates } from "#app/db/db.server.ts";
import { orders, refills, services } from "#app/db/schema.server.ts";
import { runLogged } from "#app/http/log.ts";
import {
  callProvider,
  countFailure,
  type FulfillmentEnv,
  logProviderResponse,
  type Provider,
} from "#app/orders/providers/provider-calls.server.ts";
import { readRefillResponse, readRefillStatuses } from "#app/orders/providers/provider-responses.ts";
import { isDelivered, OPEN_REFILL_STATUSES } from "#app/orders/rules/order-status.ts";
import { LEASE_MS } from "./submission.server.ts";

export type Refill = typeof refills.$inferSelect;
export type RefillRefusal = "order_not_found" | "not_refillable" | "refill_open";
export type RefillRequest = { ok: true; refillId: number } | { ok: false; reason: RefillRefusal };

const SEND_AT_ONCE = 20;
const IDS_PER_STATUS_CALL = 100;

/** Asks for an order to be filled up again. One request at a time is open for an order. */
export async function requestRefill(
  db: Db,
  who: { userId: string; isTest: boolean },
  orderId: number,
): Promise<RefillRequest> {
  const [order] = await db
    .select({ status: orders.status, providerOrderId: orders.providerOrderId, refill: services.refill })
    .from(orders)
    .innerJoin(services, eq(services.id, orders.serviceId))
    .where(and(eq(orders.id, orderId), eq(orders.userId, who.userId), eq(orders.isTest, who.isTest)))
    .limit(1);
  if (!order) return { ok: false, reason: "order_not_found" };
  const delivered = who.isTest || isDelivered(order.status);
  if (!order.refill || !delivered) return { ok: false, reason: "not_refillable" };
  const now = Date.now();
  try {
    const [refill] = await db
      .insert(refills)
      .values({
        orderId,
        userId: who.userId,
        fulfillment: order.providerOrderId === null ? "manual" : "queued",
        createdAt: now,
        updatedAt: now,
      })
      .returning({ id: refills.id });
    if (!refill) throw new Error("insert returned no refill");
    return { ok: true, refillId: refill.id };
  } catch (error) {
    if (violates(error, "refills.order_id")) return { ok: false, reason: "refill_open" };
    throw error;
  }
}

/** Those of the ids that are the user's. */
export async function readRefills(db: Db, userId: string, refillIds: number[]): Promise<Refill[]> {
  const ids = sql`(select value from json_each(${JSON.stringify(refillIds)}))`;
  return db
    .select()
    .from(refills)
    .where(and(eq(refills.userId, userId), inArray(refills.id, ids)));
}

/** A call that was cut off may have been taken: a person decides. */
export async function holdLostRefills(db: Db): Promise<void> {
  await db
    .update(refills)
    .set({ fulfillment: "held", updatedAt: Date.now() })
    .where(and(eq(refills.fulfillment, "submitting"), lt(refills.leaseUntil, Date.now())));
}

export async function sendRefills(db: Db, env: FulfillmentEnv, provider: Provider): Promise<void> {
  const waiting = await db
    .select({ id: refills.id, orderId: refills.orderId, providerOrderId: orders.providerOrderId })
    .from(refills)
    .innerJoin(orders, eq(orders.id, refills.orderId))
    .where(and(eq(refills.fulfillment, "queued"), eq(orders.providerId, provider.id)))
    .orderBy(asc(refills.id))
    .limit(SEND_AT_ONCE);
  for (const refill of waiting) {
    await runLogged("refill not sent", { refill: refill.id, provider: provider.id }, () =>
      sendRefill(db, env, provider, refill),
    );
  }
}

/** Claims the refill before the call, so what throws afterwards is held for a person when its lease ends. */
async function sendRefill(
  db: Db,
  env: FulfillmentEnv,
  provider: Provider,
  { id, orderId, providerOrderId }: { id: number; orderId: number; providerOrderId: string | null },
): Promise<void> {
  const claimed = await db
    .update(refills)
    .set({ fulfillment: "submitting", leaseUntil: Date.now() + LEASE_MS })
    .where(and(eq(refills.id, id), eq(refills.fulfillment, "queued")))
    .returning({ id: refills.id });
  if (claimed.length === 0) return;
  const answer = await callProvider(env, provider, { action: "refill", order: providerOrderId ?? "" });
  await logProviderResponse(db, provider, orderId, "refill", answer);
  const outcome = readRefillResponse(answer);
  await countFailure(db, provider, outcome.kind === "unknown");
  await db
    .update(refills)
    .set({
      // A refill asked for twice may be delivered twice, so an unknown outcome waits for a person.
      fulfillment: outcome.kind === "unknown" ? "held" : outcome.kind,
      ...(outcome.kind === "accepted" && { providerRefillId: outcome.providerRefillId }),
      ...(outcome.kind === "rejected" && { status: "Rejected" as const }),
      leaseUntil: 0,
      updatedAt: Date.now(),
    })
    .where(and(eq(refills.id, id), eq(refills.fulfillment, "submitting")));
}

export async function syncRefills(db: Db, env: FulfillmentEnv, provider: Provider): Promise<void> {
  const open = await db
    .select({ id: refills.id, providerRefillId: refills.providerRefillId })
    .from(refills)
    .innerJoin(orders, eq(orders.id, refills.orderId))
    .where(
      and(
        eq(refills.fulfillment, "accepted"),
        inArray(refills.status, OPEN_REFILL_STATUSES),
        eq(orders.providerId, provider.id),
      ),
    )
    .orderBy(asc(refills.checkedAt))
    .limit(IDS_PER_STATUS_CALL);
  if (open.length === 0) return;
  const asked = open.map(({ providerRefillId }) => providerRefillId).join(",");
  const answer = await callProvider(env, provider, { action: "refill_status", refills: asked });
  const statuses = readRefillStatuses(answer);
  await countFailure(db, provider, statuses === null);
  if (statuses === null) {
    await logProviderResponse(db, provider, null, "refill_status", answer);
    return;
  }
  const now = Date.now();
  const failed: number[] = [];
  for (const { id, providerRefillId } of open) {
    const status = statuses.get(providerRefillId ?? "");
    const applied = await runLogged("refill status not applied", { refill: id, provider: provider.id }, () =>
      db
        .update(refills)
        .set({ checkedAt: now, ...(status && { status, updatedAt: now }) })
        .where(and(eq(refills.id, id), inArray(refills.status, OPEN_REFILL_STATUSES))),
    );
    if (!applied) failed.push(id);
  }
  if (failed.length === 0) return;
  // To the end of the queue, so that failing refills do not fill every status call.
  const ids = sql`(select value from json_each(${JSON.stringify(failed)}))`;
  await db.update(refills).set({ checkedAt: now }).where(inArray(refills.id, ids));
}
