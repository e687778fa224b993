import { and, eq, inArray, sql } from "drizzle-orm";
import { randomKey } from "#app/crypto/random-secret.server.ts";
import { type Db, violates } from "#app/db/db.server.ts";
import { catalogVersion, ledger, type Order, orders, wallets } from "#app/db/schema.server.ts";
import { CatalogCache, type ServiceTerms } from "#app/orders/catalog/catalog.server.ts";
import { isMeasured } from "#app/orders/delivery/delivery-estimate.ts";
import { expectedBySql } from "#app/orders/delivery/service-times.server.ts";
import { ownOrders } from "#app/orders/list/order-rows.server.ts";
import { priceOf } from "#app/orders/prices/order-price.ts";
import {
  codeRefusal,
  codeUse,
  isCodeRefused,
  readPercentCode,
  type UsableCode,
} from "#app/orders/prices/percent-code-use.server.ts";
import { tierIdOf } from "#app/orders/prices/tier-terms.server.ts";
import type { OrderFields, OrderNotes, OrderRefusal, OrderSender, ParsedOrder } from "#app/orders/rules/order-input.ts";
import { parseOrder } from "#app/orders/rules/parse-order.server.ts";
import { digestOfOrder } from "#app/orders/rules/request-digest.server.ts";
import { balanceAfterCharge, balanceNow } from "#app/orders/wallet/ledger.server.ts";
import { newOrder } from "./new-order.server.ts";

export type PlacedOrder = { ok: true; order: Order; replayed: boolean } | { ok: false; fault: OrderRefusal };

type OrderInput = {
  serviceId: number;
  fields: OrderFields;
  idempotencyKey: string | null;
  source: "web" | "api";
  /** The doubtful link that a customer on the web ordered with anyway. */
  agreedLink?: string;
  /** The API key that places the order. Its daily cap applies. */
  apiKeyId?: string;
  /** Placed with a test key: never charged and never sent to a provider. */
  isTest?: boolean;
  notes?: OrderNotes;
  /** A percent code as the customer typed it. Like `maxCharge` it is a condition of placing and no content. */
  code?: string;
  /** Returns the most that the order may cost, in micro-units, or null if nothing was shown. Absent: any charge. */
  maxCharge?: (order: ParsedOrder, code: UsableCode | null) => number | null;
};

/** The field of the order form that a refused code belongs to. */
export const CODE_FIELD = "code";

/** Attempts to write an order whose service keeps changing meanwhile. */
const MAX_TRIES = 5;

/**
 * Places an order and charges it, all or nothing. The same `idempotencyKey` with the same content returns the first order;
 * with other content it is refused. Without a key every call places an order. An order that costs more than `maxCharge` is
 * refused: the database takes the charge only while the catalog and the customer's tier are the ones that it was computed
 * from.
 * `catalog` saves a read when it remembers the service; the database refuses an order by outdated terms.
 */
export async function placeOrder(
  db: Db,
  userId: string,
  input: OrderInput,
  catalog: CatalogCache = new CatalogCache(),
): Promise<PlacedOrder> {
  const isTest = input.isTest ?? false;
  const givenKey = input.idempotencyKey ?? newAutoKey();
  const request = {
    ...input,
    isTest,
    idempotencyKey: isTest ? `test ${givenKey}` : givenKey,
    digest: digestOfOrder(input.serviceId, input.fields, input.notes),
  };
  const remembered = catalog.remembered(input.serviceId, userId);
  // Whether orders are taken again, only the database knows.
  const isOpen = remembered && remembered.closed === null;
  const hasCode = (input.code ?? "").trim() !== "";
  const placed = isOpen && !hasCode && (await writeOrder(db, userId, request, remembered));
  if (placed && placed.kind === "placed") return { ok: true, order: placed.order, replayed: false };

  // A repeated key returns its order even if the service or the balance has changed since.
  const [earlier, first] = await Promise.all([
    readByKey(db, userId, request),
    catalog.terms(db, input.serviceId, userId),
  ]);
  if (earlier) return earlier;
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const code = hasCode ? await readPercentCode(db, userId, input.code ?? "") : null;
    // The same order, sent twice at once, has used the code.
    if (code && !code.ok) return (await readByKey(db, userId, request)) ?? refuseCode(code.text);
    const terms = tries === 0 ? first : await catalog.terms(db, input.serviceId, userId);
    if (!terms) return { ok: false, fault: { reason: "unknown_service" } };
    if (terms.closed !== null) {
      db.refusesOrders = true;
      return { ok: false, fault: { reason: "maintenance", text: terms.closed } };
    }
    const written = await writeOrder(db, userId, request, terms, code?.code);
    switch (written.kind) {
      case "placed":
        return { ok: true, order: written.order, replayed: false };
      case "refused":
        return { ok: false, fault: written.fault };
      case "repeated": {
        const winner = await readByKey(db, userId, request);
        if (winner) return winner;
        break;
      }
      case "outdated":
        break;
      default:
        written satisfies never;
    }
  }
  throw new Error("the service kept changing while its order was written");
}

/** Returns an idempotency key for an order that came without one. */
export function newAutoKey(): string {
  return `auto-${randomKey()}`;
}

type OrderRequest = OrderInput & { isTest: boolean; idempotencyKey: string; digest: string };

type Written =
  | { kind: "placed"; order: Order }
  | { kind: "refused"; fault: OrderRefusal }
  /** The idempotency key already has an order. */
  | { kind: "repeated" }
  /** The catalog, the customer's tier or what is left of the code has changed since the terms were read. */
  | { kind: "outdated" };

function refuseCode(text: string): PlacedOrder & { ok: false } {
  return { ok: false, fault: { reason: "invalid_field", field: CODE_FIELD, text } };
}

async function writeOrder(
  db: Db,
  userId: string,
  request: OrderRequest,
  service: ServiceTerms,
  code?: UsableCode,
): Promise<Written> {
  const { isTest, idempotencyKey, source, apiKeyId = null, digest: requestDigest } = request;
  const sender: OrderSender =
    source === "web" ? { isPerson: true, agreedLink: request.agreedLink ?? "" } : { isPerson: false };
  const parsed = parseOrder(service, request.fields, sender);
  if (!parsed.ok) return { kind: "refused", fault: parsed.fault };
  const price = priceOf(service, service.tier, parsed.order, code);
  // More than a wallet can hold.
  if (price === null) return { kind: "refused", fault: { reason: "insufficient_funds" } };
  const { charge, discount, rule } = price;
  const why = code ? codeRefusal(code, service.network, charge + discount) : null;
  if (why !== null) return { kind: "refused", fault: refuseCode(why).fault };
  const max = request.maxCharge ? request.maxCharge(parsed.order, code ?? null) : charge;
  if (max === null || charge > max) return { kind: "refused", fault: { reason: "charge_above_max", charge, max } };
  const { reference = null, metadata = null } = request.notes ?? {};
  const notes = { reference, metadata };
  const placed = { userId, idempotencyKey, requestDigest, source, apiKeyId, isTest, notes, now: Date.now() };
  const insert = db
    .insert(orders)
    .values({
      ...newOrder(placed, service, parsed.order, price),
      expectedBy: isMeasured({ ...parsed.order, type: service.type, isTest })
        ? expectedBySql(service.id, placed.now)
        : null,
      // NULL, which the column refuses, when the catalog has changed since the terms were read, or the customer has another
      // tier than they were remembered for.
      type: sql`(select iif(${catalogVersion.version} = ${service.version} and ${tierIdOf(userId)} is ${service.tier?.id ?? null}, ${service.type}, null) from ${catalogVersion})`,
    })
    .returning();
  try {
    const [order] = isTest
      ? await insert
      : rule?.kind === "code"
        ? (
            await db.batch([
              insert,
              ...chargeWallet(db, userId, idempotencyKey, charge),
              ...codeUse(db, rule.id, userId, idempotencyKey, placed.now),
            ])
          )[0]
        : (await db.batch([insert, ...chargeWallet(db, userId, idempotencyKey, charge)]))[0];
    if (!order) throw new Error("insert returned no order");
    return { kind: "placed", order };
  } catch (error) {
    // Reading the code again says why.
    if (violates(error, "orders.type") || isCodeRefused(error)) return { kind: "outdated" };
    if (violates(error, "orders.idempotency_key")) return { kind: "repeated" };
    // A trigger counts the charge against the cap of the key.
    if (violates(error, "api_keys.spent")) return { kind: "refused", fault: { reason: "daily_cap_reached" } };
    // No wallet at all leaves balance_after NULL.
    if (violates(error, "wallet_balance_not_negative") || violates(error, "ledger.balance_after")) {
      return { kind: "refused", fault: { reason: "insufficient_funds" } };
    }
    throw error;
  }
}

function chargeWallet(db: Db, userId: string, idempotencyKey: string, charge: number) {
  const orderId = sql`(select ${orders.id} from ${orders} where ${orders.userId} = ${userId} and ${orders.idempotencyKey} = ${idempotencyKey})`;
  return [
    // The CHECK on the balance refuses: a WHERE that matches nothing would not stop the batch.
    db
      .update(wallets)
      .set({ balance: balanceAfterCharge(charge) })
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

/** The owner of orders. A test key sees only orders placed with test keys. */
export type OrderOwner = { userId: string; isTest: boolean };

/** Returns only the orders that belong to the owner. */
export async function readOrders(db: Db, owner: OrderOwner, orderIds: number[]): Promise<Order[]> {
  // Binds all ids as one parameter, because D1 allows 100.
  const ids = sql`(select value from json_each(${JSON.stringify(orderIds)}))`;
  return db
    .select()
    .from(orders)
    .where(and(ownOrders(owner.userId, owner), inArray(orders.id, ids)));
}

/** Returns the result for a repeated key, or null if no order used it. */
async function readByKey(
  db: Db,
  userId: string,
  { idempotencyKey, digest }: OrderRequest,
): Promise<PlacedOrder | null> {
  const [order] = await db
    .select()
    .from(orders)
    .where(and(eq(orders.userId, userId), eq(orders.idempotencyKey, idempotencyKey)))
    .limit(1);
  if (!order) return null;
  if (order.requestDigest === digest) return { ok: true, order, replayed: true };
  return { ok: false, fault: { reason: "idempotency_conflict" } };
}
