import { expect, test } from "vitest";
import { faultMessage } from "./order-faults.ts";

test("names the field that a fault belongs to", () => {
  expect(faultMessage({ reason: "bad_link" }).field).toBe("link");
  expect(faultMessage({ reason: "invalid_field", field: "runs", text: "No" })).toEqual({ field: "runs", text: "No" });
  expect(faultMessage({ reason: "quantity_too_small", min: 1000 })).toEqual({
    field: "quantity",
    text: "The minimum for this service is 1,000",
  });
});

test("names no field for a fault of the whole order", () => {
  expect(faultMessage({ reason: "insufficient_funds" }).field).toBeNull();
  expect(faultMessage({ reason: "idempotency_conflict" }).field).toBeNull();
});
