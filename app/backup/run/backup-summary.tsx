import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { RelativeDate } from "#app/components/formats/relative-date.tsx";
import { Badge } from "#app/components/ui/badge.tsx";
import type { LastBackups } from "./backup-runs.server.ts";

const MEGABYTE = 1_000_000;

/** Tells admins of the last complete backup, and of what became of those since. */
export function BackupSummary({ backups, isLate }: { backups: LastBackups; isLate: boolean }) {
  const { number } = useFormats();
  const { complete, open, failed } = backups;
  const isRunning = open !== null && open.failedAt === null;
  const error = (isRunning ? open.error : null) ?? failed?.error ?? complete?.error ?? null;
  return (
    <div className="flex flex-col gap-2 text-sm">
      <p className="flex min-h-6 flex-wrap items-center gap-x-3 gap-y-1">
        {complete === null ? (
          "No backup has been made yet."
        ) : (
          <span>
            The last one shows <RelativeDate at={complete.cutAt} />.
          </span>
        )}
        {complete?.error && <Badge tone="bad">Its ledger has faults</Badge>}
        {failed !== null && <Badge tone="bad">The last one failed</Badge>}
        {isLate && <Badge tone="warn">Late</Badge>}
        {isRunning && <Badge tone="active">One is being made</Badge>}
      </p>
      {complete !== null && (
        <p className="tabular text-muted">
          {number(complete.rows)} rows and files, {number(Math.ceil(complete.bytes / MEGABYTE))} MB
        </p>
      )}
      {error !== null && <p className="font-mono text-xs break-words text-muted">{error}</p>}
    </div>
  );
}
