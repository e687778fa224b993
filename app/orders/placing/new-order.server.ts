import type { orders } from "#app/db/schema.server.ts";
import type { ServiceTerms } from "#app/orders/catalog/catalog.server.ts";
import type { OrderPrice } from "#app/orders/prices/order-price.ts";
import { linkKeyOf } from "#app/orders/rules/links/link-key.server.ts";
import type { ParsedOrder } from "#app/orders/rules/order-input.ts";

/** Every column of a new order except its id. A column added to the table does not compile until `newOrder` sets it. */
export type NewOrder = Required<Omit<typeof orders.$inferInsert, "id">>;

type Request = {
  userId: string;
  idempotencyKey: string;
  requestDigest: string;
  source: NewOrder["source"];
  apiKeyId: string | null;
  /** A test order is never charged and never sent. */
  isTest: boolean;
  notes?: Pick<NewOrder, "reference" | "metadata">;
  now: number;
};

/** Returns the row of a new order. The INSERT sets `expectedBy` from what the database knows. */
export function newOrder(
  { userId, idempotencyKey, requestDigest, source, apiKeyId, isTest, notes, now }: Request,
  service: Pick<ServiceTerms, "id" | "type" | "providerId" | "providerServiceId" | "refill" | "refillDays">,
  order: ParsedOrder,
  { charge, discount, rule }: OrderPrice,
): NewOrder {
  const goesToProvider = service.providerId !== null && !isTest;
  return {
    ...order,
    userId,
    idempotencyKey,
    requestDigest,
    source,
    apiKeyId,
    isTest,
    reference: notes?.reference ?? null,
    metadata: notes?.metadata ?? null,
    charge,
    priceRule: rule,
    discount,
    // Only live orders are searched by link.
    linkKey: isTest ? null : linkKeyOf(order.link),
    serviceId: service.id,
    type: service.type,
    remains: order.quantity * order.runs,
    refunded: 0,
    status: "Pending",
    startCount: null,
    fulfillment: goesToProvider ? "queued" : "manual",
    heldFor: null,
    history: "",
    providerId: isTest ? null : service.providerId,
    providerServiceId: isTest ? null : service.providerServiceId,
    providerOrderId: null,
    cost: null,
    costIsReported: null,
    leaseUntil: 0,
    attempts: 0,
    resendUntil: null,
    deferredFor: null,
    deferrals: 0,
    deferredSince: 0,
    unreadableSince: 0,
    expectedBy: null,
    refillDays: service.refill ? service.refillDays : null,
    refillUntil: null,
    createdAt: now,
    updatedAt: now,
  };
}
