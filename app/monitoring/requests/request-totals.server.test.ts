import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { connect } from "#app/db/db.server.ts";
import { type Area, requestHours } from "#app/db/schema.server.ts";
import { HOUR_MS } from "#app/time.ts";
import { BUCKETS } from "./durations.ts";
import { readRequestTotals, SHOWN_DAYS } from "./request-totals.server.ts";

const db = connect(env.DB);
const NOW = Date.UTC(2027, 2, 20, 12);

test("sums up the last 14 days by day and by area, with days without requests", async () => {
  await db
    .insert(requestHours)
    .values([
      row("api", NOW, { requests: 10, errors: 1, bucket: 0 }),
      row("api", NOW - HOUR_MS, { requests: 20, errors: 0, bucket: 2 }),
      row("pages", NOW, { requests: 5, errors: 2, bucket: 0 }),
      row("pages", NOW - SHOWN_DAYS * 24 * HOUR_MS, { requests: 99, errors: 0, bucket: 0 }),
    ]);
  const { days, areas } = await readRequestTotals(db, NOW);
  expect(days).toHaveLength(SHOWN_DAYS);
  expect(days[0]).toEqual({ date: "2027-03-07", requests: 0, errors: 0, refused: 0, p95: null });
  expect(days.at(-1)).toEqual({ date: "2027-03-20", requests: 35, errors: 3, refused: 0, p95: 24 });
  expect(areas.map(({ area, requests, errors }) => [area, requests, errors])).toEqual([
    ["api", 30, 1],
    ["pages", 5, 2],
  ]);
});

function row(
  area: Area,
  at: number,
  { requests, errors, bucket }: { requests: number; errors: number; bucket: number },
) {
  const durations = Array.from({ length: BUCKETS }, (_, index) => (index === bucket ? requests : 0));
  const rest = { refused: 0, ms: 0, queries: 0, rowsRead: 0, rowsWritten: 0 };
  return { hour: Math.floor(at / HOUR_MS), area, requests, errors, durations, ...rest };
}
