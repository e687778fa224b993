import { expect, test } from "vitest";
import { DAY_MS, HOUR_MS } from "#app/time.ts";
import { durationText, incidentsOf } from "./incidents.ts";
import { uptimeOf } from "./uptime-days.ts";

const NOW = 20_000 * DAY_MS + 12 * HOUR_MS;

function change(component: "api" | "chat", daysAgo: number, state: "operational" | "degraded" | "down") {
  return { component, startedAt: NOW - daysAgo * DAY_MS, state };
}

test("gives each day the worst state of the component in it, and none before it was checked", () => {
  const changes = [
    change("api", 3, "operational"),
    change("chat", 3, "down"),
    change("api", 2, "degraded"),
    change("api", 1.75, "down"),
    change("api", 1.25, "operational"),
  ];
  const { days, share } = uptimeOf(changes, "api", NOW, 5);
  expect(days.map(({ state }) => state)).toEqual([null, "operational", "down", "down", "operational"]);
  expect(days.map(({ day }) => day)).toEqual([19_996, 19_997, 19_998, 19_999, 20_000]);
  expect(days[2]).toMatchObject({ degradedMs: 6 * HOUR_MS, downMs: 6 * HOUR_MS });
  expect(days[3]).toMatchObject({ degradedMs: 0, downMs: 6 * HOUR_MS });
  // Half a day of three.
  expect(share).toBeCloseTo(1 - 0.5 / 3);
});

test("says that nothing was checked yet, and what was found just now", () => {
  expect(uptimeOf([], "api", NOW, 2)).toMatchObject({ days: [{ state: null }, { state: null }], share: null });
  const { days } = uptimeOf([change("api", 0, "operational")], "api", NOW, 2);
  expect(days.map(({ state }) => state)).toEqual([null, "operational"]);
});

test("counts a state that began before the days that are drawn", () => {
  const { days } = uptimeOf([change("api", 40, "degraded")], "api", NOW, 3);
  expect(days.map(({ state }) => state)).toEqual(["degraded", "degraded", "degraded"]);
});

test("lists incidents by component, newest first, with the worst state and the end of each", () => {
  const changes = [
    change("api", 5, "operational"),
    change("api", 4, "degraded"),
    change("chat", 3.5, "down"),
    change("api", 3, "down"),
    change("api", 2, "operational"),
    change("api", 1, "degraded"),
  ];
  expect(incidentsOf(changes, 10)).toEqual([
    { component: "api", state: "degraded", startedAt: NOW - DAY_MS, endedAt: null },
    { component: "chat", state: "down", startedAt: NOW - 3.5 * DAY_MS, endedAt: null },
    { component: "api", state: "down", startedAt: NOW - 4 * DAY_MS, endedAt: NOW - 2 * DAY_MS },
  ]);
  expect(incidentsOf(changes, 1)).toHaveLength(1);
});

test("writes durations as people say them", () => {
  expect([1000, 12 * 60_000, HOUR_MS, 3.5 * HOUR_MS, 2 * DAY_MS, 2.25 * DAY_MS].map(durationText)).toEqual([
    "1 min",
    "12 min",
    "1 h",
    "3 h 30 min",
    "2 days",
    "2 days 6 h",
  ]);
});
