/** How many requests a key may make: a fixed window, counted in one place for each key, so that the headers are exact. */

export const METER_PERIOD_MS = 60_000;

export type Meter = { count: number; resetsAt: number };
export type Turn = { ok: boolean; limit: number; remaining: number; resetSeconds: number };

/** Counts one request. Pure: the caller keeps the meter. */
export function takeTurn(meter: Meter | null, limit: number, now: number): { meter: Meter; turn: Turn } {
  const open = meter && meter.resetsAt > now ? meter : { count: 0, resetsAt: now + METER_PERIOD_MS };
  const counted = { ...open, count: open.count + 1 };
  const turn = {
    ok: counted.count <= limit,
    limit,
    remaining: Math.max(0, limit - counted.count),
    resetSeconds: Math.ceil((counted.resetsAt - now) / 1000),
  };
  return { meter: counted, turn };
}

/** RateLimit header fields for HTTP (IETF draft 10), and Retry-After when there is nothing left. */
export function rateLimitHeaders(turn: Turn): Record<string, string> {
  const headers = {
    "RateLimit-Policy": `"requests";q=${turn.limit};w=${METER_PERIOD_MS / 1000}`,
    RateLimit: `"requests";r=${turn.remaining};t=${turn.resetSeconds}`,
  };
  return turn.ok ? headers : { ...headers, "Retry-After": String(turn.resetSeconds) };
}
