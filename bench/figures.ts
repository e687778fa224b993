import { writeFileSync } from "node:fs";

/**
 * A figure that a bench measured. `baseline` is the same for something comparable in the same run, and the ratio to it can be
 * compared across machines. The goal is one for the ratio if there is a baseline, otherwise for the value.
 */
export type Figure = {
  name: string;
  value: number;
  unit: "/s" | "/h" | "ms" | "µs" | "KB" | "rows" | "";
  baseline?: number;
  goal?: { atLeast?: number; atMost?: number };
};

/** The file to which a bench started by `npm run bench` writes its figures. */
export const FIGURES_FILE = "BENCH_FIGURES";

/** Prints the figures, hands them to the runner, and makes the process fail if one misses its goal. */
export function reportFigures(figures: Figure[]): void {
  const width = Math.max(...figures.map(({ name }) => name.length));
  for (const figure of figures) {
    const { name, value, unit, goal } = figure;
    const ratio = ratioOf(figure);
    const cells = [name.padEnd(width), `${writeNumber(value)} ${unit}`.padStart(14)];
    if (ratio !== null) cells.push(`ratio ${ratio.toFixed(3)}`);
    if (goal) cells.push(`(${goalText(goal)})${isMissed(figure) ? " MISSED" : ""}`);
    console.log(cells.join("   "));
  }
  const file = process.env[FIGURES_FILE];
  if (file) writeFileSync(file, JSON.stringify(figures));
  if (figures.some(isMissed)) process.exitCode = 1;
}

export function ratioOf({ value, baseline }: Figure): number | null {
  return baseline === undefined ? null : value / baseline;
}

export function isMissed(figure: Figure): boolean {
  const { atLeast = Number.NEGATIVE_INFINITY, atMost = Number.POSITIVE_INFINITY } = figure.goal ?? {};
  const measured = ratioOf(figure) ?? figure.value;
  return !(measured >= atLeast && measured <= atMost);
}

export function goalText({ atLeast, atMost }: NonNullable<Figure["goal"]>): string {
  return [atLeast !== undefined && `at least ${atLeast}`, atMost !== undefined && `at most ${atMost}`]
    .filter(Boolean)
    .join(", ");
}

/** Writes small numbers with two decimals and large ones without. */
export function writeNumber(value: number): string {
  return Math.abs(value) >= 100 ? Math.round(value).toLocaleString("en") : String(Number(value.toFixed(2)));
}

export function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}

/** `share`: 0 to 1. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
