import { RelativeDate } from "#app/components/formats/relative-date.tsx";
import { Badge, type Tone } from "#app/components/ui/badge.tsx";
import { Table, Td, Th } from "#app/components/ui/table.tsx";
import type { JobState, listJobs } from "./job-runs.server.ts";
import { NIGHT_TEXT } from "./night.ts";

type ShownJob = Awaited<ReturnType<typeof listJobs>>[number];

const STATES: Record<JobState, { tone: Tone; label: string }> = {
  failing: { tone: "bad", label: "Fails" },
  unsteady: { tone: "bad", label: "Fails at times" },
  late: { tone: "warn", label: "Late" },
  running: { tone: "active", label: "Runs" },
  waiting: { tone: "neutral", label: "Not run yet" },
  done: { tone: "good", label: "Done" },
};

/** The scheduled jobs. On a phone, a job's schedule and last run stand under its name. */
export function JobTable({ jobs }: { jobs: ShownJob[] }) {
  return (
    <Table
      label="Scheduled jobs"
      head={
        <>
          <Th>Job</Th>
          <Th className="max-sm:hidden">Runs every</Th>
          <Th>State</Th>
          <Th className="max-sm:hidden">Last run</Th>
          <Th numeric className="max-sm:hidden">
            Took
          </Th>
        </>
      }
    >
      {jobs.map((job) => {
        const { tone, label } = STATES[job.state];
        const isInTrouble = job.state === "failing" || job.state === "unsteady";
        return (
          <tr key={job.job}>
            <Td className="min-w-36 py-2">
              {job.job}
              <p className="text-xs text-muted sm:hidden">
                every {job.schedule}, <LastRun job={job} />
                {job.ms !== null && `, ${durationOf(job.ms)}`}
              </p>
              {isInTrouble && job.error !== null && (
                <p className="mt-1 max-w-prose font-mono text-xs wrap-anywhere text-muted">{job.error}</p>
              )}
            </Td>
            <Td className="max-sm:hidden">{job.schedule}</Td>
            <Td>
              <Badge tone={tone}>{label}</Badge>
            </Td>
            <Td className="max-sm:hidden">
              <LastRun job={job} />
            </Td>
            <Td numeric className="max-sm:hidden">
              {job.ms === null ? "—" : durationOf(job.ms)}
            </Td>
          </tr>
        );
      })}
    </Table>
  );
}

/** A job that has not run yet says when it will. */
function LastRun({ job: { schedule, startedAt } }: { job: ShownJob }) {
  if (startedAt !== null) return <RelativeDate at={startedAt} />;
  return schedule === "night" ? `first run at ${NIGHT_TEXT}` : "first run within a minute";
}

function durationOf(ms: number): string {
  return ms < 1000 ? `${ms} ms` : `${(ms / 1000).toFixed(1)} s`;
}
