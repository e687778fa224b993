import Clock from "lucide-react/icons/clock";
import { type Column, DataTable } from "#app/components/table/data-table.tsx";
import { TimeCell } from "#app/components/table/row-cells.tsx";
import { Badge, type Tone } from "#app/components/ui/badge.tsx";
import { EmptyState } from "#app/components/ui/empty-state.tsx";
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

const COLUMNS: Column<ShownJob>[] = [
  {
    name: "job",
    header: "Job",
    className: "min-w-36 py-2",
    cell: ({ job, state, error }) => (
      <>
        {job}
        {(state === "failing" || state === "unsteady") && error !== null && (
          <p className="mt-1 max-w-prose font-mono text-xs wrap-anywhere text-muted">{error}</p>
        )}
      </>
    ),
  },
  { name: "schedule", header: "Runs every", cell: ({ schedule }) => schedule },
  {
    name: "state",
    header: "State",
    cell: ({ state }) => <Badge tone={STATES[state].tone}>{STATES[state].label}</Badge>,
  },
  { name: "last", header: "Last run", cell: (job) => <LastRun job={job} /> },
  { name: "took", header: "Took", numeric: true, cell: ({ ms }) => (ms === null ? "—" : durationOf(ms)) },
];

/** The scheduled jobs, those in trouble first. */
export function JobTable({ jobs }: { jobs: ShownJob[] }) {
  return (
    <DataTable
      label="Scheduled jobs"
      list="jobs-"
      columns={COLUMNS}
      rows={jobs}
      rowKey={({ job }) => job}
      empty={
        <EmptyState icon={Clock} title="No job has run yet">
          Jobs run every minute and every night, once the worker's cron triggers are on.
        </EmptyState>
      }
    />
  );
}

/** A job that has not run yet says when it will. */
function LastRun({ job: { schedule, startedAt } }: { job: ShownJob }) {
  if (startedAt !== null) return <TimeCell at={startedAt} />;
  return schedule === "night" ? `first run at ${NIGHT_TEXT}` : "first run within a minute";
}

function durationOf(ms: number): string {
  return ms < 1000 ? `${ms} ms` : `${(ms / 1000).toFixed(1)} s`;
}
