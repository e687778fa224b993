import type { z } from "zod";
import { isoTime } from "#app/db/iso-time.ts";
import type { Order } from "#app/db/schema.server.ts";
import type { TimedService } from "#app/orders/catalog/catalog.server.ts";
import type { DeliveryTimes } from "#app/orders/delivery/delivery-estimate.ts";
import { ratesOf, samplesOf } from "#app/orders/delivery/delivery-time.ts";
import { asOf } from "#app/orders/delivery/test-orders.ts";
import type { CancellationRefusal } from "#app/orders/fulfillment/cancellations.server.ts";
import type { RefillRefusal } from "#app/orders/fulfillment/refills.server.ts";
import { unseenLinkText } from "#app/orders/rules/links/link-text.ts";
import { decimal } from "#app/orders/rules/money-text.ts";
import type { OrderRefusal } from "#app/orders/rules/order-input.ts";
import { CURRENCY } from "#app/product.ts";
import type {
  catalogChanges,
  createdOrder,
  listedOrder,
  orderStatus,
  pricedStatus,
  pricedSubscription,
  serviceList,
  subscriptionStatus as subscriptionBody,
} from "./api-schema.server.ts";
import { isSubscription, servedPosts, subOrder, subOrderId, subscriptionStatus } from "./subscription-posts.ts";

/** `text` is the wording of the panel convention; `title`, if present, is clearer and used by API v1. */
export type ApiError = { status: number; code: string; text: string; title?: string; detail?: string; field?: string };

/** The header with the version of a list of services. */
export const CATALOG_VERSION = "Catalog-Version";

export const ERRORS = {
  invalid_api_key: { status: 401, code: "invalid_api_key", text: "Invalid API key" },
  email_unconfirmed: {
    status: 403,
    code: "email_unconfirmed",
    text: "Confirm your email address to use live keys. Test keys work",
  },
  address_not_allowed: { status: 403, code: "address_not_allowed", text: "API key not allowed from this IP address" },
  incorrect_request: { status: 400, code: "incorrect_request", text: "Incorrect request" },
  order_not_found: { status: 404, code: "order_not_found", text: "Incorrect order ID" },
  refill_not_found: { status: 404, code: "refill_not_found", text: "Refill not found" },
  not_refillable: { status: 422, code: "not_refillable", text: "This order cannot be refilled" },
  refill_expired: { status: 422, code: "refill_expired", text: "Refill period of this order has expired" },
  refill_open: { status: 409, code: "refill_open", text: "This order already has an open refill" },
  not_cancelable: { status: 422, code: "not_cancelable", text: "This order cannot be canceled" },
  version_too_old: {
    status: 410,
    code: "version_too_old",
    text: "The changes since this version are not known anymore. Fetch the whole list",
  },
  too_many_requests: { status: 429, code: "too_many_requests", text: "Too many requests, try again later" },
  unavailable: { status: 503, code: "unavailable", text: "The database is not responding. Try again in a few seconds" },
} as const satisfies Record<string, ApiError> & Record<RefillRefusal | CancellationRefusal, ApiError>;

/** Fields of ours, which the panel convention doesn't know. */
const OWN_FIELDS = new Set(["max_charge", "reference", "metadata"]);

const UNSEEN_LINK = "This link contains an invisible character";
const BAD_LINK = { status: 422, code: "bad_link", text: "Bad link", field: "link" } as const;

/** Maps a refused order to its API error. */
export function orderError(fault: OrderRefusal): ApiError {
  const { reason } = fault;
  switch (reason) {
    case "unknown_service":
      return { status: 422, code: reason, text: "Incorrect service ID", field: "service" };
    case "bad_link":
      if (fault.seenBefore === undefined) return BAD_LINK;
      return { ...BAD_LINK, title: UNSEEN_LINK, detail: unseenLinkText(fault.seenBefore) };
    // A program isn't asked about a link.
    case "doubtful_link":
      return BAD_LINK;
    case "quantity_too_small":
      return { status: 422, code: reason, text: `Quantity less than minimal ${fault.min}`, field: "quantity" };
    case "quantity_too_large":
      return { status: 422, code: reason, text: `Quantity more than maximum ${fault.max}`, field: "quantity" };
    case "insufficient_funds":
      return { status: 402, code: reason, text: "Not enough funds on balance" };
    case "maintenance": {
      const text = "New orders are paused for maintenance, try again later";
      return { status: 503, code: reason, text, detail: fault.text };
    }
    case "charge_above_max":
      return {
        status: 422,
        code: reason,
        text: `Charge ${decimal(fault.charge, 2)} more than max_charge ${decimal(fault.max ?? 0, 2)}`,
        field: "max_charge",
      };
    case "daily_cap_reached":
      return { status: 402, code: reason, text: "Daily spending cap of this API key reached" };
    case "idempotency_conflict":
      return { status: 409, code: reason, text: "This idempotency key was used for another order" };
    case "invalid_field": {
      // The panel convention has a wording for its own fields and rules alone.
      const text = fault.isOurs || OWN_FIELDS.has(fault.field) ? fault.text : "Incorrect request";
      return { status: 422, code: reason, text, title: fault.text, field: fault.field };
    }
    default:
      return fault satisfies never;
  }
}

/** Describes the order as it was when placed, so that a replay is byte-for-byte the same. */
export function createdOrderBody(order: Order): z.infer<typeof createdOrder> {
  return {
    ...placedFields(order),
    currency: CURRENCY,
    status: "Pending",
    remains: order.quantity * order.runs,
    created_at: new Date(order.createdAt).toISOString(),
    ...loweredOf(order),
    ...notesOf(order),
  };
}

function placedFields({ id, serviceId, link, quantity, runs, charge }: Order) {
  return { id, service: serviceId, link, quantity, runs, charge: decimal(charge, 2) };
}

/** Describes an order of the list as it is at `now`. */
export function listedOrderBody(order: Order, now: number): z.infer<typeof listedOrder> {
  const { status, remains, startCount, refillUntil } = asOf(order, now);
  return {
    ...placedFields(order),
    refunded: decimal(order.refunded, 2),
    price_rule: priceRuleOf(order),
    discount: decimal(order.discount, 2),
    currency: CURRENCY,
    status,
    start_count: startCount,
    remains,
    ...termsOf(order, refillUntil),
    reference: order.reference,
    metadata: order.metadata,
    created_at: new Date(order.createdAt).toISOString(),
  };
}

type DeliveryFields = Pick<
  z.infer<typeof serviceList>[number],
  "delivery_p50" | "delivery_p90" | "delivery_samples" | "partial_rate" | "cancel_rate"
>;

type StatusBody = z.infer<typeof orderStatus> | z.infer<typeof subscriptionBody>;

export function statusBody(order: Order): StatusBody {
  const state = asOf(order, Date.now());
  const { status, remains, startCount, refillUntil } = state;
  const body: z.infer<typeof orderStatus> = {
    charge: decimal(order.charge - order.refunded, 2),
    start_count: startCount === null ? "" : String(startCount),
    status,
    remains: String(remains),
    currency: CURRENCY,
    ...termsOf(order, refillUntil),
    ...notesOf(order),
  };
  if (!isSubscription(order)) return body;
  const posts = servedPosts(order, state);
  return {
    ...body,
    status: subscriptionStatus(order, state),
    expiry: expiryOf(order),
    posts: String(posts),
    orders: Array.from({ length: posts }, (_, index) => String(subOrderId(order, index + 1))),
  };
}

/** Returns the day until which a subscription was ordered. Customers write it as day/month/year. */
function expiryOf({ providerFields }: Order): string | null {
  const [, day = "", month = "", year] = /^(\d{1,2})\/(\d{1,2})\/(\d{4})$/.exec(String(providerFields.expiry)) ?? [];
  return year === undefined ? null : `${year}-${month.padStart(2, "0")}-${day.padStart(2, "0")}`;
}

/** Describes the sub-order that a post of a subscription got. */
export function subOrderStatusBody(order: Order, post: number): z.infer<typeof orderStatus> {
  const { status, remains, charge } = subOrder(order, asOf(order, Date.now()), post);
  return {
    charge: decimal(charge, 2),
    start_count: "",
    status,
    remains: String(remains),
    currency: CURRENCY,
    expected_by: null,
    refill_until: null,
  };
}

/** Describes an order outside the panel convention: with the rule that lowered its charge. */
export function pricedStatusBody(order: Order): z.infer<typeof pricedStatus> | z.infer<typeof pricedSubscription> {
  return { ...statusBody(order), ...loweredOf(order) };
}

/** An order at the usual price has no such fields, as clients know it. */
function loweredOf(order: Order) {
  const rule = priceRuleOf(order);
  return rule && { price_rule: rule, discount: decimal(order.discount, 2) };
}

function priceRuleOf({ priceRule }: Order) {
  if (priceRule === null) return null;
  const { kind, name, basisPoints } = priceRule;
  return { kind, name, percent: basisPoints === null ? null : basisPoints / 100 };
}

function termsOf({ expectedBy }: Order, refillUntil: number | null) {
  return { expected_by: isoTime(expectedBy), refill_until: isoTime(refillUntil) };
}

/** Returns what the caller keeps with the order. An order without it has no such fields, as clients know it. */
function notesOf({ reference, metadata }: Pick<Order, "reference" | "metadata">) {
  return { ...(reference !== null && { reference }), ...(metadata !== null && { metadata }) };
}

export function servicesBody(services: TimedService[]): z.infer<typeof serviceList> {
  return services.map((service) => ({
    service: service.id,
    name: service.name,
    type: service.type,
    category: service.category,
    rate: decimal(service.rate, 2),
    min: String(service.min),
    max: String(service.max),
    dripfeed: service.dripfeed,
    refill: service.refill,
    cancel: service.cancel,
    refill_days: service.refillDays,
    ...timesBody(service.times),
  }));
}

/** Times are whole seconds, rates shares of the ended orders. */
function timesBody(times: DeliveryTimes | null): DeliveryFields {
  const rates = times && ratesOf(times);
  return {
    delivery_p50: inSeconds(times?.p50Ms),
    delivery_p90: inSeconds(times?.p90Ms),
    delivery_samples: times && samplesOf(times),
    partial_rate: rates && toThousandths(rates.partial),
    cancel_rate: rates && toThousandths(rates.canceled),
  };
}

function inSeconds(ms: number | null | undefined): number | null {
  return ms ? Math.ceil(ms / 1000) : null;
}

function toThousandths(share: number): number {
  return Math.round(share * 1000) / 1000;
}

/**
 * Describes what changed in a list of services: who removes every service named here and then inserts those with an entry,
 * in this order and each behind the service `after`, has the current list. Services that did not change keep their order.
 */
export function changesBody(
  services: TimedService[],
  changed: ReadonlySet<number>,
  versions: { since: number; version: number },
): z.infer<typeof catalogChanges> {
  const onSale = new Set(services.map(({ id }) => id));
  const removed = [...changed].filter((id) => !onSale.has(id)).map((id) => ({ service: id, entry: null, after: null }));
  const entries = servicesBody(services);
  const set = services.flatMap(({ id }, index) => {
    const entry = entries[index];
    return entry && changed.has(id) ? [{ service: id, entry, after: services[index - 1]?.id ?? null }] : [];
  });
  return { ...versions, changes: [...removed, ...set] };
}
