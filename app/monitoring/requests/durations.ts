/** Upper bounds in ms of the buckets that durations are counted in. A last bucket takes what is longer. */
export const DURATION_BOUNDS = [5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000];
export const BUCKETS = DURATION_BOUNDS.length + 1;

/** Returns the number of the bucket that a duration counts in. */
export function bucketOf(ms: number): number {
  const found = DURATION_BOUNDS.findIndex((bound) => ms <= bound);
  return found === -1 ? DURATION_BOUNDS.length : found;
}

/**
 * Returns the duration in ms that this share of the requests did not exceed, interpolated within its bucket, or null
 * without requests. What is longer than the last bound counts as that bound.
 */
export function percentile(durations: readonly number[], share: number): number | null {
  const total = durations.reduce((sum, count) => sum + count, 0);
  if (total === 0) return null;
  let left = share * total;
  for (const [bucket, count] of durations.entries()) {
    if (count > 0 && left <= count) {
      const from = DURATION_BOUNDS[bucket - 1] ?? 0;
      const to = DURATION_BOUNDS[bucket] ?? from;
      return Math.round(from + ((to - from) * left) / count);
    }
    left -= count;
  }
  return DURATION_BOUNDS.at(-1) ?? null;
}
