import { expect, test } from "vitest";
import { ORDER_STATUSES, type OrderStatus, REFILL_STATUSES, type RefillStatus } from "#app/db/schema.server.ts";
import {
  availableActions,
  DECLINING_STATUSES,
  FINAL_STATUSES,
  INDEXED_STATUSES,
  isRefillOpen,
  isRefundable,
  leavesNothing,
  OPEN_REFILL_STATUSES,
  OPEN_STATUSES,
  POLLED_STATUSES,
  queueText,
  UNINDEXED_STATUSES,
} from "./order-status.ts";

test("every status is open or final, and stands where lists look for it", () => {
  expect([...OPEN_STATUSES, ...FINAL_STATUSES]).toEqual([...ORDER_STATUSES]);
  expect([...INDEXED_STATUSES, ...UNINDEXED_STATUSES].sort()).toEqual([...ORDER_STATUSES].sort());
  expect(OPEN_STATUSES.filter((status) => !POLLED_STATUSES.includes(status))).toEqual([]);
  expect(ORDER_STATUSES.filter(isRefundable)).toEqual(FINAL_STATUSES);
});

test("nothing remains of an order that was delivered in full, which declines its cancellation", () => {
  expect(ORDER_STATUSES.filter(leavesNothing)).toEqual(["Completed"]);
  expect(DECLINING_STATUSES).toEqual(["Completed"]);
});

const REFILLS: (RefillStatus | null)[] = [null, ...REFILL_STATUSES];

test("a refill is open until its provider or a person ends it", () => {
  expect(OPEN_REFILL_STATUSES).toEqual(["Pending", "In progress"]);
  expect(REFILLS.filter(isRefillOpen)).toEqual(OPEN_REFILL_STATUSES);
});

test("offers a refill once something was delivered and no other refill is open", () => {
  const offered = ORDER_STATUSES.flatMap((status) =>
    REFILLS.filter((refill) => requests({ status, refill }).refill).map((refill) => [status, refill]),
  );
  const closed = [null, "Completed", "Rejected"];
  expect(offered).toEqual(["Completed", "Partial"].flatMap((status) => closed.map((refill) => [status, refill])));
  expect(requests({ status: "Completed", canRefill: false }).refill).toBe(false);
});

test("offers a cancellation of an open order once", () => {
  expect(ORDER_STATUSES.filter((status) => requests({ status }).cancel)).toEqual([
    "Pending",
    "Processing",
    "In progress",
  ]);
  expect(requests({ status: "Pending", canCancel: false }).cancel).toBe(false);
  for (const cancellation of ["Pending", "Rejected"]) {
    expect(requests({ status: "Pending", cancellation }).cancel).toBe(false);
  }
});

test("shows what became of a request, and of a cancellation only while the order is open", () => {
  const text = (status: OrderStatus, refill: RefillStatus | null, cancellation: string | null) =>
    queueText({ status, refill, cancellation });
  expect(text("Pending", null, null)).toBeNull();
  expect(text("In progress", null, "Pending")).toBe("Cancellation requested");
  expect(text("In progress", null, "Rejected")).toBe("Cancellation declined");
  expect(text("In progress", null, "Accepted")).toBeNull();
  expect(text("Completed", null, "Rejected")).toBeNull();
  expect(text("Canceled", null, "Pending")).toBeNull();
  const refills = REFILLS.map((refill) => text("Completed", refill, null));
  expect(refills).toEqual([null, "Refill requested", "Refill in progress", "Refill completed", "Refill declined"]);
});

function requests(order: Partial<Parameters<typeof availableActions>[0]> & { status: OrderStatus }) {
  return availableActions({ refill: null, cancellation: null, canRefill: true, canCancel: true, ...order });
}
