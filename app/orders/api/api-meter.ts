// Fixed windows, counted in one place per key, so that the headers are exact.

export const METER_PERIOD_MS = 60_000;

export type Meter = { count: number; resetsAt: number };
export type Allowance = { ok: boolean; limit: number; remaining: number; resetSeconds: number };

/** Counts one request. Pure: the caller keeps the meter. */
export function countRequest(meter: Meter | null, limit: number, now: number): { meter: Meter; allowance: Allowance } {
  const open = meter && meter.resetsAt > now ? meter : { count: 0, resetsAt: now + METER_PERIOD_MS };
  const counted = { ...open, count: open.count + 1 };
  const allowance = {
    ok: counted.count <= limit,
    limit,
    remaining: Math.max(0, limit - counted.count),
    resetSeconds: Math.ceil((counted.resetsAt - now) / 1000),
  };
  return { meter: counted, allowance };
}

/** Returns the RateLimit headers (IETF draft 10), plus Retry-After once the limit is reached. */
export function rateLimitHeaders(allowance: Allowance): Record<string, string> {
  const headers = {
    "RateLimit-Policy": `"requests";q=${allowance.limit};w=${METER_PERIOD_MS / 1000}`,
    RateLimit: `"requests";r=${allowance.remaining};t=${allowance.resetSeconds}`,
  };
  return allowance.ok ? headers : { ...headers, "Retry-After": String(allowance.resetSeconds) };
}
