import { RelativeDate } from "#app/components/formats/relative-date.tsx";
import { Badge } from "#app/components/ui/badge.tsx";
import { Table, Td, Th } from "#app/components/ui/table.tsx";
import type { JobRun } from "./job-runs.server.ts";

export type ShownJob = Pick<JobRun, "job" | "schedule" | "startedAt" | "failingSince" | "error"> & {
  /** Duration of the recorded run; null while it runs, or if it was cut off. */
  ms: number | null;
  isLate: boolean;
};

export function JobTable({ jobs }: { jobs: ShownJob[] }) {
  return (
    <Table
      label="Scheduled jobs"
      head={
        <>
          <Th>Job</Th>
          <Th>Runs every</Th>
          <Th>State</Th>
          <Th>Last run</Th>
          <Th numeric>Took</Th>
        </>
      }
    >
      {jobs.map(({ job, schedule, startedAt, ms, isLate, failingSince, error }) => (
        <tr key={job}>
          <Td className="min-w-48 py-2">
            {job}
            {error !== null && <p className="mt-1 max-w-prose font-mono text-xs text-muted">{error}</p>}
          </Td>
          <Td>{schedule}</Td>
          <Td>
            {failingSince !== null ? (
              <Badge tone="bad">Fails</Badge>
            ) : isLate ? (
              <Badge tone="warn">Late</Badge>
            ) : ms === null ? (
              <Badge tone="active">Runs</Badge>
            ) : (
              <Badge tone="good">Done</Badge>
            )}
          </Td>
          <Td>
            <RelativeDate at={startedAt} />
          </Td>
          <Td numeric>{ms === null ? "—" : ms < 1000 ? `${ms} ms` : `${(ms / 1000).toFixed(1)} s`}</Td>
        </tr>
      ))}
    </Table>
  );
}
