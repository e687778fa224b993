/** A token bucket: `BURST` frames at once, then `PER_SECOND`. */
export type Bucket = { tokens: number; at: number; refused: number };

export const BURST = 60;
export const PER_SECOND = 10;
/** A file costs more than a text: twelve at once, then two a second. */
export const FILE_COST = 5;
/** The socket is closed after this many refusals without a second of calm between them. */
const REFUSALS_BEFORE_CLOSE = 100;
const KEYS_MAX = 10_000;

export function freshBucket(now: number): Bucket {
  return { tokens: BURST, at: now, refused: 0 };
}

/** Takes `cost` tokens out of the bucket, in place. */
export function take(bucket: Bucket, now: number, cost = 1): "ok" | "refuse" | "close" {
  bucket.tokens = Math.min(BURST, bucket.tokens + ((now - bucket.at) / 1000) * PER_SECOND);
  bucket.at = now;
  // Not after each frame that passes: how many are refused in between would depend on the server's load.
  if (bucket.tokens >= PER_SECOND) bucket.refused = 0;
  if (bucket.tokens >= cost) {
    bucket.tokens -= cost;
    return "ok";
  }
  bucket.refused += 1;
  return bucket.refused >= REFUSALS_BEFORE_CLOSE ? "close" : "refuse";
}

/** One bucket per key, such as an author, however many sockets they have. */
export class RateLimits {
  readonly #buckets = new Map<string, Bucket>();

  take(key: string, cost?: number): ReturnType<typeof take> {
    const now = Date.now();
    const bucket = this.#buckets.get(key) ?? freshBucket(now);
    // The newest last. The oldest of many are forgotten, so that keys need no other end.
    this.#buckets.delete(key);
    this.#buckets.set(key, bucket);
    const [oldest] = this.#buckets.keys();
    if (this.#buckets.size > KEYS_MAX && oldest !== undefined) this.#buckets.delete(oldest);
    return take(bucket, now, cost);
  }
}
