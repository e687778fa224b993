import { expect, test } from "vitest";
import { METER_PERIOD_MS, type Meter, rateLimitHeaders, takeTurn } from "./api-meter.ts";

test("as many requests as the limit pass in a window, and the next window is new", () => {
  let meter: Meter | null = null;
  const oks = Array.from({ length: 4 }, () => {
    const taken = takeTurn(meter, 3, 1000);
    meter = taken.meter;
    return taken.turn.ok;
  });
  expect(oks).toEqual([true, true, true, false]);
  expect(takeTurn(meter, 3, 1000 + METER_PERIOD_MS - 1).turn.ok).toBe(false);
  expect(takeTurn(meter, 3, 1000 + METER_PERIOD_MS).turn).toMatchObject({ ok: true, remaining: 2 });
});

test("the headers tell the policy, what is left and, when nothing is, how long to wait", () => {
  expect(rateLimitHeaders({ ok: true, limit: 3, remaining: 1, resetSeconds: 20 })).toEqual({
    "RateLimit-Policy": '"requests";q=3;w=60',
    RateLimit: '"requests";r=1;t=20',
  });
  expect(rateLimitHeaders({ ok: false, limit: 3, remaining: 0, resetSeconds: 20 })).toMatchObject({
    "Retry-After": "20",
  });
});
