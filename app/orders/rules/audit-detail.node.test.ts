import { expect, test } from "vitest";
import { readableDetail } from "./audit-detail.ts";

test("writes amounts as decimals and times in ISO 8601, alone and as a change", () => {
  const detail = { amount: -1_500_000, rate: [900_000, 1], expiresAt: [null, 0], remains: [7, 0], reason: "late" };
  expect(readableDetail(detail)).toEqual({
    amount: "-1.50",
    rate: ["0.90", "0.000001"],
    expiresAt: [null, "1970-01-01T00:00:00.000Z"],
    remains: [7, 0],
    reason: "late",
  });
});
