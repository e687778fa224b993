import { expect, test } from "vitest";
import { PANEL_API_V2 } from "#app/orders/providers/conventions/panel-api-v2.ts";
import { type AddOutcome, readAdd } from "./add-answer.ts";
import { readCancel } from "./cancel-answer.ts";
import { NOTHING_TAUGHT, type Reader, textKey } from "./reader.ts";
import { readRefill } from "./refill-answer.ts";
import { responseOf } from "./response.ts";

/** Answers that leave it open whether the order was taken: it is neither sent again nor refunded. */

const READER: Reader = { convention: PANEL_API_V2, words: NOTHING_TAUGHT };

const MAY_BE_TAKEN = [
  "Please wait while we process your order",
  "Your order is being processed, please wait",
  "Your order is processing",
  "Order #5512 is pending",
  "Order is under review, please wait up to 24 hours",
  "Queued. Service is currently overloaded",
  "Added to queue: too many requests",
  "Scheduled for later: service under maintenance",
  "Your order will start after maintenance",
  "Order will be started later because of high load",
  "Provider is unavailable, we will retry your order automatically",
  "Supplier offline. Your order stays in queue",
  "Payment of your order is pending",
  "Order 5512 created: Bad link",
  "Email could not be sent: invalid recipient address",
  "Forbidden: bot was blocked by the user",
  "Unknown column 'link' in 'field list'",
  "Incorrect integer value: '' for column 'quantity' at row 1",
  "Funds were deducted but the service was not found",
];

test("holds an order whose answer may say that it was taken, as an error, a message and a plain text", () => {
  for (const text of MAY_BE_TAKEN) {
    for (const body of [JSON.stringify({ error: text }), JSON.stringify({ message: text }), text]) {
      expect(read(body).kind, body).toBe("unknown");
    }
  }
  expect(read(JSON.stringify({ error: "Order placed. Slow down" }), 429).kind).toBe("unknown");
  expect(read("Your order is being processed, please wait", 429).kind).toBe("unknown");
});

test("holds an order whose refusal has a state of an order or its id beside it", () => {
  const bodies = [
    { status: "Pending", message: "Not enough funds" },
    { error: "Bad link", status: "In progress" },
    { error: "Bad link", data: { status: "queued" } },
    { error: { code: "link", message: "Bad link", order: 71 } },
  ];
  for (const body of bodies) expect(read(JSON.stringify(body)).kind, JSON.stringify(body)).toBe("unknown");
});

test("cancels no order because the API has moved, or takes no such call, in the words of frameworks", () => {
  const answers: [number, Record<string, unknown>][] = [
    [404, { message: "Cannot POST /api/v2", error: "Not Found", statusCode: 404 }],
    [404, { message: "Route POST:/api/v2 not found", error: "Not Found", statusCode: 404 }],
    [404, { error: "Page not found" }],
    [404, { error: { code: "404", message: "The page could not be found" } }],
    [404, { error: "The requested URL was not found on this server." }],
    [405, { detail: 'Method "POST" not allowed.' }],
    [405, { message: "The POST method is not supported for route api/v2. Supported methods: GET, HEAD." }],
    [415, { error: "Unsupported Media Type", message: "Unsupported Media Type: application/x-www-form-urlencoded" }],
    [410, { error: "This page has been removed" }],
    [200, { error: "Panel domain not found" }],
    [200, { error: "Domain expired" }],
  ];
  for (const [status, body] of answers) {
    expect(read(JSON.stringify(body), status).kind, JSON.stringify(body)).toBe("unknown");
  }
  expect(outcomeOf(read(JSON.stringify({ error: "Link not found" }), 404))).toBe("rejected target");
  expect(outcomeOf(read(JSON.stringify({ error: "Page not found" })))).toBe("rejected target");
  expect(outcomeOf(read(JSON.stringify({ error: "Service not found" }), 404))).toBe("rejected service");
});

test("still sends an order again for another order of its link, and refunds what was never taken", () => {
  const meant = (error: string) => outcomeOf(read(JSON.stringify({ error })));
  expect(meant("Please wait, we are processing previous order for this link")).toBe("deferred active_order");
  expect(meant("Your last order to this profile is still in progress")).toBe("deferred active_order");
  expect(meant("Order with this link is pending")).toBe("deferred active_order");
  expect(meant("The panel is under maintenance, nothing was deducted")).toBe("deferred maintenance");
  expect(meant("Please wait")).toBe("deferred busy");
  expect(outcomeOf(read(JSON.stringify({ status: "error", message: "Bad link" })))).toBe("rejected target");
  expect(outcomeOf(read(JSON.stringify({ status: "Canceled", error: "Bad link" })))).toBe("rejected target");
});

test("follows what staff taught of such a text", () => {
  const text = "Your order is processing";
  const words = { ...NOTHING_TAUGHT, errors: { [textKey(text)]: "busy" as const } };
  expect(outcomeOf(read(JSON.stringify({ error: text }), 200, { ...READER, words }))).toBe("deferred busy");
});

test("asks for no refill again whose answer may say that it was taken, and takes no no for a cancellation", () => {
  const refill = (raw: string, status = 200) => readRefill(responseOf(status, raw, 1000), READER).kind;
  expect(refill(JSON.stringify({ message: "Please wait while we process your request" }))).toBe("unknown");
  expect(refill("Please wait while we process your refill request")).toBe("unknown");
  expect(refill(JSON.stringify({ error: "Too many requests" }))).toBe("deferred");
  expect(refill(JSON.stringify({ error: "Your order is still in progress" }))).toBe("rejected");
  const cancel = (body: unknown) => readCancel(responseOf(200, JSON.stringify(body), 1000), READER, "5001").kind;
  expect(cancel({ status: "success", message: "Order can't be canceled" })).toBe("unknown");
  expect(cancel({ status: "success", message: "Cancellation requested" })).toBe("accepted");
});

function read(raw: string, httpStatus = 200, reader = READER): AddOutcome {
  return readAdd(responseOf(httpStatus, raw, 1000), reader, { hadUnknownAttempt: false, inputs: [] });
}

function outcomeOf(outcome: AddOutcome): string {
  if (outcome.kind === "rejected") return `rejected ${outcome.reason}`;
  return outcome.kind === "deferred" ? `deferred ${outcome.meaning}` : outcome.kind;
}
