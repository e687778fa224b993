/** A token bucket: `BURST` frames at once, then `PER_SECOND`. */
export type Bucket = { tokens: number; at: number; refused: number };

export const BURST = 60;
export const PER_SECOND = 10;
/** The socket is closed after this many refusals without a second of calm between them. */
const REFUSALS_BEFORE_CLOSE = 100;

export function freshBucket(now: number): Bucket {
  return { tokens: BURST, at: now, refused: 0 };
}

/** Takes one token out of the bucket, in place. */
export function take(bucket: Bucket, now: number): "ok" | "refuse" | "close" {
  bucket.tokens = Math.min(BURST, bucket.tokens + ((now - bucket.at) / 1000) * PER_SECOND);
  bucket.at = now;
  // Not after each frame that passes: how many are refused in between would depend on the server's load.
  if (bucket.tokens >= PER_SECOND) bucket.refused = 0;
  if (bucket.tokens >= 1) {
    bucket.tokens -= 1;
    return "ok";
  }
  bucket.refused += 1;
  return bucket.refused >= REFUSALS_BEFORE_CLOSE ? "close" : "refuse";
}

/** One bucket per socket, and one per author over HTTP. */
export class RateLimits {
  readonly #buckets = new Map<WebSocket | string, Bucket>();

  take(sender: WebSocket | string): ReturnType<typeof take> {
    const now = Date.now();
    const bucket = this.#buckets.get(sender) ?? freshBucket(now);
    this.#buckets.set(sender, bucket);
    return take(bucket, now);
  }

  forget(socket: WebSocket): void {
    this.#buckets.delete(socket);
  }
}
