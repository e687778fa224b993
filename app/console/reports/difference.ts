/** Returns the difference of an amount to that of the days before, in words: "12% more". Without an amount before, null. */
export function differenceOf(now: number, before: number): string | null {
  if (before <= 0) return null;
  const part = (now - before) / before;
  const percent = Math.abs(part) * 100;
  if (percent < 0.05) return "the same";
  // Ten times as much is easier to see as a number of times.
  if (part >= 9) return `${Math.round(part + 1)} times as much`;
  return `${percent < 10 ? trimmed(percent) : Math.round(percent)}% ${part > 0 ? "more" : "less"}`;
}

/** Returns the difference of two margins in basis points: "2.1 points higher". */
export function marginDifferenceOf(now: number | null, before: number | null): string | null {
  if (now === null || before === null) return null;
  const points = (now - before) / 100;
  if (Math.abs(points) < 0.05) return "the same";
  return `${Math.abs(points).toFixed(1)} points ${points > 0 ? "higher" : "lower"}`;
}

/** Returns a part of a whole in percent: "2.5%". */
export function percentOf(part: number, whole: number): string {
  return `${((100 * part) / whole).toFixed(1)}%`;
}

function trimmed(value: number): string {
  return value.toFixed(1).replace(/\.0$/, "");
}
