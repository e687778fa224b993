import { MICRO } from "#app/product.ts";
import { DAY_MS, HOUR_MS } from "#app/time.ts";

/** The verdict on a day. */
export type DayVerdict =
  | "matches"
  /** The balance fell by more than the orders cost. */
  | "took_more"
  | "took_less"
  /** The balance rose. What was spent between the same two readings hides in that, so nothing can be said. */
  | "rose"
  /** The day goes on. */
  | "today"
  /** The balance was not read yet, or first on this day. */
  | "unread"
  | "other_currency";

/** A UTC day (since 1970) at a provider. Micro-units. */
export type ReconciledDay = {
  day: number;
  /** The cost of our orders. */
  cost: number;
  /** The amounts that the balance fell and rose by between readings. */
  fell: number;
  rose: number;
  /** The amount that the balance fell by, less the cost, or null where they can't be compared. */
  difference: number | null;
  verdict: DayVerdict;
};

/** Orders of the minutes around midnight count for one day at the provider and for another one here. */
const TOLERATED_PART = 0.02;
const CENT = MICRO / 100;

/**
 * Says what a day's fall of the balance means for its costs. Refunds by the provider raise the balance and lower costs, so a
 * day on which it also rose matches with them or without, and says nothing otherwise.
 */
export function judgeDay(
  row: Pick<ReconciledDay, "day" | "cost" | "fell" | "rose">,
  known: { today: number; firstDay: number | null; isComparable: boolean },
): ReconciledDay {
  const { day, cost, fell, rose } = row;
  const judged = (verdict: DayVerdict, difference: number | null): ReconciledDay => ({ ...row, difference, verdict });
  if (!known.isComparable) return judged("other_currency", null);
  if (known.firstDay === null || day <= known.firstDay) return judged("unread", null);
  const tolerated = Math.max(CENT, Math.round(Math.max(Math.abs(cost), fell) * TOLERATED_PART));
  const [difference, withRise] = [fell - cost, fell - rose - cost];
  if (Math.abs(difference) <= tolerated) return judged("matches", difference);
  if (rose > 0 && Math.abs(withRise) <= tolerated) return judged("matches", withRise);
  if (day >= known.today) return judged("today", difference);
  if (withRise > tolerated) return judged("took_more", withRise);
  return rose > 0 ? judged("rose", null) : judged("took_less", difference);
}

/** Sums of a day, or of more, at a provider. Micro-units. */
export type UseOfDays = Pick<ReconciledDay, "cost" | "fell" | "rose">;

/** Returns the last day whose balance and costs are all in: the balance is read every 15 minutes, and costs every minute. */
export function lastJudgedDay(now: number): number {
  return Math.floor((now - HOUR_MS) / DAY_MS) - 1;
}

/**
 * Returns whether a provider took more for a day's orders than they cost, beyond doubt: also together with the day before,
 * whose last orders may have lowered the balance only after midnight.
 */
export function tookMore(
  day: UseOfDays,
  withDayBefore: UseOfDays,
  known: { day: number; firstDay: number | null; isComparable: boolean },
): boolean {
  const judged = { ...known, today: known.day + 1 };
  return [day, withDayBefore].every((use) => judgeDay({ day: known.day, ...use }, judged).verdict === "took_more");
}
