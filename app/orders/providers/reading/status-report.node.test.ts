import { expect, test } from "vitest";
import type { Order } from "#app/db/schema.server.ts";
import { PANEL_API_V2 } from "#app/orders/providers/conventions/panel-api-v2.ts";
import { readCount } from "./answer-numbers.ts";
import { membersOf } from "./members.ts";
import { NOTHING_TAUGHT } from "./reader.ts";
import { reportOf, statusOf, undeliveredOf } from "./status-report.ts";

type Ordered = Parameters<typeof undeliveredOf>[0];
const READER = { convention: PANEL_API_V2, words: NOTHING_TAUGHT };
const ORDER: Ordered = { type: "Default", quantity: 1000, runs: 1, intervalMinutes: null };
const DRIP: Ordered = { type: "Default", quantity: 100, runs: 5, intervalMinutes: 30 };
const POSTS: Ordered = { type: "Subscriptions", quantity: 100, runs: 5, intervalMinutes: null };
const PACKAGE: Ordered = { ...ORDER, type: "Package", quantity: 1 };

function undelivered(says: Record<string, unknown>, order: Pick<Order, keyof Ordered> = ORDER): number | null {
  const status = statusOf(String(says.status), READER);
  if (!status) throw new Error("the state is not known");
  return undeliveredOf(order, reportOf(status, membersOf(says), READER));
}

test.for([
  ["nothing of a completed order", { status: "Completed", remains: "300" }, ORDER, 0],
  ["what remains of a partial one", { status: "Partial", remains: "500" }, ORDER, 500],
  ["nothing where more was delivered", { status: "Partial", remains: "-2" }, ORDER, 0],
  ["what remains of a canceled one", { status: "Canceled", remains: 250 }, ORDER, 250],
  ["all of a canceled one that cost nothing", { status: "Canceled", remains: 0, charge: "0.00" }, ORDER, 1000],
  ["all of one that cost nothing, without remains", { status: "Refund", charge: 0 }, ORDER, 1000],
  ["the posts that a subscription did not see", { status: "Expired", posts: 5, orders: [1, 2] }, POSTS, 300],
  ["nothing of a subscription that saw more", { status: "Partial", orders: [1, 2, 3, 4, 5, 6] }, POSTS, 0],
  [
    "what remains of an order with members of others",
    { status: "Partial", remains: 9, posts: 5, orders: [1] },
    ORDER,
    9,
  ],
  ["what remains of a drip-feed without lists", { status: "Partial", remains: 300 }, DRIP, 300],
  ["all of a canceled package that cost nothing", { status: "Canceled", remains: 1000, charge: 0 }, PACKAGE, 1],
] as const)("tells as not delivered %s", ([_, says, order, expected]) => {
  expect(undelivered(says, order)).toBe(expected);
});

test.for([
  ["a partial order without remains", { status: "Partial" }, ORDER],
  ["a partial order with nothing remaining", { status: "Partial", remains: "0", charge: "0.96" }, ORDER],
  ["a partial drip-feed with nothing remaining", { status: "Partial", remains: 0 }, DRIP],
  ["a partial package with nothing remaining", { status: "Partial", remains: 0 }, PACKAGE],
  ["a subscription with remains in words", { status: "Partial", remains: "Unknown" }, POSTS],
  ["remains that can mean two numbers", { status: "Partial", remains: "1.000" }, ORDER],
  ["remains in words", { status: "Partial", remains: "Unknown", orders: [] }, ORDER],
  ["remains of more than was ordered", { status: "Partial", remains: 1001 }, ORDER],
  ["a canceled order with a charge", { status: "Canceled", remains: 0, charge: 0.5 }, ORDER],
  ["a canceled order that says nothing", { status: "Canceled" }, ORDER],
  ["a canceled order with more delivered", { status: "Canceled", remains: "-2", charge: 0 }, ORDER],
  ["a canceled order with remains in words", { status: "Canceled", remains: "all", charge: 0 }, ORDER],
  ["two orders of a drip-feed", { status: "Partial", runs: 5, orders: [1, 2] }, DRIP],
  ["two orders of a drip-feed and remains", { status: "Partial", runs: 5, orders: [1, 2], remains: 300 }, DRIP],
  ["a canceled drip-feed that made orders", { status: "Canceled", charge: 0, orders: [1, 2] }, DRIP],
  ["a subscription without its list", { status: "Partial", remains: 3 }, POSTS],
  ["a package with something remaining", { status: "Partial", remains: 1 }, PACKAGE],
] as const)("leaves %s to a person", ([_, says, order]) => {
  expect(undelivered(says, order)).toBeNull();
});

test("keeps what was ordered while a pending order has nothing counted", () => {
  expect(reportOf("Pending", membersOf({ remains: 0 }), READER).remains).toBeNull();
  expect(reportOf("In progress", membersOf({ remains: 0 }), READER).remains).toBe(0);
});

test("reads whole counts as panels write them", () => {
  const counts = [
    33,
    "33",
    " 33.0 ",
    "1,000",
    "1 000",
    "1\u00a0000.00",
    "1,234,567.00",
    "1.234.567",
    "1'000",
    "1000.000",
    "0.000",
  ];
  expect(counts.map(readCount)).toEqual(
    [33, 33, 33, 1000, 1000, 1000, 1_234_567, 1_234_567, 1000, 1000, 0].map((count) => ({ kind: "count", count })),
  );
  for (const unclear of ["1.000", "12.500", "999.999"])
    expect(readCount(unclear), unclear).toEqual({ kind: "unclear" });
  for (const over of [-2, "-2", "-15.0"]) expect(readCount(over), String(over)).toEqual({ kind: "over" });
  for (const none of ["", "many", "1.5", "1,5", "1,00", ",100", "1e3", 1.5, null, true, {}, "9".repeat(50)]) {
    expect(readCount(none), String(none)).toEqual({ kind: "none" });
  }
});
