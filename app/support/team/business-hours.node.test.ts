import { expect, test } from "vitest";
import { awayText, hoursText, isOpen, lastDays, nextOpening, respondBy } from "./business-hours.ts";
import { DEFAULT_SETTINGS, type SupportSettings } from "./team-settings.ts";

const BERLIN: SupportSettings = { ...DEFAULT_SETTINGS, hoursOn: true, timeZone: "Europe/Berlin" };
const at = (text: string) => Date.parse(text);

test("reads the hours on the team's clock, in summer and in winter", () => {
  expect(isOpen(BERLIN, at("2026-07-20T07:00:00Z"))).toBe(true);
  expect(isOpen(BERLIN, at("2026-07-20T06:59:59Z"))).toBe(false);
  expect(isOpen(BERLIN, at("2026-01-19T07:59:59Z"))).toBe(false);
  expect(isOpen(BERLIN, at("2026-01-19T08:00:00Z"))).toBe(true);
  expect(isOpen(BERLIN, at("2026-01-19T17:00:00Z"))).toBe(false);
  expect(isOpen({ ...BERLIN, hoursOn: false }, at("2026-01-18T03:00:00Z"))).toBe(true);
});

test("finds the next opening across a weekend and a clock change, and none without hours", () => {
  const next = (text: string) => new Date(nextOpening(BERLIN, at(text)) ?? 0).toISOString();
  expect(next("2026-01-16T18:00:00Z")).toBe("2026-01-19T08:00:00.000Z");
  // The clocks go forward on 29 March 2026.
  expect(next("2026-03-27T18:00:00Z")).toBe("2026-03-30T07:00:00.000Z");
  expect(next("2026-01-19T05:00:00Z")).toBe("2026-01-19T08:00:00.000Z");
  expect(nextOpening(BERLIN, at("2026-01-19T10:00:00Z"))).toBeNull();
  expect(nextOpening({ ...BERLIN, days: BERLIN.days.map(() => null) }, at("2026-01-19T10:00:00Z"))).toBeNull();
});

test("finds the next opening the night before a day that a clock change makes shorter", () => {
  const sundays = { ...BERLIN, days: BERLIN.days.map((_, at) => (at === 6 ? { from: 600, to: 720 } : null)) };
  // Sunday, 29 March 2026, has 23 hours, and 25 October has 25.
  expect(nextOpening(sundays, at("2026-03-28T22:30:00Z"))).toBe(at("2026-03-29T08:00:00Z"));
  expect(nextOpening(sundays, at("2026-10-24T21:30:00Z"))).toBe(at("2026-10-25T09:00:00Z"));
});

/** A minute by a wall clock: the day of the week from Monday, and the minute of that day. */
type WallMinute = { weekday: number; minute: number };

/** No zone changes its clock within a quarter of an hour. */
const QUARTER = 15;

function wallMinutes(timeZone: string, from: number, to: number): WallMinute[] {
  const clock = new Intl.DateTimeFormat("en-US", { timeZone, dateStyle: "full", timeStyle: "short", hourCycle: "h23" });
  const names = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
  return Array.from({ length: (to - from) / (QUARTER * 60_000) }, (_, n) => {
    const [, name = "", hour = "", first = ""] =
      /^(\w+), .*?(\d\d):(\d\d)$/.exec(clock.format(from + n * QUARTER * 60_000)) ?? [];
    const minute = Number(hour) * 60 + Number(first);
    return Array.from({ length: QUARTER }, (_, n) => ({ weekday: names.indexOf(name), minute: minute + n }));
  }).flat();
}

/** Returns whether the team is open in each minute by a wall clock, computed in another way than the product does. */
function minutesOpen(days: SupportSettings["days"], wall: WallMinute[]): boolean[] {
  return wall.map(({ weekday, minute }) =>
    days.some((hours, at) => {
      if (!hours) return false;
      if (at === weekday && minute >= hours.from && minute < hours.to) return true;
      return (at + 1) % 7 === weekday && minute + 1440 < hours.to;
    }),
  );
}

/** Zones with the weekend on which their clocks change, both ways; the last ones at midnight, by half an hour, and never. */
const CHANGES = [
  ["Europe/Berlin", "2026-03-28", "2026-10-24"],
  ["America/New_York", "2026-03-07", "2026-10-31"],
  ["Australia/Sydney", "2026-10-03", "2026-04-04"],
  ["America/Santiago", "2026-09-05", "2026-04-04"],
  ["Africa/Cairo", "2026-04-23", "2026-10-29"],
  ["Asia/Beirut", "2026-03-28", "2026-10-24"],
  ["Australia/Lord_Howe", "2026-10-03", "2026-04-04"],
  ["Asia/Kathmandu", "2026-03-28", "2026-10-24"],
] as const;
const EVERY_DAY = (from: number, to: number) => DEFAULT_SETTINGS.days.map(() => ({ from, to }));
const WEEKS: [string, SupportSettings["days"]][] = [
  ["office hours", DEFAULT_SETTINGS.days],
  ["until midnight", EVERY_DAY(18 * 60, 24 * 60)],
  ["across midnight", EVERY_DAY(22 * 60, 26 * 60)],
  ["nights that meet the next day", EVERY_DAY(20 * 60, 33 * 60)],
  ["all day", EVERY_DAY(0, 24 * 60)],
  ["the hour that changes", EVERY_DAY(2 * 60 + 15, 2 * 60 + 45)],
  ["the first minutes of a day", EVERY_DAY(0, 10)],
  ["one night a week", DEFAULT_SETTINGS.days.map((_, at) => (at === 5 ? { from: 23 * 60, to: 30 * 60 } : null))],
  ["Sundays", DEFAULT_SETTINGS.days.map((_, at) => (at === 6 ? { from: 600, to: 720 } : null))],
];

test.each(CHANGES)("opens and closes by the clock on the wall when clocks change: %s", (timeZone, ...weekends) => {
  // One assertion for all, because each takes longer than what it checks.
  const wrong: object[] = [];
  for (const weekend of weekends) {
    const start = at(`${weekend}T00:00:00Z`) - 24 * 3_600_000;
    const wall = wallMinutes(timeZone, start, start + 11 * 24 * 3_600_000);
    for (const [name, days] of WEEKS) {
      const settings = { ...DEFAULT_SETTINGS, hoursOn: true, timeZone, days, responseMinutes: 90 };
      const open = minutesOpen(days, wall);
      const instant = (minute: number) => (minute < 0 ? null : start + minute * 60_000);
      for (let minute = 0; minute < 3 * 1440; minute += 17) {
        const now = start + minute * 60_000;
        const next = open[minute] ? null : instant(open.indexOf(true, minute));
        const found = { open: isOpen(settings, now), next: nextOpening(settings, now) };
        if (found.open !== open[minute] || found.next !== next) wrong.push({ name, now, found, next });
      }
      // A target of 90 minutes ends after the 90th minute that is open.
      for (let minute = 0; minute < 3 * 1440; minute += 211) {
        let left = 90;
        const last = open.findIndex((isOpenThen, n) => n >= minute && isOpenThen && --left === 0);
        const due = last < 0 ? null : start + (last + 1) * 60_000;
        const found = respondBy(settings, start + minute * 60_000);
        if (due !== null && found !== due) wrong.push({ name, minute, found, due });
      }
    }
  }
  expect(wrong).toEqual([]);
});

test("finds the hours of the week after, where a clock change skips those of this one", () => {
  const days = DEFAULT_SETTINGS.days.map((_, at) => (at === 6 ? { from: 2 * 60 + 10, to: 2 * 60 + 50 } : null));
  // On 29 March 2026 the clocks in Berlin go from 02:00 to 03:00.
  expect(nextOpening({ ...BERLIN, days }, at("2026-03-28T12:00:00Z"))).toBe(at("2026-04-05T00:10:00Z"));
});

test("begins each day at its first minute, also where the clock skips midnight", () => {
  for (const [timeZone, ...weekends] of CHANGES) {
    for (const weekend of weekends) {
      const clock = new Intl.DateTimeFormat("sv", { timeZone, dateStyle: "short" });
      for (const { day, from, to } of lastDays(timeZone, 4, at(`${weekend}T12:00:00Z`) + 2 * 24 * 3_600_000)) {
        expect([clock.format(from), clock.format(from - 1) < day, clock.format(to - 1)], timeZone).toEqual([
          day,
          true,
          day,
        ]);
      }
    }
  }
});

test("writes the hours for public pages, and none where the team keeps none", () => {
  expect(hoursText(BERLIN)).toBe("Monday to Friday 09:00–18:00 (Europe/Berlin)");
  const days = BERLIN.days.map((day, at) => (at === 2 ? null : at === 5 ? { from: 600, to: 840 } : day));
  expect(hoursText({ ...BERLIN, days })).toBe(
    "Monday to Tuesday 09:00–18:00, Thursday to Friday 09:00–18:00, Saturday 10:00–14:00 (Europe/Berlin)",
  );
  const nights = BERLIN.days.map((_, at) =>
    at < 2 ? { from: 1320, to: 1560 } : at === 2 ? { from: 0, to: 1440 } : null,
  );
  expect(hoursText({ ...BERLIN, days: nights })).toBe(
    "Monday to Tuesday 22:00–02:00, Wednesday 00:00–24:00 (Europe/Berlin)",
  );
  expect(hoursText({ ...BERLIN, hoursOn: false })).toBeNull();
  expect(hoursText({ ...BERLIN, days: BERLIN.days.map(() => null) })).toBeNull();
});

test("counts the time for a first reply in business hours only", () => {
  const due = (asked: string, minutes: number, settings = BERLIN) => {
    const found = respondBy({ ...settings, responseMinutes: minutes }, at(asked));
    return found === null ? null : new Date(found).toISOString();
  };
  expect(due("2026-01-19T10:00:00Z", 30)).toBe("2026-01-19T10:30:00.000Z");
  // From 17:50 in Berlin: ten minutes today, the rest tomorrow.
  expect(due("2026-01-19T16:50:00Z", 30)).toBe("2026-01-20T08:20:00.000Z");
  expect(due("2026-01-19T16:30:00Z", 30)).toBe("2026-01-19T17:00:00.000Z");
  // On Friday evening, before the weekend of a clock change.
  expect(due("2026-03-27T18:00:00Z", 60)).toBe("2026-03-30T08:00:00.000Z");
  // Longer than a day's hours.
  expect(due("2026-01-16T08:00:00Z", 9 * 60 + 1)).toBe("2026-01-19T08:01:00.000Z");
  // Across midnight, and across the night of a clock change, which has an hour less.
  const always = { ...BERLIN, days: BERLIN.days.map(() => ({ from: 0, to: 24 * 60 })) };
  expect(due("2026-01-19T22:50:00Z", 30, always)).toBe("2026-01-19T23:20:00.000Z");
  expect(due("2026-03-28T22:00:00Z", 180, always)).toBe("2026-03-29T01:00:00.000Z");
  const late = { ...BERLIN, days: BERLIN.days.map(() => ({ from: 20 * 60, to: 24 * 60 })) };
  expect(due("2026-01-19T22:50:00Z", 30, late)).toBe("2026-01-20T19:20:00.000Z");
  expect(due("2026-01-18T03:00:00Z", 30, { ...BERLIN, hoursOn: false })).toBe("2026-01-18T03:30:00.000Z");
  expect(due("2026-01-19T10:00:00Z", 30, { ...BERLIN, days: BERLIN.days.map(() => null) })).toBeNull();
  expect(respondBy(BERLIN, at("2026-01-19T10:00:00Z"))).toBeNull();
});

test("gives the away message one client id per day of the team's calendar", () => {
  const idAt = (text: string) => awayText(BERLIN, at(text))?.clientId;
  expect(idAt("2026-01-18T22:59:00Z")).toBe("away-2026-01-18");
  expect(idAt("2026-01-18T23:01:00Z")).toBe("away-2026-01-19");
  expect(idAt("2026-01-19T10:00:00Z")).toBeUndefined();
  expect(awayText({ ...BERLIN, awayMessage: "  " }, at("2026-01-18T12:00:00Z"))).toBeNull();
});
