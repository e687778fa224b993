import { expect, test } from "vitest";
import type { Order } from "#app/db/schema.server.ts";
import { asOf } from "./test-orders.ts";

const PLACED_AT = 1_000_000;
const placed = {
  isTest: true,
  status: "Pending",
  quantity: 5,
  runs: 3,
  remains: 15,
  startCount: null,
  createdAt: PLACED_AT,
  refillDays: 1,
  refillUntil: null,
} as Order;

test.for([
  [0, { status: "Pending", remains: 15, startCount: null }],
  [1999, { status: "Pending", remains: 15, startCount: null }],
  [2000, { status: "In progress", remains: 8, startCount: 1000 }],
  [4999, { status: "In progress", remains: 8, startCount: 1000, refillUntil: null }],
  [5000, { status: "Completed", remains: 0, startCount: 1000, refillUntil: PLACED_AT + 5000 + 86_400_000 }],
  [3_600_000, { status: "Completed", remains: 0, startCount: 1000 }],
] as const)("simulates the progress of a test order after %i ms", ([age, expected]) => {
  expect(asOf(placed, PLACED_AT + age)).toMatchObject(expected);
});

test("leaves a test order that was canceled, and every live order, as they are", () => {
  for (const order of [
    { ...placed, status: "Canceled" as const },
    { ...placed, isTest: false },
  ]) {
    expect(asOf(order, PLACED_AT + 5000)).toBe(order);
  }
});
