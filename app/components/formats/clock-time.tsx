import { useSyncExternalStore } from "react";
import { DAY_MS } from "#app/time.ts";
import { clockOffset } from "./clock-offset.ts";
import { useFormats } from "./formats-provider.tsx";
import { hasPassed } from "./has-passed.ts";
import { currentTick, onTick } from "./relative-date.tsx";

/**
 * A moment by the reader's clock: "14:20", or "Nov 24, 14:20" on another day. Without `time`, the day alone. The server
 * doesn't know the time zone, so it renders UTC.
 */
export function ClockTime({ at, time = true }: { at: number; time?: boolean }) {
  const tick = useSyncExternalStore(onTick, currentTick, () => null);
  const { locale } = useFormats();
  const date = new Date(at);
  return (
    <time dateTime={date.toISOString()} className="whitespace-nowrap">
      {tick === null ? utcText(date, time) : clockText(date, Date.now() + clockOffset(), locale, time)}
    </time>
  );
}

/** Returns whether the moment has passed. Until hydration, what the server found when it read the data. */
export function useHasPassed(at: number | null, atLoad: boolean): boolean {
  return useSyncExternalStore(
    onTick,
    () => hasPassed(at, Date.now() + clockOffset()),
    () => atLoad,
  );
}

function utcText(date: Date, time: boolean): string {
  return time ? `${date.toISOString().slice(0, 16).replace("T", " ")} UTC` : date.toISOString().slice(0, 10);
}

function clockText(date: Date, now: number, locale: string, time: boolean): string {
  const isToday = date.toDateString() === new Date(now).toDateString();
  const isNear = Math.abs(date.getTime() - now) < 180 * DAY_MS;
  const year = isNear ? {} : ({ year: "numeric" } as const);
  const day = { month: "short", day: "numeric", ...year } as const;
  // "4:24 PM" or "16:24", as the locale writes it.
  const clock = { hour: "numeric", minute: "2-digit" } as const;
  return new Intl.DateTimeFormat(locale, { ...((!isToday || !time) && day), ...(time && clock) }).format(date);
}
