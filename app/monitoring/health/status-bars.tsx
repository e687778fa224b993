import type { ComponentState } from "#app/db/schema.server.ts";
import { ownValue } from "#app/own-value.ts";

/** One letter a day, oldest first: operational, degraded, down, or "-" for a day without checks. */
export type DayLetters = string;

const LOOKS: Record<string, string> = {
  o: "h-full bg-good",
  d: "h-3/5 bg-warn",
  x: "h-2/5 bg-bad",
  "-": "h-px bg-line-strong",
};

const LETTERS: Record<ComponentState, string> = { operational: "o", degraded: "d", down: "x" };

export function lettersOf(days: { state: ComponentState | null }[]): DayLetters {
  return days.map(({ state }) => (state === null ? "-" : LETTERS[state])).join("");
}

/** "no day", "1 day" or "4 days", of days that were not operational throughout. */
export function badDaysText(letters: DayLetters): string {
  const bad = [...letters].filter((letter) => letter === "x" || letter === "d").length;
  return bad === 0 ? "no day" : bad === 1 ? "1 day" : `${bad} days`;
}

/** Rounded down, so that 100 % means no outage at all. */
export function percentText(share: number): string {
  return share === 1 ? "100%" : `${(Math.floor(share * 10_000) / 100).toFixed(2)}%`;
}

/** Draws a bar a day. A bad day is lower too, so that it is not told by color alone. */
export function StatusBars({ days, text }: { days: DayLetters; text: string }) {
  return (
    <div role="img" aria-label={text} className="flex h-8 items-end gap-px sm:gap-0.5">
      {[...days].map((letter, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a bar is its day's place.
        <span key={at} className={`min-w-0 flex-1 rounded-[1px] ${ownValue(LOOKS, letter) ?? ""}`} />
      ))}
    </div>
  );
}
