import { useSyncExternalStore } from "react";
import { useFormats } from "./formats-provider.tsx";

/** A time to the second by the reader's clock, with UTC on hover. The server doesn't know their zone and renders UTC. */
export function ExactDate({ at }: { at: number }) {
  const { locale } = useFormats();
  const isHydrated = useSyncExternalStore(
    () => () => {},
    () => true,
    () => false,
  );
  const iso = new Date(at).toISOString();
  const utc = `${iso.slice(0, 19).replace("T", " ")} UTC`;
  return (
    <time dateTime={iso} title={isHydrated ? utc : undefined} className="tabular whitespace-nowrap">
      {isHydrated ? formatOf(locale).format(at) : utc}
    </time>
  );
}

/** Created once: a list has many dates, and creating a format takes longer than using it. */
let known: { locale: string; format: Intl.DateTimeFormat } | undefined;

function formatOf(locale: string): Intl.DateTimeFormat {
  if (known?.locale !== locale) {
    known = { locale, format: new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "medium" }) };
  }
  return known.format;
}
