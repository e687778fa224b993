import { expect, test } from "vitest";
import { countRequest, METER_PERIOD_MS, type Meter, rateLimitHeaders } from "./api-meter.ts";

test("allows the limit per window and resets in the next one", () => {
  let meter: Meter | null = null;
  const oks = Array.from({ length: 4 }, () => {
    const taken = countRequest(meter, 3, 1000);
    meter = taken.meter;
    return taken.allowance.ok;
  });
  expect(oks).toEqual([true, true, true, false]);
  expect(countRequest(meter, 3, 1000 + METER_PERIOD_MS - 1).allowance.ok).toBe(false);
  expect(countRequest(meter, 3, 1000 + METER_PERIOD_MS).allowance).toMatchObject({ ok: true, remaining: 2 });
});

test("returns headers with the policy, the remaining requests and, at the limit, Retry-After", () => {
  expect(rateLimitHeaders({ ok: true, limit: 3, remaining: 1, resetSeconds: 20 })).toEqual({
    "RateLimit-Policy": '"requests";q=3;w=60',
    RateLimit: '"requests";r=1;t=20',
  });
  expect(rateLimitHeaders({ ok: false, limit: 3, remaining: 0, resetSeconds: 20 })).toMatchObject({
    "Retry-After": "20",
  });
});
