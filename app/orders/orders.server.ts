import { and, desc, eq, inArray, sql } from "drizzle-orm";
import { type Db, violates } from "#app/db/db.server.ts";
import { ledger, orders, wallets } from "#app/db/schema.server.ts";
import { selectOrderable } from "./catalogue.server.ts";
import { balanceNow } from "./ledger.server.ts";
import { chargeFor } from "./money.ts";
import { isPerOrder, ORDER_FIELDS, type OrderFault, type OrderFields, parseOrder } from "./order-request.ts";

export type Order = typeof orders.$inferSelect;

export type OrderRefusal =
  | OrderFault
  | { reason: "unknown_service" }
  | { reason: "insufficient_funds" }
  | { reason: "idempotency_conflict" };

export type PlacedOrder = { ok: true; order: Order; replayed: boolean } | { ok: false; fault: OrderRefusal };

/**
 * Places an order and takes its charge, all or nothing. With the same `idempotencyKey` and the same content
 * it answers the first order again; with other content it refuses. Without a key every call is an order.
 */
export async function placeOrder(
  db: Db,
  userId: string,
  input: {
    serviceId: number;
    fields: OrderFields;
    idempotencyKey: string | null;
    source: "web" | "api";
    /** Placed with a test key: answered like a live one, never charged, never sent. */
    isTest?: boolean;
  },
): Promise<PlacedOrder> {
  const isTest = input.isTest ?? false;
  const givenKey = input.idempotencyKey ?? `auto-${crypto.randomUUID()}`;
  const idempotencyKey = isTest ? `test ${givenKey}` : givenKey;
  const requestDigest = await digestOf(input.serviceId, input.fields);
  const byKey = selectByKey(db, userId, idempotencyKey);
  const [[service], [earlier]] = await db.batch([selectOrderable(db, input.serviceId), byKey]);
  if (earlier) return replay(earlier, requestDigest);
  if (!service) return { ok: false, fault: { reason: "unknown_service" } };
  const parsed = parseOrder(service, input.fields);
  if (!parsed.ok) return parsed;
  const { link, quantity, runs, intervalMinutes, details } = parsed.order;
  const charge = chargeFor({ rate: service.rate, quantity, runs, perOrder: isPerOrder(service.type) });
  // More than a wallet can hold.
  if (charge === null) return { ok: false, fault: { reason: "insufficient_funds" } };
  const now = Date.now();
  const forwarded = service.providerId !== null && !isTest;
  const insert = db
    .insert(orders)
    .values({
      userId,
      serviceId: service.id,
      type: service.type,
      link,
      quantity,
      runs,
      intervalMinutes,
      details,
      charge,
      remains: quantity * runs,
      idempotencyKey,
      requestDigest,
      source: input.source,
      isTest,
      providerId: isTest ? null : service.providerId,
      providerServiceId: isTest ? null : service.providerServiceId,
      fulfilment: forwarded ? "queued" : "manual",
      createdAt: now,
      updatedAt: now,
    })
    .returning();
  try {
    const [order] = isTest
      ? await insert
      : (await db.batch([insert, ...takeCharge(db, userId, idempotencyKey, charge)]))[0];
    if (!order) throw new Error("insert returned no order");
    return { ok: true, order, replayed: false };
  } catch (error) {
    // No wallet at all leaves balance_after NULL.
    if (violates(error, "wallet_balance_not_negative") || violates(error, "ledger.balance_after")) {
      return { ok: false, fault: { reason: "insufficient_funds" } };
    }
    if (!violates(error, "orders.idempotency_key")) throw error;
    const [winner] = await byKey;
    if (!winner) throw error;
    return replay(winner, requestDigest);
  }
}

function takeCharge(db: Db, userId: string, idempotencyKey: string, charge: number) {
  const orderId = sql`(select ${orders.id} from ${orders} where ${orders.userId} = ${userId} and ${orders.idempotencyKey} = ${idempotencyKey})`;
  return [
    // The CHECK on the balance is what refuses: a WHERE that matches nothing would not stop the batch.
    db
      .update(wallets)
      .set({ balance: sql`${wallets.balance} - ${charge}` })
      .where(eq(wallets.userId, userId)),
    db.insert(ledger).values({
      userId,
      orderId,
      kind: "charge",
      amount: -charge,
      balanceAfter: balanceNow(userId),
      createdAt: Date.now(),
    }),
  ] as const;
}

/** Whose orders, and which: a test key sees only what was placed with test keys. */
export type OrderOwner = { userId: string; isTest: boolean };

/** Those of the ids that are the owner's. */
export async function readOrders(db: Db, owner: OrderOwner, orderIds: number[]): Promise<Order[]> {
  // One bound parameter however many ids: D1 takes 100.
  const ids = sql`(select value from json_each(${JSON.stringify(orderIds)}))`;
  return db
    .select()
    .from(orders)
    .where(and(eq(orders.userId, owner.userId), eq(orders.isTest, owner.isTest), inArray(orders.id, ids)));
}

export async function listOrders(db: Db, userId: string, limit: number): Promise<Order[]> {
  return db
    .select()
    .from(orders)
    .where(and(eq(orders.userId, userId), eq(orders.isTest, false)))
    .orderBy(desc(orders.id))
    .limit(limit);
}

function selectByKey(db: Db, userId: string, idempotencyKey: string) {
  return db
    .select()
    .from(orders)
    .where(and(eq(orders.userId, userId), eq(orders.idempotencyKey, idempotencyKey)))
    .limit(1);
}

function replay(order: Order, requestDigest: string): PlacedOrder {
  if (order.requestDigest === requestDigest) return { ok: true, order, replayed: true };
  return { ok: false, fault: { reason: "idempotency_conflict" } };
}

/** Of what was asked, not of what it came to: a replay must match even when the service has changed since. */
async function digestOf(serviceId: number, fields: OrderFields): Promise<string> {
  const content = [serviceId, ...ORDER_FIELDS.map((name) => fields[name]?.trim() ?? "")];
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(JSON.stringify(content)));
  return Buffer.from(digest).toString("hex");
}
