import { expect, test } from "vitest";
import { writtenLike } from "./exported-columns.server.ts";
import { ledger, orders } from "./schema.server.ts";

test("writes amounts as decimals and times in ISO 8601, alone and as a change", () => {
  const detail = { amount: -1_500_000, charge: [900_000, 1], refillUntil: [null, 0], remains: [7, 0], reason: "late" };
  expect(writtenLike([orders, ledger], detail)).toEqual({
    amount: "-1.50",
    charge: ["0.90", "0.000001"],
    refillUntil: [null, "1970-01-01T00:00:00.000Z"],
    remains: [7, 0],
    reason: "late",
  });
});
