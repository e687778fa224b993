import { RelativeDate } from "#app/components/formats/relative-date.tsx";

/** The line below a setting: its bounds, its default, and who changed it last. */
export function SettingFacts({
  bounds,
  initial,
  isInitial,
  changed,
  className = "",
}: {
  bounds: string;
  /** The default, as its form shows it. */
  initial: string;
  /** The setting has its default. */
  isInitial: boolean;
  changed: { by: string; at: number } | null;
  className?: string;
}) {
  return (
    <p className={`max-w-prose text-xs text-muted ${className}`}>
      {bounds && `${bounds}. `}Default: {initial || "empty"}.{" "}
      {changed ? (
        <>
          Changed by {changed.by} <RelativeDate at={changed.at} />
          {isInitial && ", to the default"}.
        </>
      ) : (
        "Never changed."
      )}
    </p>
  );
}
