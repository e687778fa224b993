import { expect, test } from "vitest";
import { MICRO } from "#app/product.ts";
import { judgeDay, lastJudgedDay, tookMore } from "./reconciled-day.ts";

const KNOWN = { today: 100, firstDay: 50, isComparable: true };
const judge = (
  cost: number,
  fell: number,
  rose: number,
  { day = 90, ...known }: Partial<typeof KNOWN & { day: number }> = {},
) => {
  const { verdict, difference } = judgeDay(
    { day, cost: cost * MICRO, fell: fell * MICRO, rose: rose * MICRO },
    { ...KNOWN, ...known },
  );
  return [verdict, difference === null ? null : difference / MICRO];
};

test("finds that a balance fell by what the orders cost, give or take the minutes around midnight", () => {
  expect(judge(100, 100, 0)).toEqual(["matches", 0]);
  expect(judge(100, 102, 0)).toEqual(["matches", 2]);
  expect(judge(100, 98.5, 0)).toEqual(["matches", -1.5]);
  expect(judge(0, 0, 0)).toEqual(["matches", 0]);
  expect(judge(0.1, 0.11, 0)).toEqual(["matches", 0.01]);
});

test("tells what a provider took beyond its orders, and what it left", () => {
  expect(judge(100, 103, 0)).toEqual(["took_more", 3]);
  expect(judge(0, 5, 0)).toEqual(["took_more", 5]);
  expect(judge(100, 90, 0)).toEqual(["took_less", -10]);
  expect(judge(100, 0, 0)).toEqual(["took_less", -100]);
});

test("counts what came back, and says nothing of a day whose spending hides in a top-up", () => {
  // Refunds of 10 raised the balance and lowered the costs.
  expect(judge(90, 100, 10)).toEqual(["matches", 0]);
  expect(judge(-10, 0, 10)).toEqual(["matches", 0]);
  // The balance was topped up, and 1 was spent between the same two readings.
  expect(judge(100, 99, 499)).toEqual(["matches", -1]);
  expect(judge(100, 60, 460)).toEqual(["rose", null]);
  // More was taken than the rise can explain.
  expect(judge(100, 150, 20)).toEqual(["took_more", 30]);
});

test("judges no day before its end, none before the balance was read all day, and none in another currency", () => {
  expect(judge(100, 60, 0, { day: 100 })).toEqual(["today", -40]);
  expect(judge(100, 100, 0, { day: 100 })).toEqual(["matches", 0]);
  expect(judge(100, 60, 0, { day: 50 })).toEqual(["unread", null]);
  expect(judge(100, 60, 0, { isComparable: false })).toEqual(["other_currency", null]);
  expect(judgeDay({ day: 9, cost: 1, fell: 0, rose: 0 }, { ...KNOWN, firstDay: null }).verdict).toBe("unread");
});

test("says that a provider took more only where the minutes around midnight can't explain it", () => {
  const known = { day: 90, firstDay: 50, isComparable: true };
  const sums = (cost: number, fell: number, rose = 0) => ({
    cost: cost * MICRO,
    fell: fell * MICRO,
    rose: rose * MICRO,
  });
  expect(tookMore(sums(20, 25), sums(60, 65), known)).toBe(true);
  // An order of 5, shortly before midnight, lowered the balance after it.
  expect(tookMore(sums(20, 25), sums(60, 60), known)).toBe(false);
  expect(tookMore(sums(20, 25, 100), sums(60, 65, 100), known)).toBe(false);
  expect(tookMore(sums(20, 25), sums(60, 65), { ...known, firstDay: 90 })).toBe(false);
  expect(tookMore(sums(20, 25), sums(60, 65), { ...known, firstDay: null })).toBe(false);
  expect(tookMore(sums(20, 25), sums(60, 65), { ...known, isComparable: false })).toBe(false);
});

test("judges a day an hour after its end", () => {
  const midnight = Date.UTC(2027, 0, 5);
  const day = midnight / 86_400_000;
  expect(lastJudgedDay(midnight + 59 * 60_000)).toBe(day - 2);
  expect(lastJudgedDay(midnight + 60 * 60_000)).toBe(day - 1);
});
