import { expect, test } from "vitest";
import { faultMessage } from "./order-faults.ts";

test("a fault of one field is said beside it", () => {
  expect(faultMessage({ reason: "bad_link" }).field).toBe("link");
  expect(faultMessage({ reason: "invalid_field", field: "runs", text: "No" })).toEqual({ field: "runs", text: "No" });
  expect(faultMessage({ reason: "quantity_too_small", min: 1000 })).toEqual({
    field: "quantity",
    text: "This service starts at 1,000",
  });
});

test("a fault of the order as a whole is said beside the button", () => {
  expect(faultMessage({ reason: "insufficient_funds" }).field).toBeNull();
  expect(faultMessage({ reason: "idempotency_conflict" }).field).toBeNull();
});
