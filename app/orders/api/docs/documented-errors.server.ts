import { ERRORS, orderError } from "#app/orders/api/api-responses.server.ts";
import type { OrderRefusal } from "#app/orders/rules/order-input.ts";

export type DocumentedError = { code: string; status: number; text: string; advice: string };

/** One of each, so that status and text are the ones that the routes answer with. */
const ORDER_FAULTS: { [R in OrderRefusal["reason"]]: Extract<OrderRefusal, { reason: R }> } = {
  unknown_service: { reason: "unknown_service" },
  bad_link: { reason: "bad_link" },
  quantity_too_small: { reason: "quantity_too_small", min: 50 },
  quantity_too_large: { reason: "quantity_too_large", max: 10_000 },
  invalid_field: { reason: "invalid_field", field: "runs", text: "Incorrect request" },
  insufficient_funds: { reason: "insufficient_funds" },
  idempotency_conflict: { reason: "idempotency_conflict" },
};

/** Those that the edge of a route answers, before an order is looked at. */
const AT_THE_EDGE = [
  { code: "invalid_request", status: 400, text: "The body is not valid JSON" },
  { code: "invalid_idempotency_key", status: 400, text: "Give a request_id of 1 to 255 printable characters" },
  { code: "missing_scope", status: 403, text: 'This key has no scope "order"' },
  { code: "not_found", status: 404, text: "There is no such endpoint" },
  { code: "method_not_allowed", status: 405, text: "Use POST" },
] as const;

type Code = keyof typeof ERRORS | OrderRefusal["reason"] | (typeof AT_THE_EDGE)[number]["code"];

const ADVICE: Record<Code, string> = {
  invalid_api_key: "The key is missing, mistyped, revoked or expired. Make a new one in the dashboard.",
  missing_scope: "The key may read but not order. Use another, or make one with both scopes.",
  invalid_request: "The body could not be read, or the key was in the address. The text says which.",
  incorrect_request: "The action is unknown, or a field of it is missing. Compare it with the fields below.",
  invalid_idempotency_key: "Use 1 to 255 printable characters without spaces, such as a UUID.",
  unknown_service: "Read the list of services again: this one is not in it any more.",
  bad_link: "Send a whole address that begins with https://.",
  quantity_too_small: "Order at least the service’s min.",
  quantity_too_large: "Order at most the service’s max, or several times.",
  invalid_field: "`field` names it and `title` says what it must be.",
  insufficient_funds: "Top up the balance, then send the same request again.",
  idempotency_conflict: "This key stands for another order. Make a new key for a new order.",
  order_not_found: "No order of yours has this id. A test key sees only orders placed with test keys.",
  refill_not_found: "No refill of yours has this id.",
  not_refillable: "The service has no refill, or the order is not delivered yet.",
  refill_open: "A refill of this order is under way. Ask for its status.",
  not_cancelable: "The service cannot be canceled, or the order has ended.",
  too_many_requests: "Wait as many seconds as Retry-After says. Nothing was done.",
  not_found: "Check the path against this page.",
  method_not_allowed: "Send it with POST.",
};

/** Every code that the API answers with, by status. */
export function documentedErrors(): DocumentedError[] {
  const known: { code: string; status: number; text: string }[] = [
    ...Object.values(ERRORS),
    ...Object.values(ORDER_FAULTS).map(orderError),
    ...AT_THE_EDGE,
  ];
  return known
    .map(({ code, status, text }) => ({ code, status, text, advice: ADVICE[code as Code] }))
    .sort((a, b) => a.status - b.status || a.code.localeCompare(b.code));
}
