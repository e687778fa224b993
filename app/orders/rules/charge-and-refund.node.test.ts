import { expect, test } from "vitest";
import { MICRO } from "#app/product.ts";
import { chargeFor, refundFor } from "./charge-and-refund.ts";
import { decimal, parseDecimal } from "./money-text.ts";

test("rounds a charge up to the next micro-unit", () => {
  expect(chargeFor({ rate: 900_000, quantity: 1, runs: 1, perOrder: false })).toBe(900);
  expect(chargeFor({ rate: 1, quantity: 1, runs: 1, perOrder: false })).toBe(1);
  expect(chargeFor({ rate: 1, quantity: 1001, runs: 1, perOrder: false })).toBe(2);
});

test("charges a drip-feed for every run and a package once", () => {
  expect(chargeFor({ rate: 900_000, quantity: 1000, runs: 7, perOrder: false })).toBe(6_300_000);
  expect(chargeFor({ rate: 24 * MICRO, quantity: 1, runs: 1, perOrder: true })).toBe(24 * MICRO);
});

test("returns no charge that a Number cannot hold exactly", () => {
  expect(chargeFor({ rate: 9e15, quantity: 2_000_000_000, runs: 1000, perOrder: false })).toBeNull();
});

test("rounds a refund down and subtracts earlier refunds", () => {
  expect(refundFor({ charge: 1000, refunded: 0, remains: 1, total: 3 })).toBe(333);
  expect(refundFor({ charge: 1000, refunded: 333, remains: 2, total: 3 })).toBe(333);
  expect(refundFor({ charge: 1000, refunded: 900, remains: 1, total: 3 })).toBe(0);
  expect(refundFor({ charge: 1000, refunded: 0, remains: 99, total: 3 })).toBe(1000);
});

test("prints amounts with the decimals they need", () => {
  expect(decimal(900_000, 2)).toBe("0.90");
  expect(decimal(278_190, 2)).toBe("0.27819");
  expect(decimal(100_842_920, 2)).toBe("100.84292");
  expect(decimal(-5, 2)).toBe("-0.000005");
  expect(decimal(0, 2)).toBe("0.00");
  expect(decimal(3 * MICRO)).toBe("3");
});

test("parses only plain decimals of at most six places", () => {
  expect(parseDecimal("0.90")).toBe(900_000);
  expect(parseDecimal(" 12 ")).toBe(12 * MICRO);
  for (const text of ["", "-1", "1e3", "1.1234567", "1,5", "Infinity", "0x10"]) expect(parseDecimal(text)).toBeNull();
});
