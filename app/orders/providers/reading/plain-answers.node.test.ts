import { expect, test } from "vitest";
import { PANEL_API_V2 } from "#app/orders/providers/conventions/panel-api-v2.ts";
import { readAdd } from "./add-answer.ts";
import { countOf } from "./answer-numbers.ts";
import { readBalance as balanceIn } from "./balance-answer.ts";
import { readCancel } from "./cancel-answer.ts";
import { NOTHING_TAUGHT } from "./reader.ts";
import { readRefill } from "./refill-answer.ts";
import type { ProviderResponse } from "./response.ts";
import { readRefillStates, readStates } from "./states-answer.ts";
import { statusOf } from "./status-report.ts";

const READER = { convention: PANEL_API_V2, words: NOTHING_TAUGHT };
const readAddResponse = (response: ProviderResponse) =>
  readAdd(response, READER, { hadUnknownAttempt: false, inputs: [] });
const mapStatus = (word: unknown) => (typeof word === "string" ? statusOf(word, READER) : null);
const entryOf = (entry: unknown) => {
  const answer = readStates(json({ "7": entry }), READER, ["7"], "many");
  return answer.kind === "entries" ? answer.entries.get("7") : undefined;
};
const readBalance = (response: ProviderResponse) => balanceIn(response, READER);

const json = (body: unknown) => ({ kind: "json", body, raw: JSON.stringify(body), httpStatus: 200 }) as const;

test("accepts an id as a number or text", () => {
  expect(readAddResponse(json({ order: 23501 }))).toEqual({ kind: "accepted", providerOrderId: "23501" });
  expect(readAddResponse(json({ order: " a-7 " }))).toEqual({ kind: "accepted", providerOrderId: "a-7" });
});

test("accepts no order whose answer says no beside its id, wherever that stands", () => {
  for (const refused of [
    { order: 5001, error: "Link duplicate" },
    { order: 5001, status: "error", message: "Duplicate order" },
    { order: { id: 5001, status: "failed" } },
  ]) {
    for (const body of [refused, [refused], { data: refused }, { data: [refused] }, { result: { data: refused } }]) {
      expect(readAddResponse(json(body)).kind, JSON.stringify(body)).toBe("unknown");
    }
  }
});

test("takes the id of a call for no order's, however deep the order stands", () => {
  const call = { jsonrpc: "2.0", id: 1, result: { order: 5001 } };
  expect(readAddResponse(json(call))).toEqual({ kind: "accepted", providerOrderId: "5001" });
  expect(readAddResponse(json({ data: call }))).toEqual({ kind: "accepted", providerOrderId: "5001" });
  expect(readAddResponse(json({ data: { data: call } })).kind).toBe("unknown");
});

test("reads a balance as panels write it, and none from anything else", () => {
  const balanceOf = (balance: unknown) => readBalance(json({ balance, currency: "EUR" }))?.balance ?? null;
  expect(readBalance(json({ balance: "100.84292", currency: " USD " }))).toEqual({
    balance: 100_842_920,
    currency: "USD",
  });
  expect(readBalance(json({ balance: 7 }))).toEqual({ balance: 7_000_000, currency: "" });
  expect(balanceOf("1,250,000.50")).toBe(1_250_000_500_000);
  expect(balanceOf("-3.5")).toBe(-3_500_000);
  expect(balanceOf("0.00000049")).toBe(0);
  for (const wrong of ["", "12 of 30", "1e99", null, true, {}, "10000000000"]) {
    expect(balanceOf(wrong), String(wrong)).toBeNull();
  }
  expect(readBalance(json([]))).toBeNull();
  expect(readBalance(json({ error: "Invalid API key" }))).toBeNull();
});

test("rejects only for an explicit error about the order", () => {
  expect(readAddResponse(json({ error: "Link is private" }))).toEqual({
    kind: "rejected",
    error: "Link is private",
    reason: "target",
  });
  for (const body of [{}, [], null, { order: "" }, { error: { text: "no" } }, { order: 7, error: "odd" }, "Bad"]) {
    expect(readAddResponse(json(body)).kind, JSON.stringify(body)).not.toBe("rejected");
  }
});

/** Errors as panels write them. */
const ERRORS = {
  busy: ["Too many requests", "Rate limit exceeded", "Please try again later", "The panel is under maintenance"],
  service: ["Service is temporarily unavailable"],
  active_order: [
    "You have active order with this link. Please wait until order being completed.",
    "neworder.error.link_duplicate",
  ],
  key: [
    "Invalid API key",
    "Incorrect key",
    "API key not found",
    "Unauthorized",
    "Your account is suspended",
    "Your IP is not allowed",
  ],
  funds: ["Not enough funds on balance", "neworder.error.not_enough_funds", "Insufficient balance", "Low balance"],
  order: [
    "Bad link",
    "Incorrect link",
    "Link is private",
    "neworder.error.link",
    "This account is private",
    "Incorrect quantity",
    "Quantity less than minimal 100",
    "Quantity more than maximum 5000",
    "neworder.error.min_quantity",
    "Incorrect service ID",
    "Service not found",
    "This service is disabled",
    "Invalid username",
    "Make sure your profile is not private",
    "Bad link: https://example.com/api-key",
    "Incorrect link https://example.com/not-enough-funds?try=again",
  ],
  unknown: [
    "Failed for https://example.com/page",
    "Error",
    "Something went wrong",
    "Internal error",
    "",
    "Database is locked",
    "Account blocked",
  ],
};

test("cancels for what concerns the order, defers what concerns all orders, and holds what it does not know", () => {
  const read = (error: string) => {
    const outcome = readAddResponse(json({ error }));
    return outcome.kind === "deferred" ? outcome.cause : outcome.kind === "rejected" ? "order" : outcome.kind;
  };
  for (const [meaning, texts] of Object.entries(ERRORS)) {
    for (const text of texts) expect(read(text), text).toBe(meaning);
  }
});

test("defers an order by HTTP status, whatever the body says", () => {
  const html = { kind: "unreadable", why: "not JSON", raw: "<html>", httpStatus: 429 } as const;
  expect(readAddResponse(html)).toMatchObject({ kind: "deferred", cause: "busy" });
  expect(readAddResponse({ ...json({ error: "no" }), httpStatus: 401 })).toMatchObject({ cause: "key" });
  expect(readAddResponse({ ...json({ error: "no" }), httpStatus: 402 })).toMatchObject({ cause: "funds" });
});

test("takes no id that it could not ask for again", () => {
  const refused = [
    0,
    -5,
    1.5,
    2 ** 60,
    "0",
    "-5",
    "1,2,3",
    "__proto__",
    "",
    " ",
    "a b",
    "x".repeat(150_000),
    null,
    true,
    {},
  ];
  for (const order of refused)
    expect(readAddResponse(json({ order })).kind, String(order).slice(0, 20)).toBe("unknown");
  for (const order of [7, "7", "a-7", "0191e1f4-7c3d-7d2a-8f10-9b1c2d3e4f50"]) {
    expect(readAddResponse(json({ order }))).toEqual({ kind: "accepted", providerOrderId: String(order) });
  }
});

test("accepts an order that has an id, and no other, whatever is beside the id", () => {
  const accepted = { kind: "accepted", providerOrderId: "7" };
  expect(readAddResponse({ ...json({ order: 7, error: null }), httpStatus: 429 })).toEqual(accepted);
  expect(readAddResponse(json({ order: null, error: "Bad link" }))).toMatchObject({ kind: "rejected" });
  expect(readAddResponse(json({ order: null, error: "Too many requests" }))).toMatchObject({ kind: "deferred" });
});

test("reads anything else as unknown", () => {
  const response = { kind: "no_response", why: "time-out", raw: "", httpStatus: null } as const;
  expect(readAddResponse(response)).toEqual({ kind: "unknown", why: "time-out" });
  expect(readAddResponse(json({ status: "ok" })).kind).toBe("unknown");
});

test("maps known spellings and does not guess unknown ones", () => {
  expect(["In progress", "in_progress", "Inprogress"].map(mapStatus)).toEqual(Array(3).fill("In progress"));
  expect(["Cancelled", "canceled", "CANCELED"].map(mapStatus)).toEqual(Array(3).fill("Canceled"));
  expect(["Active", "Expired", "Fail", "Error"].map(mapStatus)).toEqual([
    "In progress",
    "Partial",
    "Canceled",
    "Canceled",
  ]);
  expect(mapStatus("Awaiting moon")).toBeNull();
  expect(mapStatus("Completed?")).toBeNull();
  expect(mapStatus(7)).toBeNull();
});

test("rejects statuses that name inherited object properties", () => {
  const words = ["constructor", "Constructor", "valueOf", "to-string", "__proto__", "has_own_property"];
  expect(words.map(mapStatus)).toEqual(words.map(() => null));
  const ids = words.map((_, n) => String(n + 1));
  const refills = json(words.map((status, n) => ({ refill: n + 1, status })));
  const answer = readRefillStates(refills, READER, ids, "many");
  const entries = answer.kind === "entries" ? [...answer.entries.values()] : [];
  expect(entries.map(({ kind }) => kind)).toEqual(words.map(() => "unreadable"));
});

test("reads only whole numbers as counts", () => {
  expect(["157", 157, " 0 ", "33.0", "1,000", "1,234,567.00"].map(countOf)).toEqual([157, 157, 0, 33, 1000, 1_234_567]);
  for (const value of ["-1", "1.5", "1,5", "1,00", ",100", "many", "", null, 1.5, "1e3"])
    expect(countOf(value)).toBeNull();
});

test("reads no status from an error entry", () => {
  // A bare text that nobody knows can be taught as a state, unless it says no.
  expect(entryOf("All set")).toMatchObject({ kind: "unreadable", why: "word", word: "All set" });
  expect(entryOf("Incorrect order ID")).toMatchObject({ kind: "unreadable", why: "error" });
  expect(entryOf({ error: "Incorrect order ID" })).toMatchObject({ kind: "unreadable", why: "error" });
  for (const error of [null, ""])
    expect(entryOf({ error, status: "Completed" })).toMatchObject({ status: "Completed" });
  expect(entryOf({ status: "Partial", remains: "x", start_count: "3572" })).toMatchObject({
    status: "Partial",
    remains: null,
    isUnclear: true,
    startCount: 3572,
    charge: null,
    currency: "",
    usedPosts: null,
  });
  expect(entryOf({ status: "Canceled", charge: "0.00000", remains: 0 })).toMatchObject({ charge: 0 });
  expect(entryOf({ status: "Canceled", charge: "free", remains: 0 })).toMatchObject({ charge: null });
});

test("takes a refusal of all calls neither for a refused cancellation nor for a refused refill", () => {
  for (const [httpStatus, error] of [
    [429, "Slow down"],
    [200, "Too many requests"],
    [200, "Invalid API key"],
  ] as const) {
    const response = { kind: "json" as const, body: { error }, raw: "", httpStatus };
    expect(readCancel(response, READER, "7"), error).toMatchObject({ kind: "deferred" });
    expect(readRefill(response, READER), error).toMatchObject({ kind: "deferred" });
  }
  const refused = { kind: "json" as const, body: { error: "Incorrect order ID" }, raw: "", httpStatus: 200 };
  expect(readCancel(refused, READER, "7")).toMatchObject({ kind: "rejected" });
  expect(readRefill(refused, READER)).toMatchObject({ kind: "rejected" });
});
