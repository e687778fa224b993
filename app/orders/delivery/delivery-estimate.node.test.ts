import { expect, test } from "vitest";
import { MINUTE_MS } from "#app/time.ts";
import { bucketOf, countName, endOfBucket, estimateDelivery, isMeasured } from "./delivery-estimate.ts";

test("puts each time into a bucket that ends at most 9.1 % above it", () => {
  for (let ms = 1000; ms < 40 * 24 * 60 * MINUTE_MS; ms *= 1.0137) {
    const end = endOfBucket(bucketOf(ms));
    expect(end).toBeGreaterThanOrEqual(Math.floor(ms));
    expect(end / ms).toBeLessThan(1.092);
  }
  expect([bucketOf(-5), bucketOf(0), bucketOf(999), bucketOf(1000)]).toEqual([0, 0, 0, 1]);
});

test("says nothing about fewer than ten completed orders, however many are open", () => {
  const ended = counted("Completed", 9);
  expect(estimateDelivery({ ended, open: { 50: 500 } })).toBeNull();
  expect(estimateDelivery({ ended: counted("Completed", 10), open: {} })).toMatchObject({ completed: 10, open: 0 });
});

test("is the plain share of the orders while none is open", () => {
  const ended = { ...counted("Completed", 10, MINUTE_MS), ...counted("Completed", 8, 10 * MINUTE_MS) };
  const slow = { ...ended, ...counted("Completed", 2, 100 * MINUTE_MS) };
  expect(near(estimateDelivery({ ended: slow, open: {} }))).toEqual([1, 10]);
  const slower = { ...ended, ...counted("Completed", 3, 100 * MINUTE_MS) };
  expect(near(estimateDelivery({ ended: slower, open: {} }))).toEqual([10, 100]);
});

test("counts an open order as slow only when it is older than the done ones", () => {
  const ended = counted("Completed", 10, 10 * MINUTE_MS);
  const young = { [bucketOf(MINUTE_MS)]: 100 };
  expect(near(estimateDelivery({ ended, open: young }))).toEqual([10, 10]);
  const old = { [bucketOf(60 * MINUTE_MS)]: 5 };
  expect(estimateDelivery({ ended, open: old })).toMatchObject({ p90Ms: null, open: 5 });
  expect(near(estimateDelivery({ ended, open: old }))).toEqual([10, null]);
  expect(estimateDelivery({ ended, open: { [bucketOf(60 * MINUTE_MS)]: 11 } })).toMatchObject({ p50Ms: null });
});

test("takes canceled and partial orders out at their end, and counts them", () => {
  const ended = {
    ...counted("Completed", 10, 10 * MINUTE_MS),
    ...counted("Canceled", 90, 1),
    ...counted("Partial", 4, MINUTE_MS),
  };
  const times = estimateDelivery({ ended, open: {} });
  expect(near(times)).toEqual([10, 10]);
  expect(times).toMatchObject({ completed: 10, partial: 4, canceled: 90, open: 0 });
});

test("leaves out orders whose time their customer chose, and test orders", () => {
  const order = { runs: 1, type: "Default", isTest: false };
  const measured = [order, { ...order, runs: 2 }, { ...order, type: "Subscriptions" }, { ...order, isTest: true }];
  expect(measured.map(isMeasured)).toEqual([true, false, false, false]);
});

function counted(status: "Completed" | "Partial" | "Canceled", count: number, ms = MINUTE_MS): Record<string, number> {
  return { [countName(status, ms)]: count };
}

/** Returns p50 and p90 in minutes, rounded down to what was put in. */
function near(times: ReturnType<typeof estimateDelivery>): (number | null)[] {
  const minutes = (ms: number | null | undefined) =>
    ms ? ([1, 10, 100].findLast((whole) => ms > whole * MINUTE_MS * 0.99) ?? null) : null;
  return [minutes(times?.p50Ms), minutes(times?.p90Ms)];
}
