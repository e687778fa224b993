import { z } from "zod";
import { ORDER_STATUSES, ORDER_TYPES, REFILL_STATUSES } from "#app/db/schema.server.ts";
import { CURRENCY } from "#app/product.ts";

/**
 * The API's requests and answers, once: the routes parse with the requests, and `/api/openapi.json` is made of all.
 * Numbers may come as text, because a form has nothing else, and lists as lines or as a JSON array.
 */

export const MAX_IDS_A_CALL = 100;
const MAX_INT32 = 2_147_483_647;

const digits = z.string().regex(/^\s*\d{1,10}\s*$/);
const count = z.union([z.int().min(0).max(MAX_INT32), digits]).transform((given) => String(given).trim());
const id = z.union([z.int().min(1).max(MAX_INT32), digits]).transform(Number);
const text = z.string().max(2000);
const lines = z
  .union([z.string().max(200_000), z.array(z.string()).max(10_000)])
  .transform((given) => (typeof given === "string" ? given : given.join("\n")));
/** "1,2,3", or a JSON array: the ids as they were written. */
const ids = z
  .union([z.string(), z.array(z.union([z.int(), z.string()])).max(MAX_IDS_A_CALL)])
  .transform((given) => (typeof given === "string" ? given.split(/[,\s]+/) : given.map(String)).filter(Boolean))
  .refine((list) => list.length >= 1 && list.length <= MAX_IDS_A_CALL)
  .meta({ description: `Up to ${MAX_IDS_A_CALL} ids, separated by commas.` });

/** What an Idempotency-Key or a request_id may be. */
export const requestId = z.string().regex(/^[\x21-\x7e]{1,255}$/);

/** What describes an order. Which of it a service needs, its type says. */
export const orderRequest = z.object({
  service: id.meta({ description: "Id from the list of services." }),
  link: text.optional().meta({ description: "The page, post or profile that the order is for." }),
  quantity: count.optional().meta({ description: "Pieces in each run. Not for packages, nor where lines count." }),
  runs: count.optional().meta({ description: "Drip-feed: how many times the quantity is delivered." }),
  interval: count.optional().meta({ description: "Drip-feed: minutes between two runs." }),
  comments: lines.optional().meta({ description: "One comment a line." }),
  usernames: lines.optional().meta({ description: "One user name a line." }),
  hashtags: lines.optional().meta({ description: "One hashtag a line." }),
  hashtag: text.optional().meta({ description: "The hashtag whose users are mentioned." }),
  username: text.optional().meta({ description: "Whose followers, comment or posts the order is about." }),
  media: text.optional().meta({ description: "Address of the post whose likers are mentioned." }),
  keywords: lines.optional().meta({ description: "One keyword a line." }),
  groups: lines.optional().meta({ description: "One group a line." }),
  answer_number: count.optional().meta({ description: "The poll's answer to vote for, from 1." }),
  country: text.optional().meta({ description: "Where the visitors come from." }),
  device: count.optional().meta({ description: "1 desktop, 2 Android, 3 iOS, 4 mixed mobile, 5 all." }),
  type_of_traffic: count.optional().meta({ description: "1 by a Google keyword, 2 by a referring address, 3 direct." }),
  google_keyword: text.optional().meta({ description: "For type_of_traffic 1." }),
  referring_url: text.optional().meta({ description: "For type_of_traffic 2." }),
  min: count.optional().meta({ description: "Subscriptions: least pieces for a post." }),
  max: count.optional().meta({ description: "Subscriptions: most pieces for a post." }),
  posts: count.optional().meta({ description: "Subscriptions: how many new posts." }),
  old_posts: count.optional().meta({ description: "Subscriptions: how many posts that are there already." }),
  delay: count.optional().meta({ description: "Subscriptions: minutes to wait: 0, 5, 10, 15, 30, 60, 90 … 600." }),
  expiry: text.optional().meta({ description: "Subscriptions: last day, as day/month/year." }),
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
const orError = <T extends z.ZodType>(answer: T) => z.union([answer, panelError]);

export const serviceList = z.array(
  z.object({
    service: z.int(),
    name: z.string(),
    type: z.enum(ORDER_TYPES),
    category: z.string(),
    rate: amount.meta({ description: "For 1,000 pieces; for packages, for an order." }),
    min: countText,
    max: countText,
    dripfeed: z.boolean(),
    refill: z.boolean(),
    cancel: z.boolean(),
  }),
);
export const placedOrder = z.object({ order: z.int() });
export const orderStatus = z.object({
  charge: amount,
  start_count: z.string().meta({ description: "Empty until the provider has told it." }),
  status: z.enum(ORDER_STATUSES),
  remains: countText,
  currency,
});
export const orderStatuses = z.record(z.string(), orError(orderStatus));
export const balanceResponse = z.object({ balance: amount, currency });
export const refillResponse = z.object({ refill: z.string() });
export const refillResponses = z.array(z.object({ order: z.int(), refill: orError(z.literal(1)) }));
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
  field: z.string().optional().meta({ description: "The field of the request that is at fault." }),
  request_id: z.string(),
});
