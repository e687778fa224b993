import { DAY_MS } from "#app/time.ts";

/** Delivery times are counted in buckets, each 9 % longer than the one before, so that they take no more room with time. */
const FIRST_BUCKET_MS = 1000;
export const BUCKETS_PER_DOUBLING = 8;

/** Orders placed in the last 30 UTC days count. */
export const WINDOW_DAYS = 30;
/** Fewer completed orders say nothing. */
export const MIN_COMPLETED = 10;

/** How an order ended: completed, partial or canceled. The letter begins the name of its count. */
export const ENDINGS = { Completed: "c", Partial: "p", Canceled: "x" } as const;
type Ending = (typeof ENDINGS)[keyof typeof ENDINGS];

/** The name of the count of ended orders that `isMeasured` leaves out. */
export const UNMEASURED = "u";

/** Orders of one service. `ended`: counts by ending and bucket, such as `c12`. `open`: counts by the bucket of their age. */
export type DeliveryCounts = { ended: Record<string, number>; open: Record<number, number> };

export type DeliveryTimes = {
  /** Within this, half of the orders are done. Null while too many are open to tell. */
  p50Ms: number | null;
  /** Within this, nine of ten orders are done. */
  p90Ms: number | null;
  completed: number;
  partial: number;
  canceled: number;
  open: number;
};

/** Returns the bucket of a delivery time or an age. */
export function bucketOf(ms: number): number {
  return ms < FIRST_BUCKET_MS ? 0 : Math.floor(BUCKETS_PER_DOUBLING * Math.log2(ms / FIRST_BUCKET_MS)) + 1;
}

/** Returns the time that everything in the bucket is below. */
export function endOfBucket(bucket: number): number {
  return Math.round(FIRST_BUCKET_MS * 2 ** (bucket / BUCKETS_PER_DOUBLING));
}

/** Returns the UTC day of a time, in days since 1970. */
export function dayOf(time: number): number {
  return Math.floor(time / DAY_MS);
}

/** Returns the name under which an ended order is counted. */
export function countName(status: keyof typeof ENDINGS, ms: number): string {
  return `${ENDINGS[status]}${bucketOf(ms)}`;
}

/**
 * Returns whether the order's time says something about its service. That of a drip-feed order and of a subscription is
 * what its customer chose.
 */
export function isMeasured(order: { runs: number; type: string; isTest: boolean }): boolean {
  return order.runs === 1 && order.type !== "Subscriptions" && !order.isTest;
}

/** Returns the name under which an order that ended now is counted. */
export function countNameOf(
  order: { createdAt: number; runs: number; type: string; isTest: boolean },
  status: keyof typeof ENDINGS,
  now: number,
): string {
  return isMeasured(order) ? countName(status, now - order.createdAt) : UNMEASURED;
}

/** Returns what the counts say, or null if too few orders were completed. */
export function estimateDelivery({ ended, open }: DeliveryCounts): DeliveryTimes | null {
  const completed = new Map<number, number>();
  const censored = new Map<number, number>();
  const totals: Record<Ending, number> = { c: 0, p: 0, x: 0 };
  for (const [name, count] of Object.entries(ended)) {
    const ending = name.charAt(0) as Ending;
    totals[ending] += count;
    add(ending === "c" ? completed : censored, Number(name.slice(1)), count);
  }
  if (totals.c < MIN_COMPLETED) return null;
  let stillOpen = 0;
  for (const [bucket, count] of Object.entries(open)) {
    stillOpen += count;
    add(censored, Number(bucket), count);
  }
  const [p50Ms = null, p90Ms = null] = timesAt([0.5, 0.9], completed, censored);
  return { p50Ms, p90Ms, completed: totals.c, partial: totals.p, canceled: totals.x, open: stillOpen };
}

/** Rounding errors of a product of a few hundred factors. */
const ALMOST = 1e-9;

/**
 * Returns when each share of the orders is done, null where the orders say too little, by Kaplan and Meier: an order that
 * is open, or ended otherwise, counts as not done up to its age, and not at all after it. Leaving such orders out would
 * hide the slow ones.
 */
function timesAt(shares: number[], completed: Map<number, number>, censored: Map<number, number>): (number | null)[] {
  const buckets = [...new Set([...completed.keys(), ...censored.keys()])].sort((one, other) => one - other);
  let atRisk = sum(completed) + sum(censored);
  let undone = 1;
  const times: (number | null)[] = shares.map(() => null);
  for (const bucket of buckets) {
    const done = completed.get(bucket) ?? 0;
    undone *= 1 - done / atRisk;
    atRisk -= done + (censored.get(bucket) ?? 0);
    for (const [n, share] of shares.entries()) {
      if (done > 0 && times[n] === null && 1 - undone >= share - ALMOST) times[n] = endOfBucket(bucket);
    }
  }
  return times;
}

function add(counts: Map<number, number>, bucket: number, count: number): void {
  counts.set(bucket, (counts.get(bucket) ?? 0) + count);
}

function sum(counts: Map<number, number>): number {
  return [...counts.values()].reduce((total, count) => total + count, 0);
}
