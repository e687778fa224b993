import { useSyncExternalStore } from "react";
import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { onTick } from "#app/components/formats/relative-date.tsx";
import { dayLabel } from "./day-label.ts";

/** Stands above the first message of a day. Shown in the browser only: the server doesn't know the reader's time zone. */
export function DayDivider({ at }: { at: number }) {
  const { locale } = useFormats();
  // Again and again: a chat may stay open past midnight.
  const label = useSyncExternalStore(onTick, () => dayLabel(at, Date.now(), locale));
  return (
    <div
      data-day
      className="flex items-center gap-3 text-xs text-muted before:h-px before:flex-1 before:bg-line after:h-px after:flex-1 after:bg-line"
    >
      {label}
    </div>
  );
}
