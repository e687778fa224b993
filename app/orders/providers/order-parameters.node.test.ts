import { expect, test } from "vitest";
import { CONVENTIONS } from "#app/orders/providers/conventions/conventions.ts";
import { learnedFromRefusal } from "./order-parameters.ts";
import { missingParameter } from "./reading/missing-parameter.ts";

const NAMES = ["order", "orders", "refill"];

test.each([
  ["The refill field is required.", "refill"],
  ["refill is required", "refill"],
  ["Missing refill parameter", "refill"],
  ["Missing parameter: order", "order"],
  ["Missing required parameter 'orders'", "orders"],
  ["Order ID is required", "order"],
  ["Order parameter is required", "order"],
  ["order: The order field is required.", "order"],
  ['Undefined array key "order"', "order"],
  ["Undefined index: orders", "orders"],
  ["Missing order id", "order"],
  ["The order_id parameter was not provided", "order"],
  ["Parameter refill is missing", "refill"],
] as const)("reads %o as a parameter that is missing", (error, name) => {
  expect(missingParameter(error, NAMES)).toBe(name);
});

test.each([
  "Refill is not required",
  "The refill parameter is not required",
  "The order field is provided twice",
  "No refill required",
  "Refill is not provided for this service",
  "Refill not set for this service",
  "Refill request placed, no further action required",
  "Required refill period has not passed",
  "Refill is required to be requested within 30 days",
  "Cancellation of the order is accepted, no action required",
  "Order 5001 is missing",
  "Order is required to be pending",
  "Incorrect order, provide a valid one",
  "The order could not be created: refill is required",
  "The order field is required when orders is not present.",
])("reads %o as no parameter that is missing", (error) => {
  expect(missingParameter(error, NAMES)).toBeNull();
});

test("learns nothing from a text that also says that something was done", () => {
  const speaker = { convention: CONVENTIONS["panel-api-v2"] as never, dialect: {} };
  expect(learnedFromRefusal(speaker, "refill", "The refill field is required")).toEqual({ refill: "refill" });
  expect(learnedFromRefusal(speaker, "refill", "Successfully requested. The refill field is required")).toBeNull();
});
