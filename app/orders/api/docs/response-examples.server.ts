import type { PanelAction } from "#app/orders/api/panel-actions.server.ts";

const STATUS = {
  charge: "0.27819",
  start_count: "3572",
  status: "Partial",
  remains: "157",
  currency: "USD",
  expected_by: "2026-11-21T12:43:05.000Z",
  refill_until: "2026-12-21T12:10:00.000Z",
} as const;

const SUBSCRIPTION = {
  charge: "9.00",
  start_count: "",
  status: "Active",
  remains: "200",
  currency: "USD",
  expected_by: null,
  refill_until: null,
  expiry: "2026-12-31",
  posts: "3",
  orders: ["100000640", "100000641", "100000642"],
} as const;

const LOWERED = { price_rule: { kind: "tier", name: "Gold", percent: 10 }, discount: "0.03091" } as const;

/** Example responses by schema name. A test parses each with its schema. */
export const RESPONSE_EXAMPLES = {
  CreatedOrder: {
    id: 23501,
    service: 1,
    link: "https://instagram.com/growline",
    quantity: 1000,
    runs: 1,
    charge: "0.90",
    currency: "USD",
    status: "Pending",
    remains: 1000,
    created_at: "2026-11-21T09:30:00.000Z",
  },
  OrderList: {
    orders: [
      {
        id: 23501,
        service: 1,
        link: "https://instagram.com/growline",
        quantity: 1000,
        runs: 1,
        charge: "0.90",
        refunded: "0.00",
        price_rule: { kind: "tier", name: "Gold", percent: 10 },
        discount: "0.10",
        currency: "USD",
        status: "In progress",
        start_count: 3572,
        remains: 157,
        expected_by: "2026-11-21T12:43:05.000Z",
        refill_until: null,
        reference: "invoice-1042",
        metadata: { customer: "C-77", priority: 2 },
        created_at: "2026-11-21T09:30:00.000Z",
      },
    ],
    next_cursor: "23501",
  },
  Problem: {
    type: "/api/docs#insufficient_funds",
    title: "Not enough funds on balance",
    status: 402,
    code: "insufficient_funds",
    request_id: "5c1f7d0e-6a4b-4a4e-9c0b-2f1d3f6f8a11",
  },
  PanelError: { error: "Incorrect order ID" },
  ServiceList: [
    {
      service: 1,
      name: "Instagram followers, 30-day refill",
      type: "Default",
      category: "Instagram Followers",
      rate: "0.90",
      min: "50",
      max: "10000",
      dripfeed: true,
      refill: true,
      cancel: true,
      refill_days: 30,
      delivery_p50: 2900,
      delivery_p90: 11585,
      delivery_samples: 412,
      partial_rate: 0.021,
      cancel_rate: 0.005,
    },
  ],
  CatalogChanges: {
    since: 1041,
    version: 1043,
    changes: [
      { service: 2, entry: null, after: null },
      {
        service: 3,
        entry: {
          service: 3,
          name: "Instagram likes",
          type: "Default",
          category: "Instagram Likes",
          rate: "0.30",
          min: "10",
          max: "50000",
          dripfeed: false,
          refill: false,
          cancel: true,
          refill_days: null,
          delivery_p50: 1448,
          delivery_p90: 5793,
          delivery_samples: 1207,
          partial_rate: 0.01,
          cancel_rate: 0.004,
        },
        after: 1,
      },
    ],
  },
  PlacedOrder: { order: 23501 },
  OrderStatus: STATUS,
  SubscriptionStatus: SUBSCRIPTION,
  OrderStatuses: {
    "1": STATUS,
    "2": { error: "Incorrect order ID" },
    "10": SUBSCRIPTION,
  },
  PricedStatus: { ...STATUS, ...LOWERED },
  PricedSubscription: { ...SUBSCRIPTION, ...LOWERED },
  PricedStatuses: {
    "1": { ...STATUS, ...LOWERED },
    "2": { error: "Incorrect order ID" },
    "10": { ...SUBSCRIPTION, ...LOWERED },
  },
  Balance: { balance: "100.84292", currency: "USD" },
  Refill: { refill: "1" },
  Refills: [
    { order: 1, refill: 1 },
    { order: 2, refill: { error: "This order cannot be refilled" } },
  ],
  RefillStatus: { status: "Completed" },
  RefillStatuses: [
    { refill: 1, status: "Completed" },
    { refill: 2, status: { error: "Refill not found" } },
  ],
  Cancellations: [
    { order: 1, cancel: 1 },
    { order: 2, cancel: { error: "This order cannot be canceled" } },
  ],
} as const;

export type ResponseName = keyof typeof RESPONSE_EXAMPLES;

type Action = { summary: string; description: string; request: string; responses: ResponseName[]; errors: string[] };

const ALWAYS = ["invalid_api_key", "email_unconfirmed", "address_not_allowed", "missing_scope", "too_many_requests"];

/** Documentation of the panel actions. An action that is missing here fails to compile. */
export const ACTIONS: Record<PanelAction, Action> = {
  services: {
    summary: "List the services",
    description:
      "The services on sale with rates, limits, refill days and measured delivery times. Fetch it regularly: rates change. The list has a `Catalog-Version` header; with `since` you get what changed after that version: services added, taken off sale or moved, and new terms. Delivery times and rates are measured anew every ten minutes without a new version. For current ones, fetch the whole list; its ETag changes with them.",
    request: "PanelServices",
    responses: ["ServiceList", "CatalogChanges"],
    errors: [...ALWAYS, "incorrect_request", "version_too_old"],
  },
  add: {
    summary: "Place an order",
    description:
      "The required fields depend on the service's type. With a `request_id` you can retry safely: the same request is placed once.",
    request: "PanelAdd",
    responses: ["PlacedOrder"],
    errors: [
      ...ALWAYS,
      "unknown_service",
      "bad_link",
      "quantity_too_small",
      "quantity_too_large",
      "invalid_field",
      "insufficient_funds",
      "charge_above_max",
      "daily_cap_reached",
      "idempotency_conflict",
      "invalid_idempotency_key",
    ],
  },
  status: {
    summary: "Get order statuses",
    description:
      "One with `order`, or up to 100 with `orders`, for which `orders` and `multi_status` are other names of the action. An ID that isn't yours returns an error in its place. A subscription has a status of its own and lists the order of each post that got one; their IDs are for `status` only.",
    request: "PanelStatus",
    responses: ["OrderStatus", "SubscriptionStatus", "OrderStatuses"],
    errors: [...ALWAYS, "order_not_found", "incorrect_request"],
  },
  balance: {
    summary: "Get the balance",
    description: "Your balance as a decimal string.",
    request: "PanelBalance",
    responses: ["Balance"],
    errors: ALWAYS,
  },
  refill: {
    summary: "Request a refill",
    description:
      "For delivered orders of services with `refill`, until the order's `refill_until`. One with `order`, or up to 100 with `orders`.",
    request: "PanelRefill",
    responses: ["Refill", "Refills"],
    errors: [...ALWAYS, "order_not_found", "not_refillable", "refill_expired", "refill_open", "incorrect_request"],
  },
  refill_status: {
    summary: "Get refill statuses",
    description: "One with `refill`, or up to 100 with `refills`.",
    request: "PanelRefillStatus",
    responses: ["RefillStatus", "RefillStatuses"],
    errors: [...ALWAYS, "refill_not_found", "incorrect_request"],
  },
  cancel: {
    summary: "Cancel orders",
    description:
      "For open orders of services with `cancel`. 1 means the cancellation was requested, now or before. The order's status shows the result, and the undelivered part is refunded.",
    request: "PanelCancel",
    responses: ["Cancellations"],
    errors: [...ALWAYS, "order_not_found", "not_cancelable", "incorrect_request"],
  },
};
