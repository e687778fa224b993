import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "#app/time.ts";

/** Familiar steps for a time axis. */
const STEPS_MS = [
  ...[1, 5, 10, 15, 30].map((count) => count * SECOND_MS),
  ...[1, 2, 5, 10, 15, 30].map((count) => count * MINUTE_MS),
  ...[1, 2, 3, 6, 12].map((count) => count * HOUR_MS),
  ...[1, 2, 5, 10, 20, 50, 100].map((count) => count * DAY_MS),
];
const TICKS_MAX = 4;

/** Formats as "40 s", "5 min", "1 h 30 min" or "2 d 4 h": at most two units, none of them zero. */
export function durationText(ms: number): string {
  if (Math.round(ms / SECOND_MS) < 60) return `${Math.round(ms / SECOND_MS)} s`;
  const minutes = Math.round(ms / MINUTE_MS);
  if (minutes < 24 * 60) return parts([Math.floor(minutes / 60), "h"], [minutes % 60, "min"]);
  const hours = Math.round(ms / HOUR_MS);
  return parts([Math.floor(hours / 24), "d"], [hours % 24, "h"]);
}

/** Returns round times from 0 up to at least `longest`, in ms. */
export function durationTicks(longest: number): number[] {
  const largest = STEPS_MS.at(-1) ?? DAY_MS;
  const step =
    STEPS_MS.find((one) => Math.ceil(longest / one) <= TICKS_MAX) ?? Math.ceil(longest / TICKS_MAX / largest) * largest;
  return Array.from({ length: Math.max(1, Math.ceil(longest / step)) + 1 }, (_, at) => at * step);
}

function parts(...counted: [count: number, unit: string][]): string {
  return counted.flatMap(([count, unit]) => (count === 0 ? [] : [`${count} ${unit}`])).join(" ");
}
