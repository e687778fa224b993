import { z } from "zod";
import { ORDER_TYPES, WEBHOOK_EVENTS, type WebhookEvent } from "#app/db/schema.server.ts";
import { FINAL_STATUSES } from "#app/orders/rules/order-status.ts";

const orderData = z.object({
  order: z.int().describe("The order's ID."),
  service: z.int().describe("The service's ID."),
  status: z.enum(FINAL_STATUSES),
  charge: z.string().describe("What the order cost in the end, after the refund."),
  remains: z.int().describe("How many were not delivered."),
  currency: z.string(),
});
const balanceData = z.object({
  balance: z.string(),
  below: z.string().describe("The amount you set."),
  currency: z.string(),
});

const serviceTerms = z.object({
  name: z.string(),
  category: z.string(),
  type: z.enum(ORDER_TYPES),
  rate: z.string().describe("Per 1,000 pieces; for packages, per order."),
  min: z.int(),
  max: z.int(),
  dripfeed: z.boolean(),
  refill: z.boolean(),
  refill_days: z.int().nullable().describe("Null: refills have no deadline."),
  cancel: z.boolean(),
});
const catalogData = z.object({
  since: z.int().describe("The version of the catalog after which the changes came."),
  version: z.int().describe("The version that has them."),
  services: z
    .array(
      z.object({
        service: z.int(),
        change: z.enum(["added", "changed", "removed"]),
        before: serviceTerms.nullable(),
        after: serviceTerms.nullable(),
      }),
    )
    .describe("Up to 100 services, each once."),
  more: z.boolean().describe("Whether more changed. GET /api/services?since= returns everything."),
  currency: z.string(),
});

type DocumentedEvent = { description: string; data: z.ZodObject; example: Record<string, unknown> };

const ORDER = { order: 23501, service: 1, currency: "USD" };

const TERMS = {
  name: "Instagram followers, 30-day refill",
  category: "Instagram Followers",
  type: "Default",
  rate: "0.90",
  min: 50,
  max: 10_000,
  dripfeed: true,
  refill: true,
  refill_days: 30,
  cancel: true,
};

/** What each event's body has in `data`. The example is parsed with the schema by a test. */
export const DOCUMENTED_EVENTS: Record<WebhookEvent, DocumentedEvent> = {
  "order.completed": {
    description: "An order was delivered in full.",
    data: orderData,
    example: { ...ORDER, status: "Completed", charge: "0.90", remains: 0 },
  },
  "order.partial": {
    description: "An order ended early. We refunded the undelivered part.",
    data: orderData,
    example: { ...ORDER, status: "Partial", charge: "0.45", remains: 500 },
  },
  "order.canceled": {
    description: "An order was canceled and refunded.",
    data: orderData,
    example: { ...ORDER, status: "Canceled", charge: "0.00", remains: 1000 },
  },
  "balance.low": {
    description: "Your balance fell below the amount you set. Sent once, and again after it was above it.",
    data: balanceData,
    example: { balance: "4.20", below: "5.00", currency: "USD" },
  },
  "service.changed": {
    description:
      "Services were added, changed their price or terms, or went off sale. Sent once a minute at most, to webhooks that get catalog changes.",
    data: catalogData,
    example: {
      since: 1041,
      version: 1043,
      services: [
        { service: 1, change: "changed", before: { ...TERMS, rate: "0.80" }, after: TERMS },
        { service: 2, change: "removed", before: { ...TERMS, name: "Instagram likes" }, after: null },
      ],
      more: false,
      currency: "USD",
    },
  },
  "webhook.test": {
    description: "You pressed Send test.",
    data: z.object({ message: z.string() }),
    example: { message: "Test event" },
  },
};

/** Returns the whole body of an event. */
export function exampleOfEvent(event: WebhookEvent) {
  return { type: event, timestamp: "2026-11-22T10:15:00.000Z", data: DOCUMENTED_EVENTS[event].example };
}

export function bodySchema(event: WebhookEvent) {
  return z.object({
    type: z.literal(event),
    timestamp: z.iso.datetime().describe("When it happened."),
    data: DOCUMENTED_EVENTS[event].data,
  });
}

const HEADERS = {
  "webhook-id": "The same for every attempt and resend of an event. Ignore an ID that you have processed.",
  "webhook-timestamp":
    "When this attempt was signed, in seconds since 1970. Refuse one that is older than five minutes.",
  "webhook-signature":
    "`v1,` and the base64 of an HMAC-SHA256 over `webhook-id.webhook-timestamp.body`, with the decoded part of your secret after `whsec_` as key. For a day after you replaced the secret there are two, separated by a space.",
};

/** The `webhooks` section of the OpenAPI document. */
export function openApiWebhooks() {
  return Object.fromEntries(
    WEBHOOK_EVENTS.map((event) => {
      const { $schema: _, ...schema } = z.toJSONSchema(bodySchema(event), { io: "input" });
      return [event, { post: operationOf(event, schema) }];
    }),
  ) as Record<WebhookEvent, { post: ReturnType<typeof operationOf> }>;
}

function operationOf(event: WebhookEvent, schema: object) {
  return {
    operationId: `webhook-${event}`,
    summary: DOCUMENTED_EVENTS[event].description,
    // Signed, so without a key.
    security: [],
    parameters: Object.entries(HEADERS).map(([name, description]) => ({
      name,
      in: "header",
      required: true,
      description,
      schema: { type: "string" },
    })),
    requestBody: {
      required: true,
      content: { "application/json": { schema, examples: { event: { value: exampleOfEvent(event) } } } },
    },
    responses: {
      "2XX": { description: "Accepted, within 15 seconds. The body is ignored." },
      default: { description: "Failed, also a redirect. The event is sent again." },
    },
  };
}
