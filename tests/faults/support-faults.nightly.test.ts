import { expect, test } from "vitest";
import { runFaults } from "./support-faults.ts";

test("loses, duplicates or reorders no acknowledged message through three kills in ten rooms", {
  timeout: 600_000,
}, async () => {
  const figures = await runFaults({
    rooms: 10,
    kills: 3,
    roundMs: 2500,
    everyMs: 400,
    settleMs: 240_000,
    refocus: true,
  });
  expect(figures.faults).toEqual([]);
  expect(figures.evicted).toBeGreaterThan(0);
  expect(figures.dropped).toBeGreaterThan(0);
  // The rest were acknowledged on connections that had died by then.
  expect(figures.acked).toBeGreaterThan(figures.sent * 0.8);
  expect(figures.stored).toBe(figures.sent + 10);
  expect(figures.sent).toBeGreaterThan(100);
});
