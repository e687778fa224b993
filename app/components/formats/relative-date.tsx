import { memo, useSyncExternalStore } from "react";
import { clockOffset } from "./clock-offset.ts";
import { useFormats } from "./formats-provider.tsx";
import { relativeTime } from "./relative-time.ts";

const TICK_MS = 15_000;

/** A date. The server doesn't know the reader's time zone or clock, so it renders UTC; the browser makes it relative. */
export const RelativeDate = memo(function RelativeDate({ at }: { at: number }) {
  const tick = useSyncExternalStore(onTick, currentTick, () => null);
  const { locale } = useFormats();
  const date = new Date(at);
  return (
    <time
      dateTime={date.toISOString()}
      title={tick === null ? undefined : exact(date, locale)}
      className="whitespace-nowrap"
    >
      {tick === null
        ? `${date.toISOString().slice(0, 16).replace("T", " ")} UTC`
        : relativeTime(at, Date.now() + clockOffset())}
    </time>
  );
});

/** Created once: a thread has hundreds of dates, and creating a format takes longer than using it. */
let exactFormat: { locale: string; format: Intl.DateTimeFormat } | undefined;

function exact(date: Date, locale: string): string {
  if (exactFormat?.locale !== locale) {
    exactFormat = { locale, format: new Intl.DateTimeFormat(locale, { dateStyle: "long", timeStyle: "long" }) };
  }
  return exactFormat.format.format(date);
}

/** Calls `changed` often enough for what depends on the time. */
export function onTick(changed: () => void): () => void {
  const timer = setInterval(changed, TICK_MS);
  return () => clearInterval(timer);
}

export function currentTick(): number | null {
  return Math.floor(Date.now() / TICK_MS);
}
