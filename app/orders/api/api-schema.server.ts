import { z } from "zod";
import { ORDER_STATUSES, ORDER_TYPES, REFILL_STATUSES } from "#app/db/schema.server.ts";
import { parseWrittenId } from "#app/http/requests/id-param.ts";
import { type FieldKind, ORDER_FIELD_NAMES, type OrderFieldName, orderField } from "#app/orders/rules/order-input.ts";
import { MAX_LINK_CHARACTERS, MAX_LIST_CHARACTERS, MAX_TEXT_CHARACTERS } from "#app/orders/rules/order-limits.ts";
import { CURRENCY, MAX_INT32 } from "#app/product.ts";
import {
  MAX_METADATA_CHARACTERS,
  MAX_METADATA_ENTRIES,
  MAX_METADATA_NAME_CHARACTERS,
  MAX_METADATA_TEXT_CHARACTERS,
  MAX_REFERENCE_CHARACTERS,
} from "./order-notes.server.ts";
import { SUBSCRIPTION_STATUSES } from "./subscription-posts.ts";

/**
 * The API's requests and responses, from which `/api/openapi.json` is built. Routes parse ids with these schemas;
 * `parseOrder` parses an order's fields, whose list and limits `orderRequest` follows.
 * Numbers may be text, because a form has nothing else. Lists may be lines or a JSON array.
 */

export const MAX_IDS_PER_CALL = 100;
const digits = z.string().regex(/^\s*\d{1,10}\s*$/);
const id = z.union([z.int().min(1).max(MAX_INT32), digits]).transform((given) => parseWrittenId(String(given)) ?? 0);
/** One more than are allowed, and an empty one at the start and at the end. */
const MAX_SPLIT_IDS = MAX_IDS_PER_CALL + 3;
/** "1,2,3", a JSON array, or one as text, as clients make it of a list. Keeps the ids as the client wrote them. */
const ids = z
  .union([z.string(), z.array(z.union([z.int(), z.string()])).max(MAX_IDS_PER_CALL)])
  .transform((given) =>
    (typeof given === "string" ? given.split(/[,\s[\]"']+/, MAX_SPLIT_IDS) : given.map(String)).filter(Boolean),
  )
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

const reference = z
  .string()
  .min(1)
  .max(MAX_REFERENCE_CHARACTERS)
  .meta({ description: "Your own text for the order, by which you find it again. Need not be unique." });
const metadata = z
  .record(
    z.string().min(1).max(MAX_METADATA_NAME_CHARACTERS),
    z.union([z.string().max(MAX_METADATA_TEXT_CHARACTERS), z.number(), z.boolean()]),
  )
  .meta({
    description: `Your own data for the order, returned with it: up to ${MAX_METADATA_ENTRIES} texts, numbers and booleans, ${MAX_METADATA_CHARACTERS} characters as JSON. In a form, send it as JSON text.`,
  });
/** Fields that an order has only if its caller sent them. */
const notes = { reference: reference.optional(), metadata: metadata.optional() };

/** Describes an order. Which fields a service needs depends on its type. */
export const orderRequest = z.object({
  service: id.meta({ description: "Id from the list of services." }),
  ...Object.fromEntries(
    ORDER_FIELD_NAMES.map((name) => {
      const { kind } = orderField(name);
      return [name, SCHEMA_OF_KIND[kind].optional().meta({ description: describeField(name) })];
    }),
  ),
  max_charge: z
    .union([z.number().min(0), z.string().regex(/^\s*\d{1,9}(\.\d{1,6})?\s*$/)])
    .optional()
    .meta({
      description:
        "The most that the order may cost, as a decimal such as 0.90. If it costs more, nothing is placed or charged. A repeat with the same idempotency key returns the first order, whatever its `max_charge`.",
    }),
  ...notes,
});

function describeField(name: OrderFieldName): string {
  const { label, help, choices = [], isSplitAtCommas } = orderField(name);
  const commas = isSplitAtCommas ? ["Some services refuse commas in it."] : [];
  return [help ?? `${label}.`, ...commas, ...choices.map((choice, index) => `${index + 1}: ${choice}.`)].join(" ");
}

export const MAX_ORDERS_PER_PAGE = 100;
const DEFAULT_ORDERS_PER_PAGE = 50;

/** Describes which orders `GET /api/v1/orders` lists. */
export const listQuery = z.object({
  limit: z.coerce
    .number<string>()
    .int()
    .min(1)
    .max(MAX_ORDERS_PER_PAGE)
    .default(DEFAULT_ORDERS_PER_PAGE)
    .meta({ description: `Orders per page, up to ${MAX_ORDERS_PER_PAGE}.` }),
  cursor: id.optional().meta({ description: "`next_cursor` of the page before." }),
  reference: reference.transform((text) => text.trim()).optional(),
  status: z.enum(ORDER_STATUSES).optional(),
});

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
/** Fields of a listed service that are measured anew every ten minutes, without a new version of the catalog. */
export const MEASURED_FIELDS = [
  "delivery_p50",
  "delivery_p90",
  "delivery_samples",
  "partial_rate",
  "cancel_rate",
] as const;
const MEASURED_NAMES = MEASURED_FIELDS.map((name) => `\`${name}\``).join(", ");
const MEASURED =
  "Seconds, measured over the orders of the last 30 days, with those still open. Null: too few orders to tell.";

const listedService = z.object({
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
});
export const serviceList = z.array(listedService);
export const catalogChanges = z.object({
  since: z.int(),
  version: z.int().meta({ description: "Send it as `since` next time." }),
  changes: z
    .array(
      z.object({
        service: z.int(),
        entry: listedService.nullable().meta({ description: "As in the list. Null: off sale." }),
        after: z.int().nullable().meta({ description: "The service that stands before it. Null: it is the first." }),
      }),
    )
    .meta({
      description: `Remove each of these services from your list. Then insert those with an \`entry\`, in this order, each behind \`after\`. The result has the services of the current list in its order, with every field as it is there, except the measured ones: ${MEASURED_NAMES}. They change without a new version, so those of services that are not named here are as old as your list.`,
    }),
});
const terms = {
  expected_by: time.meta({
    description: "When nine of ten orders of the service were done, as it was known at placing. Null: not known.",
  }),
  refill_until: time.meta({
    description: "The order can be refilled before this. Null: not ended yet, or the service sets no limit.",
  }),
};
const priceRule = z
  .object({
    kind: z.enum(["tier", "code"]),
    name: z.string(),
    percent: z.number().nullable().meta({ description: "What it took off. Null: a tier with rates of its own." }),
  })
  .meta({ description: "The tier of your account, or the code, that lowered the charge." });
const discount = amount.meta({ description: "What `price_rule` took off the usual charge." });
/** Fields that an order has only if a rule lowered its charge. */
const lowered = { price_rule: priceRule.optional(), discount: discount.optional() };
export const placedOrder = z.object({ order: z.int() });
export const orderStatus = z.object({
  charge: amount,
  start_count: z.string().meta({ description: "Empty until the provider reports it." }),
  status: z.enum(ORDER_STATUSES),
  remains: countText,
  currency,
  ...terms,
  ...notes,
});
/** A subscription in the words of the panel convention, with the fields of every order's status. */
export const subscriptionStatus = orderStatus.extend({
  status: z.enum(SUBSCRIPTION_STATUSES).meta({
    description:
      "Active until it ends. Expired: it ended before every post got an order, and the rest was refunded. Canceled: no post got anything, and all of it was refunded.",
  }),
  expiry: z.iso.date().nullable().meta({ description: "The last day that you ordered it for. Null: none." }),
  posts: z.string().meta({ description: "How many posts got an order.", examples: ["3"] }),
  orders: z.array(z.string()).meta({
    description: "The ids of those posts' orders, which `status` answers too. Their charges add up to `charge`.",
  }),
});
export const orderStatuses = z.record(z.string(), z.union([orderStatus, subscriptionStatus, panelError]));
/** Statuses outside the panel convention, whose bodies stay as its clients know them. */
export const pricedStatus = orderStatus.extend(lowered);
export const pricedSubscription = subscriptionStatus.extend(lowered);
export const pricedStatuses = z.record(z.string(), z.union([pricedStatus, pricedSubscription, panelError]));
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
  ...lowered,
  ...notes,
});

export const listedOrder = z.object({
  id: z.int(),
  service: z.int(),
  link: z.string(),
  quantity: z.int(),
  runs: z.int(),
  charge: amount,
  refunded: amount,
  price_rule: priceRule.nullable(),
  discount,
  currency,
  status: z.enum(ORDER_STATUSES),
  start_count: z.int().nullable(),
  remains: z.int(),
  ...terms,
  reference: reference.nullable(),
  metadata: metadata.nullable(),
  created_at: z.iso.datetime(),
});
export const orderList = z.object({
  orders: z.array(listedOrder),
  next_cursor: z.string().nullable().meta({
    description:
      "The `cursor` of the next page, or null if this is the last. A page may be short and still have a next.",
  }),
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
  OrderList: orderList,
  Problem: problemDetails,
  PanelError: panelError,
  ServiceList: serviceList,
  CatalogChanges: catalogChanges,
  PlacedOrder: placedOrder,
  OrderStatus: orderStatus,
  SubscriptionStatus: subscriptionStatus,
  OrderStatuses: orderStatuses,
  PricedStatus: pricedStatus,
  PricedSubscription: pricedSubscription,
  PricedStatuses: pricedStatuses,
  Balance: balanceResponse,
  Refill: refillResponse,
  Refills: refillResponses,
  RefillStatus: refillStatusResponse,
  RefillStatuses: refillStatusResponses,
  Cancellations: cancelResponses,
};
