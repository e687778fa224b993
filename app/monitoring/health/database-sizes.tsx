import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { Badge } from "#app/components/ui/badge.tsx";

export type DatabaseSize = { name: string; bytes: number | null; limit: number; isFull: boolean };

const MEGABYTE = 1_000_000;

export function DatabaseSizes({ databases }: { databases: DatabaseSize[] }) {
  const { number } = useFormats();
  const megabytes = (bytes: number) => `${number(Math.round(bytes / MEGABYTE))} MB`;
  return (
    <ul className="grid gap-4 sm:grid-cols-2">
      {databases.map(({ name, bytes, limit, isFull }) => {
        const share = bytes === null ? 0 : (100 * bytes) / limit;
        return (
          <li key={name} className="flex flex-col gap-2">
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
          </li>
        );
      })}
    </ul>
  );
}
