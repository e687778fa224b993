import { expect, test } from "vitest";
import { comparedDay, comparedPeriod, differenceText, pointsText, speedText, yearBefore } from "./report-comparison.ts";
import { readReportQuery } from "./report-query.ts";

const day = (text: string) => Date.parse(text) / (24 * 60 * 60 * 1000);
const period = (from: string, to: string) => ({ from: day(from), to: day(to) });
const money = (micro: number) => `$${(micro / 1e6).toFixed(2)}`;

test("compares with the days before, over the end of a month and of a year", () => {
  expect(comparedPeriod(period("2026-03-01", "2026-03-31"), "before")).toEqual(period("2026-01-29", "2026-02-28"));
  expect(comparedPeriod(period("2027-01-01", "2027-01-07"), "before")).toEqual(period("2026-12-25", "2026-12-31"));
  expect(comparedPeriod(period("2026-11-23", "2026-11-23"), "before")).toEqual(period("2026-11-22", "2026-11-22"));
});

test("compares with the same dates a year before, and a February 29 with nothing", () => {
  expect(comparedPeriod(period("2027-01-01", "2027-01-31"), "year")).toEqual(period("2026-01-01", "2026-01-31"));
  expect(comparedPeriod(period("2026-12-20", "2027-01-10"), "year")).toEqual(period("2025-12-20", "2026-01-10"));
  expect(comparedPeriod(period("2028-02-01", "2028-02-29"), "year")).toEqual(period("2027-02-01", "2027-02-28"));
  expect(comparedPeriod(period("2028-02-29", "2028-03-02"), "year")).toEqual(period("2027-03-01", "2027-03-02"));
  expect(comparedPeriod(period("2029-02-20", "2029-03-02"), "year")).toEqual(period("2028-02-20", "2028-03-02"));
  expect(yearBefore(day("2028-02-29"))).toBeNull();
  const leap = period("2028-02-27", "2028-03-01");
  expect([27, 28, 29, 30].map((_, n) => comparedDay(leap.from + n, leap, "year"))).toEqual([
    day("2027-02-27"),
    day("2027-02-28"),
    null,
    day("2027-03-01"),
  ]);
  expect(comparedDay(leap.to, leap, "before")).toBe(leap.from - 1);
});

test("writes differences as a number and a word", () => {
  expect(differenceText(112e6, 100e6, money)).toBe("$12.00 more (+12%)");
  expect(differenceText(99.9e6, 100e6, money)).toBe("$0.10 less (under 1%)");
  expect(differenceText(50e6, 100e6, money)).toBe("$50.00 less (−50%)");
  expect(differenceText(5e6, 0, money)).toBe("$5.00 more, none before");
  expect(differenceText(5e6, -5e6, money)).toBe("$10.00 more");
  expect(differenceText(7, 7, String)).toBe("the same");
  expect(pointsText(3550, 3300)).toBe("2.5 points higher");
  expect(pointsText(3200, 3300)).toBe("1.0 points lower");
  // As far as shares are shown: 35.5% and 33.0%.
  expect(pointsText(3559, 3301)).toBe("2.5 points higher");
  expect(pointsText(3301, 3309)).toBe("the same");
  expect([pointsText(null, 5), pointsText(5, 5)]).toEqual([null, "the same"]);
  expect(speedText(60_000, 180_000)).toBe("2\u00a0min faster");
  expect(speedText(180_000, 60_000)).toBe("2\u00a0min slower");
  expect(speedText(1, null)).toBeNull();
});

test("reads what the URL asks for, and something sensible for anything else", () => {
  const now = Date.UTC(2026, 10, 24, 5);
  const read = (search: string) => readReportQuery(new URLSearchParams(search), now);
  expect(read("")).toMatchObject({
    by: "day",
    against: "before",
    period: period("2026-10-25", "2026-11-23"),
    compared: period("2026-09-25", "2026-10-24"),
    sort: { key: "day", descending: true },
  });
  expect(read("by=customer&from=2026-11-01&to=2026-11-02&against=year&sort=margin")).toMatchObject({
    by: "customer",
    compared: period("2025-11-01", "2025-11-02"),
    sort: { key: "margin", descending: false },
  });
  expect(read("by=service&sort=day").sort).toEqual({ key: "revenue", descending: true });
  const days = ({ from, to }: { from: number; to: number }) => to - from + 1;
  expect(days(read("by=service&from=2020-01-01&to=2026-11-01").period)).toBe(92);
  expect(days(read("by=x&from=2020-01-01&to=2026-11-01").period)).toBe(400);
});
