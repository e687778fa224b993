import type { ComponentState } from "#app/db/schema.server.ts";

/** One letter a day, oldest first: operational, degraded, down, or "-" for a day without checks. */
export type DayLetters = string;

const LOOKS: Record<string, string> = {
  o: "h-full bg-good",
  d: "h-3/5 bg-warn",
  x: "h-2/5 bg-bad",
  "-": "h-px bg-line-strong",
};

export const LETTERS: Record<ComponentState, string> = { operational: "o", degraded: "d", down: "x" };

/** Draws a bar a day. A bad day is lower too, so that it is not told by color alone. */
export function StatusBars({ days, text }: { days: DayLetters; text: string }) {
  return (
    <div role="img" aria-label={text} className="flex h-8 items-end gap-px sm:gap-0.5">
      {[...days].map((letter, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a bar is its day's place.
        <span key={at} className={`min-w-0 flex-1 rounded-[1px] ${LOOKS[letter] ?? ""}`} />
      ))}
    </div>
  );
}
