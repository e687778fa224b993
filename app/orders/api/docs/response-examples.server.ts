import type { PanelAction } from "#app/orders/api/panel-actions.server.ts";

/** Answers as they look, by the name of their schema. A test parses each with that schema. */
export const ANSWER_EXAMPLES = {
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
    },
  ],
  PlacedOrder: { order: 23501 },
  OrderStatus: { charge: "0.27819", start_count: "3572", status: "Partial", remains: "157", currency: "USD" },
  OrderStatuses: {
    "1": { charge: "0.27819", start_count: "3572", status: "Partial", remains: "157", currency: "USD" },
    "2": { error: "Incorrect order ID" },
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

export type AnswerName = keyof typeof ANSWER_EXAMPLES;

type Action = { summary: string; description: string; request: string; answers: AnswerName[]; errors: string[] };

const ALWAYS = ["invalid_api_key", "missing_scope", "too_many_requests"];

/** The actions of the panel convention. One that the routes know and this does not is a type error. */
export const ACTIONS: Record<PanelAction, Action> = {
  services: {
    summary: "List the services",
    description: "What can be ordered, with rate and limits. Read it again from time to time: rates change.",
    request: "PanelServices",
    answers: ["ServiceList"],
    errors: ALWAYS,
  },
  add: {
    summary: "Place an order",
    description:
      "Which fields are needed depends on the service’s type. With a `request_id` the same request is one order however often it is sent.",
    request: "PanelAdd",
    answers: ["PlacedOrder"],
    errors: [
      ...ALWAYS,
      "unknown_service",
      "bad_link",
      "quantity_too_small",
      "quantity_too_large",
      "invalid_field",
      "insufficient_funds",
      "idempotency_conflict",
      "invalid_idempotency_key",
    ],
  },
  status: {
    summary: "Ask how orders stand",
    description: "One by `order`, or up to 100 by `orders`. An id that is not yours has an error in its place.",
    request: "PanelStatus",
    answers: ["OrderStatus", "OrderStatuses"],
    errors: [...ALWAYS, "order_not_found", "incorrect_request"],
  },
  balance: {
    summary: "Read the balance",
    description: "What is left to spend, as decimal text.",
    request: "PanelBalance",
    answers: ["Balance"],
    errors: ALWAYS,
  },
  refill: {
    summary: "Ask for a refill",
    description: "For delivered orders of services with `refill`. One by `order`, or up to 100 by `orders`.",
    request: "PanelRefill",
    answers: ["Refill", "Refills"],
    errors: [...ALWAYS, "order_not_found", "not_refillable", "refill_open", "incorrect_request"],
  },
  refill_status: {
    summary: "Ask how refills stand",
    description: "One by `refill`, or up to 100 by `refills`.",
    request: "PanelRefillStatus",
    answers: ["RefillStatus", "RefillStatuses"],
    errors: [...ALWAYS, "refill_not_found", "incorrect_request"],
  },
  cancel: {
    summary: "Ask to cancel orders",
    description:
      "For open orders of services with `cancel`. 1 means that the wish is taken; the order’s status tells what became of it, and what was not delivered is refunded.",
    request: "PanelCancel",
    answers: ["Cancellations"],
    errors: [...ALWAYS, "order_not_found", "not_cancelable", "incorrect_request"],
  },
};
