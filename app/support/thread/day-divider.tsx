import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { dayLabel } from "./day-label.ts";

/** Stands above the first message of a day. Shown in the browser only: the server doesn't know the reader's time zone. */
export function DayDivider({ at }: { at: number }) {
  const { locale } = useFormats();
  return (
    <div
      data-day
      className="flex items-center gap-3 text-xs text-muted before:h-px before:flex-1 before:bg-line after:h-px after:flex-1 after:bg-line"
    >
      {dayLabel(at, Date.now(), locale)}
    </div>
  );
}
