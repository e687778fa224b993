import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { Badge } from "#app/components/ui/badge.tsx";
import { Chart, type ChartPoint } from "#app/components/ui/chart.tsx";
import type { Reach } from "./size-growth.ts";

/** `days`: the size in MB of each of the last days. `reach`: when the share is reached from which on somebody must act. */
export type DatabaseSize = {
  name: string;
  bytes: number | null;
  limit: number;
  isFull: boolean;
  days: ChartPoint[];
  reach: Reach;
};

const MEGABYTE = 1_000_000;
/** English, as on the server: it is a staff page, and the date is a rough one. */
const DATE = new Intl.DateTimeFormat("en-US", { dateStyle: "long", timeZone: "UTC" });

export function DatabaseSizes({ databases, fullRatio }: { databases: DatabaseSize[]; fullRatio: number }) {
  const { number } = useFormats();
  const megabytes = (bytes: number) => `${number(Math.round(bytes / MEGABYTE))} MB`;
  return (
    <ul className="grid gap-6 sm:grid-cols-2">
      {databases.map(({ name, bytes, limit, isFull, days, reach }) => {
        const share = bytes === null ? 0 : (100 * bytes) / limit;
        return (
          <li key={name} className="flex min-w-0 flex-col gap-2">
            <p className="flex min-h-6 items-center justify-between gap-4 text-sm">
              <span className="font-mono">{name}</span>
              {bytes === null ? (
                <Badge tone="bad">Can't be read</Badge>
              ) : (
                isFull && <Badge tone="bad">Almost full</Badge>
              )}
            </p>
            <svg
              aria-hidden="true"
              viewBox="0 0 100 4"
              preserveAspectRatio="none"
              className="h-2 w-full rounded-full"
              focusable="false"
            >
              <rect width={100} height={4} className="fill-line" />
              <rect width={Math.min(100, share)} height={4} className={isFull ? "fill-bad" : "fill-accent"} />
            </svg>
            <p className="tabular text-sm text-muted">
              {bytes === null ? "—" : megabytes(bytes)} of {megabytes(limit)} (
              {share < 1 ? "less than 1" : Math.floor(share)}%)
            </p>
            <p className="text-sm text-muted">{reachText(reach, `${Math.round(100 * fullRatio)}%`)}</p>
            <Chart
              title={`${name}, last ${days.length} days (UTC)`}
              kind="line"
              points={days}
              format={(value) => `${number(value)} MB`}
            />
          </li>
        );
      })}
    </ul>
  );
}

function reachText(reach: Reach, share: string): string {
  switch (reach.kind) {
    case "at":
      return `${share} reached about ${DATE.format(reach.at)}, by the growth of the last 30 days.`;
    case "far":
      return `${share} not reached within five years, by the growth of the last 30 days.`;
    case "reached":
      return `${share} is reached.`;
    case "unknown":
      return `When ${share} is reached can be told after a week of sizes, one each night.`;
    default:
      return reach satisfies never;
  }
}
