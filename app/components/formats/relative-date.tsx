import { memo, useSyncExternalStore } from "react";
import { clockOffset } from "./clock-offset.ts";
import { useFormats } from "./formats-provider.tsx";
import { relativeTime } from "./relative-time.ts";

const TICK_MS = 15_000;

/** A date. The server doesn't know the reader's time zone or clock, so it renders UTC; the browser makes it relative. */
export const RelativeDate = memo(function RelativeDate({ at }: { at: number }) {
  return <TickingDate at={at} text={age} title={(date, locale) => written(date, locale, "long")} />;
});

/** A date by the reader's clock, with how long ago it is on hover. The server renders UTC, as above. */
export const DateWithAge = memo(function DateWithAge({ at }: { at: number }) {
  return <TickingDate at={at} text={(date, locale) => written(date, locale, "short")} title={age} />;
});

type Format = (date: Date, locale: string) => string;

function TickingDate({ at, text, title }: { at: number; text: Format; title: Format }) {
  const isOnServer = useSyncExternalStore(onTick, currentTick, () => null) === null;
  const { locale } = useFormats();
  const date = new Date(at);
  return (
    <time
      dateTime={date.toISOString()}
      title={isOnServer ? undefined : title(date, locale)}
      className="whitespace-nowrap"
    >
      {isOnServer ? utcText(date) : text(date, locale)}
    </time>
  );
}

function age(date: Date): string {
  return relativeTime(date.getTime(), Date.now() + clockOffset());
}

function utcText(date: Date): string {
  return `${date.toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

const STYLES = {
  long: { dateStyle: "long", timeStyle: "long" },
  short: { dateStyle: "medium", timeStyle: "short" },
} as const;

/** Created once each: a thread has hundreds of dates, and creating a format takes longer than using it. */
const formats = new Map<string, Intl.DateTimeFormat>();

function written(date: Date, locale: string, style: keyof typeof STYLES): string {
  const name = `${style} ${locale}`;
  const format = formats.get(name) ?? new Intl.DateTimeFormat(locale, STYLES[style]);
  formats.set(name, format);
  return format.format(date);
}

/** Calls `changed` often enough for what depends on the time. */
export function onTick(changed: () => void): () => void {
  const timer = setInterval(changed, TICK_MS);
  return () => clearInterval(timer);
}

export function currentTick(): number | null {
  return Math.floor(Date.now() / TICK_MS);
}
