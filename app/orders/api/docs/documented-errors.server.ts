import { ERRORS, orderError } from "#app/orders/api/api-responses.server.ts";
import type { OrderRefusal } from "#app/orders/rules/order-input.ts";
import { ownValue } from "#app/own-value.ts";

export type DocumentedError = { code: string; status: number; text: string; advice: string };

/** Programs aren't asked about a doubtful link. */
type Reason = Exclude<OrderRefusal["reason"], "doubtful_link">;

/** One example per reason, so that status and text match the routes' responses. */
const ORDER_FAULTS: { [R in Reason]: Extract<OrderRefusal, { reason: R }> } = {
  unknown_service: { reason: "unknown_service" },
  bad_link: { reason: "bad_link" },
  quantity_too_small: { reason: "quantity_too_small", min: 50 },
  quantity_too_large: { reason: "quantity_too_large", max: 10_000 },
  invalid_field: { reason: "invalid_field", field: "runs", text: "Incorrect request" },
  insufficient_funds: { reason: "insufficient_funds" },
  charge_above_max: { reason: "charge_above_max", charge: 1_200_000, max: 900_000 },
  daily_cap_reached: { reason: "daily_cap_reached" },
  maintenance: { reason: "maintenance", text: "" },
  idempotency_conflict: { reason: "idempotency_conflict" },
};

/** Errors that routes return before they read the order. */
const EARLY_ERRORS = [
  { code: "invalid_request", status: 400, text: "The body is not valid JSON" },
  {
    code: "invalid_idempotency_key",
    status: 400,
    text: "request_id must be 1 to 255 printable characters without spaces",
  },
  { code: "missing_scope", status: 403, text: 'This key does not have the "order" scope' },
  { code: "not_found", status: 404, text: "There is no such endpoint" },
  { code: "method_not_allowed", status: 405, text: "Use POST" },
] as const;

type Code = keyof typeof ERRORS | Reason | (typeof EARLY_ERRORS)[number]["code"];

const ADVICE: Record<Code, string> = {
  invalid_api_key: "The key is missing, mistyped, revoked or expired. Create a new one in the dashboard.",
  email_unconfirmed: "Open the link we emailed to you, or send a new one from your dashboard.",
  address_not_allowed: "The key is limited to other addresses. Change them in the dashboard, or call from one of them.",
  missing_scope: "The key can read but not order. Use another key, or create one with both scopes.",
  invalid_request: "The body couldn't be read, or the key was in the URL. The message says which.",
  incorrect_request: "The action is unknown, or a field is missing. Check the action's fields on this page.",
  invalid_idempotency_key: "Use 1 to 255 printable characters without spaces, such as a UUID.",
  unknown_service: "Fetch the service list again: this service is no longer on sale.",
  bad_link:
    "Send a full URL that starts with https://, of a page that the service takes: a post, a profile, a video … Invisible characters at its ends are dropped; inside it, they are refused.",
  quantity_too_small: "Order at least the service's `min`.",
  quantity_too_large: "Order at most the service's `max`, or split the order.",
  invalid_field: "`field` names the field, and `title` says what it must be.",
  insufficient_funds: "Top up the balance, then send the same request again.",
  charge_above_max:
    "The price rose above your `max_charge`. Nothing was placed or charged. Send a higher `max_charge` to pay the new price.",
  daily_cap_reached:
    "The order costs more than the rest of the key's cap for today. The cap starts over at 00:00 UTC; change it in the dashboard.",
  maintenance:
    "We are working on the site. Nothing was placed or charged; `detail` says more. Wait, and send the same request again. Orders that you placed go on.",
  idempotency_conflict: "This key belongs to another order. Use a new key for a new order.",
  order_not_found: "You have no order with this ID. Test keys see only orders placed with test keys.",
  refill_not_found: "You have no refill with this ID. Test keys see only refills of test orders.",
  not_refillable: "The service doesn't offer refills, or the order isn't delivered yet.",
  refill_expired: "The service's `refill_days` have passed since the order ended; `status` returns `refill_until`.",
  refill_open:
    "Wait for the open refill to finish; `refill_status` returns its status. Within ten minutes, a repeated request returns its ID instead.",
  not_cancelable: "The service can't be canceled, or the order was final before you asked.",
  version_too_old: "Fetch the list of services without `since`, and go on from its `Catalog-Version`.",
  too_many_requests: "Wait for the number of seconds in `Retry-After`. This request changed nothing.",
  unavailable:
    "Wait for the number of seconds in `Retry-After`, then send the same request again. Within an hour, an order that may have been stored is not placed twice, with or without a key. To order the same again on purpose, send a key.",
  not_found: "Check the path on this page.",
  method_not_allowed: "Use POST.",
};

/** Returns every error code of the API, by status. */
export function documentedErrors(): DocumentedError[] {
  const known: { code: string; status: number; text: string }[] = [
    ...Object.values(ERRORS),
    ...Object.values(ORDER_FAULTS).map(orderError),
    ...EARLY_ERRORS,
  ];
  return known
    .map(({ code, status, text }) => ({ code, status, text, advice: ownValue(ADVICE, code) ?? "" }))
    .sort((a, b) => a.status - b.status || a.code.localeCompare(b.code));
}
