import { expect, test } from "vitest";
import { type OrderPast, orderTimeline } from "./order-timeline.ts";

const PLACED = Date.UTC(2026, 0, 1);
const at = (seconds: number) => PLACED + seconds * 1000;
const NOTHING: OrderPast = {
  order: { source: "web", charge: 900_000, createdAt: PLACED },
  provider: "Sandbox",
  steps: [],
  hasGaps: false,
  entries: [{ kind: "charge", amount: -900_000, note: "", createdAt: PLACED }],
  costs: [],
  log: [],
  refills: [],
  cancellation: null,
  audit: [],
};

/** Returns the entries as lines, the oldest first. */
function lines(past: Partial<OrderPast>): string[] {
  return orderTimeline({ ...NOTHING, ...past })
    .reverse()
    .map(({ at, what, micro, who, note, words }) => {
      const more = [micro, who, note, words].filter((part) => part !== undefined);
      return [`${(at - PLACED) / 1000}: ${what}`, ...more].join(" | ");
    });
}

test("tells an order's life in the order of time, with the provider's words and what it cost", () => {
  const past: Partial<OrderPast> = {
    order: { ...NOTHING.order, source: "api" },
    steps: [
      { at: at(2), kind: "fulfillment", fulfillment: "submitting" },
      { at: at(3), kind: "fulfillment", fulfillment: "accepted" },
      { at: at(60), kind: "status", status: "In progress" },
      { at: at(600), kind: "status", status: "Partial" },
    ],
    costs: [
      { amount: 450_000, costed: 1, createdAt: at(3), isSum: false },
      { amount: 30_000, costed: 0, createdAt: at(600), isSum: true },
      { amount: -50_000, costed: 0, createdAt: at(600), isSum: false },
    ],
    log: [{ action: "add", httpStatus: 200, response: '{"order":7,"note":"x"}', createdAt: at(3) }],
    entries: [...NOTHING.entries, { kind: "refund", amount: 90_000, note: "", createdAt: at(600) }],
    refills: [{ id: 5, status: "Completed", createdAt: at(700), updatedAt: at(900) }],
    cancellation: { status: "Rejected", createdAt: at(100), updatedAt: at(120) },
  };
  expect(lines(past)).toEqual([
    "0: Placed through the API and charged | 900000",
    "2: Sent to Sandbox",
    "3: Accepted by Sandbox",
    "3: Cost noted | 450000",
    '3: Sandbox answered when the order was sent (HTTP 200) | {"order":7,"note":"x"}',
    "60: Status: In progress",
    "100: Cancellation requested by the customer",
    "120: Cancellation rejected",
    "600: Status: Partial",
    "600: Refunded to the balance | 90000",
    "600: Cost changed by | 30000 | The provider corrected its charge in between, more than once or at a time that isn't kept.",
    "600: Cost changed by | -50000",
    "700: Refill 5 requested by the customer",
    "900: Refill 5: Completed",
  ]);
});

test("tells what a person decided once, with who and why", () => {
  const audit = (action: string, seconds: number, detail: Record<string, unknown> = {}) => ({
    action,
    actorName: "Grace",
    detail: { reason: "Seen there", ...detail },
    createdAt: at(seconds),
  });
  const told = lines({
    steps: [
      { at: at(5), kind: "held", heldFor: "unclear_answer" },
      { at: at(50), kind: "fulfillment", fulfillment: "queued" },
      { at: at(90), kind: "status", status: "Canceled" },
    ],
    entries: [...NOTHING.entries, { kind: "refund", amount: 900_000, note: "Seen there", createdAt: at(99) }],
    audit: [
      audit("order.held_again", 50, { bulk: "key" }),
      audit("orders.decide", 50),
      audit("order.status", 89, { status: ["Pending", "Canceled"], remains: [1000, 1000] }),
      audit("order.refund", 99, { amount: 900_000 }),
    ],
  });
  expect(told).toEqual([
    "0: Placed on the website and charged | 900000",
    "5: Held. The provider's answer doesn't say whether it took the order.",
    "50: Decided: send it again, together with others | Grace | Seen there",
    "89: Status set: Pending → Canceled; remains 1000 → 1000 | Grace | Seen there",
    "99: Refunded by staff | 900000 | Grace | Seen there",
  ]);
});

test("says that steps are missing, and by whom a deleted account's action was", () => {
  const steps = [{ at: at(9), kind: "status", status: "Processing" }] as const;
  const audit = [{ action: "order.cancel_reject", actorName: "", detail: {}, createdAt: at(20) }];
  expect(lines({ steps: [...steps], hasGaps: true, audit }).slice(1)).toEqual([
    "9: Status: Processing",
    "9: Some steps before this one aren't kept: there were too many",
    "20: Cancellation declined | Deleted account",
  ]);
});
