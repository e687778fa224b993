import { z } from "zod";
import { ORDER_STATUSES, ORDER_TYPES, REFILL_STATUSES } from "#app/db/schema.server.ts";
import { parseWrittenId } from "#app/http/requests/id-param.ts";
import { type FieldKind, ORDER_FIELD_NAMES, type OrderFieldName, orderField } from "#app/orders/rules/order-input.ts";
import { MAX_LINK_CHARACTERS, MAX_LIST_CHARACTERS, MAX_TEXT_CHARACTERS } from "#app/orders/rules/order-limits.ts";
import { CURRENCY, MAX_INT32 } from "#app/product.ts";

/**
 * The API's requests and responses, from which `/api/openapi.json` is built. Routes parse ids with these schemas;
 * `parseOrder` parses an order's fields, whose list and limits `orderRequest` follows.
 * Numbers may be text, because a form has nothing else. Lists may be lines or a JSON array.
 */

export const MAX_IDS_PER_CALL = 100;
const digits = z.string().regex(/^\s*\d{1,10}\s*$/);
const id = z.union([z.int().min(1).max(MAX_INT32), digits]).transform((given) => parseWrittenId(String(given)) ?? 0);
/** "1,2,3" or a JSON array. Keeps the ids as the client wrote them. */
const ids = z
  .union([z.string(), z.array(z.union([z.int(), z.string()])).max(MAX_IDS_PER_CALL)])
  .transform((given) => (typeof given === "string" ? given.split(/[,\s]+/) : given.map(String)).filter(Boolean))
  .refine((list) => list.length >= 1 && list.length <= MAX_IDS_PER_CALL)
  .meta({ description: `Up to ${MAX_IDS_PER_CALL} ids, separated by commas.` });

/** An Idempotency-Key or request_id: 1 to 255 printable ASCII characters without spaces. */
export const requestId = z.string().regex(/^[\x21-\x7e]{1,255}$/);

const SCHEMA_OF_KIND: Record<FieldKind, z.ZodType<unknown, string | number | string[]>> = {
  text: z.string().max(MAX_TEXT_CHARACTERS),
  url: z.string().max(MAX_LINK_CHARACTERS),
  number: z.union([z.int().min(0).max(MAX_INT32), digits]),
  lines: z.union([z.string().max(MAX_LIST_CHARACTERS), z.array(z.string())]),
};

/** Describes an order. Which fields a service needs depends on its type. */
export const orderRequest = z.object({
  service: id.meta({ description: "Id from the list of services." }),
  ...Object.fromEntries(
    ORDER_FIELD_NAMES.map((name) => {
      const { kind } = orderField(name);
      return [name, SCHEMA_OF_KIND[kind].optional().meta({ description: describeField(name) })];
    }),
  ),
});

function describeField(name: OrderFieldName): string {
  const { label, help, choices = [] } = orderField(name);
  return [help ?? `${label}.`, ...choices.map((choice, index) => `${index + 1}: ${choice}.`)].join(" ");
}

export const oneOrder = z.object({ order: id });
export const severalOrders = z.object({ orders: ids });
export const oneRefill = z.object({ refill: id });
export const severalRefills = z.object({ refills: ids });

/* ---- responses ---- */

const amount = z.string().meta({ description: "Decimal text, as many digits as it needs.", examples: ["0.90"] });
const currency = z.literal(CURRENCY);
const countText = z.string().meta({ examples: ["157"] });

export const panelError = z.object({ error: z.string() });
const orError = <T extends z.ZodType>(body: T) => z.union([body, panelError]);

const seconds = z.int().nullable();
const share = z.number().min(0).max(1).nullable();
const time = z.iso.datetime().nullable();
const MEASURED =
  "Seconds, measured over the orders of the last 30 days, with those still open. Null: too few orders to tell.";

export const serviceList = z.array(
  z.object({
    service: z.int(),
    name: z.string(),
    type: z.enum(ORDER_TYPES),
    category: z.string(),
    rate: amount.meta({ description: "Per 1,000 pieces; for packages, per order." }),
    min: countText,
    max: countText,
    dripfeed: z.boolean(),
    refill: z.boolean(),
    cancel: z.boolean(),
    refill_days: z.int().nullable().meta({
      description: "Days after its end in which an order can be refilled. Null: no limit, or no refills.",
    }),
    delivery_p50: seconds.meta({ description: `Half of the orders are done within this. ${MEASURED}` }),
    delivery_p90: seconds.meta({ description: `Nine of ten orders are done within this. ${MEASURED}` }),
    delivery_samples: z.int().nullable().meta({ description: "Orders that the times and rates rest on." }),
    partial_rate: share.meta({ description: "Share of the ended orders that were delivered in part." }),
    cancel_rate: share.meta({ description: "Share of the ended orders that were canceled." }),
  }),
);
export const placedOrder = z.object({ order: z.int() });
export const orderStatus = z.object({
  charge: amount,
  start_count: z.string().meta({ description: "Empty until the provider reports it." }),
  status: z.enum(ORDER_STATUSES),
  remains: countText,
  currency,
  expected_by: time.meta({
    description: "When nine of ten orders of the service were done, as it was known at placing. Null: not known.",
  }),
  refill_until: time.meta({
    description: "The order can be refilled before this. Null: not ended yet, or the service sets no limit.",
  }),
});
export const orderStatuses = z.record(z.string(), orError(orderStatus));
export const balanceResponse = z.object({ balance: amount, currency });
export const refillResponse = z.object({ refill: z.string() });
export const refillResponses = z.array(z.object({ order: z.int(), refill: orError(z.int()) }));
export const refillStatusResponse = z.object({ status: z.enum(REFILL_STATUSES) });
export const refillStatusResponses = z.array(z.object({ refill: z.int(), status: orError(z.enum(REFILL_STATUSES)) }));
export const cancelResponses = z.array(z.object({ order: z.int(), cancel: orError(z.literal(1)) }));

export const createdOrder = z.object({
  id: z.int(),
  service: z.int(),
  link: z.string(),
  quantity: z.int(),
  runs: z.int(),
  charge: amount,
  currency,
  status: z.literal("Pending"),
  remains: z.int(),
  created_at: z.iso.datetime(),
});

export const problemDetails = z.object({
  type: z.string(),
  title: z.string(),
  status: z.int(),
  detail: z.string().optional(),
  code: z.string().meta({ description: "Stable, for programs.", examples: ["insufficient_funds"] }),
  field: z.string().optional().meta({ description: "The request field that caused the error." }),
  request_id: z.string(),
});

/** The schemas of responses, by their names in the OpenAPI document. */
export const RESPONSE_SCHEMAS = {
  CreatedOrder: createdOrder,
  Problem: problemDetails,
  PanelError: panelError,
  ServiceList: serviceList,
  PlacedOrder: placedOrder,
  OrderStatus: orderStatus,
  OrderStatuses: orderStatuses,
  Balance: balanceResponse,
  Refill: refillResponse,
  Refills: refillResponses,
  RefillStatus: refillStatusResponse,
  RefillStatuses: refillStatusResponses,
  Cancellations: cancelResponses,
};
