import { eq, sql } from "drizzle-orm";
import type { Db } from "#app/db/db.server.ts";
import { type JobSchedule, jobRuns } from "#app/db/schema.server.ts";
import { firstLine, logError, runLogged } from "#app/http/log.ts";
import { HOUR_MS, MINUTE_MS } from "#app/time.ts";

/** Runs between two recorded ones cost no write, unless the outcome changes. */
export const RECORD_EVERY_MS: Record<JobSchedule, number> = { minute: 10 * MINUTE_MS, night: 0 };
/** A job that has not ended for so long is late. Of a night's job, the next run may end two hours later than the last. */
export const LATE_AFTER_MS: Record<JobSchedule, number> = { minute: 30 * MINUTE_MS, night: 26 * HOUR_MS };

/** A job of each minute is unsteady if so many of its runs failed within this time, which is ten runs. */
const UNSTEADY_FAILURES = 3;
const RECENT_RUNS_MS = 10 * MINUTE_MS;
/** How long the failures that made a job unsteady count, while others follow. */
const UNSTEADY_MS = HOUR_MS;
/** The last failures of a job that are kept. */
const KEPT_FAILURES = 10;

export type JobRun = typeof jobRuns.$inferSelect;
/** `error`: what was thrown, or null. */
export type JobEnd = { startedAt: number; succeeded: boolean; error: unknown };
export type JobRecorder = { ended(job: string, end: JobEnd): Promise<void> };

/** Returns the recorded runs, one per job, or null if they can't be read: without them, the jobs run all the same. */
export async function readJobRuns(db: Db): Promise<JobRun[] | null> {
  try {
    return await selectJobRuns(db);
  } catch (error) {
    logError("job runs not read", error);
    return null;
  }
}

/**
 * Records jobs that have no row yet, so that one that never runs becomes late. The jobs of a night are recorded by the
 * site's first minute. Never throws.
 */
export async function recordNewJobs(
  db: Db,
  schedule: JobSchedule,
  jobs: string[],
  known: JobRun[] | null,
  now: number,
) {
  const recorded = new Set(known?.map(({ job }) => job));
  const added = known ? jobs.filter((job) => !recorded.has(job)) : [];
  if (added.length === 0) return;
  await runLogged("jobs not recorded", { schedule }, () =>
    db.run(sql`
      insert into ${jobRuns} (job, schedule, created_at)
      select value, ${schedule}, cast(${now} as integer) from json_each(${JSON.stringify(added)}) where true
      on conflict (job) do nothing`),
  );
}

/**
 * Records that the jobs of a schedule start, and returns what records their ends. Writes only the runs that are due, runs
 * that fail, and the first that succeeds after one, so its cost does not grow with the runs. Never throws.
 */
export async function recordStarts(
  db: Db,
  schedule: JobSchedule,
  jobs: string[],
  known: JobRun[] | null,
  now: number,
): Promise<JobRecorder> {
  if (!known) return { ended: async () => {} };
  const recorded = new Map(known.map((run) => [run.job, run]));
  const due = new Set<string>();
  for (const job of jobs) {
    const run = recorded.get(job);
    if (!run?.startedAt || now - run.startedAt >= RECORD_EVERY_MS[schedule]) due.add(job);
  }
  const removed = known.filter((run) => run.schedule === schedule && !jobs.includes(run.job));
  await runLogged("job starts not recorded", { schedule }, async () => {
    if (due.size > 0) await storeStarts(db, schedule, [...due], now);
    if (removed.length > 0) await forget(db, removed);
  });
  return {
    async ended(job, end) {
      const wasFailing = (recorded.get(job)?.failingSince ?? null) !== null;
      if (!due.has(job) && !wasFailing && end.succeeded) return;
      await runLogged("job end not recorded", { job }, () => storeEnd(db, job, end, Date.now()));
    },
  };
}

/** One statement for all jobs, of which a night has too many for a parameter each. */
function storeStarts(db: Db, schedule: JobSchedule, jobs: string[], now: number) {
  const columns = sql`(job, schedule, started_at, created_at)`;
  const values = sql`select value, ${schedule}, cast(${now} as integer), cast(${now} as integer)`;
  return db.run(sql`
    insert into ${jobRuns} ${columns} ${values} from json_each(${JSON.stringify(jobs)}) where true
    on conflict (job) do update set schedule = excluded.schedule, started_at = excluded.started_at`);
}

/** Removes the jobs of an earlier release, which would be late for ever. */
function forget(db: Db, runs: JobRun[]) {
  const names = JSON.stringify(runs.map(({ job }) => job));
  return db.delete(jobRuns).where(sql`${jobRuns.job} in (select value from json_each(${names}))`);
}

function storeEnd(db: Db, job: string, { startedAt, succeeded, error }: JobEnd, now: number) {
  const isFull = sql`json_array_length(${jobRuns.failedAt}) >= ${KEPT_FAILURES}`;
  const kept = sql`iif(${isFull}, json_remove(${jobRuns.failedAt}, '$[0]'), ${jobRuns.failedAt})`;
  return db
    .update(jobRuns)
    .set({
      startedAt,
      finishedAt: now,
      ...(succeeded
        ? { succeededAt: now, failingSince: null }
        : {
            failingSince: sql`coalesce(${jobRuns.failingSince}, ${now})`,
            failedAt: sql`json_insert(${kept}, '$[#]', cast(${now} as integer))`,
            error: firstLine(error),
          }),
    })
    .where(eq(jobRuns.job, job));
}

/** Returns the statement that lists the recorded runs, in no order. There are as many rows as jobs. */
export function selectJobRuns(db: Db) {
  return db.select().from(jobRuns);
}

/** Returns since when a job should have ended, in ms since 1970, or null if it isn't late. */
export function lateSince({ schedule, finishedAt, createdAt }: JobRun, now: number): number | null {
  const ended = finishedAt ?? createdAt;
  return now - ended > LATE_AFTER_MS[schedule] ? ended : null;
}

/**
 * Returns when runs of an unsteady job failed in the last hour, oldest first, or null if it isn't one: three of ten runs in
 * a row have failed in that hour, and one of the last ten has.
 */
export function unsteadyFailures({ schedule, failedAt }: Pick<JobRun, "schedule" | "failedAt">, now: number) {
  if (schedule !== "minute") return null;
  const counted = failedAt.filter((at) => now - at < UNSTEADY_MS);
  const isRecent = counted.some((at) => now - at < RECENT_RUNS_MS);
  const wasUnsteady = counted.some((at, index) => {
    const later = counted[index + UNSTEADY_FAILURES - 1];
    return later !== undefined && later - at < RECENT_RUNS_MS;
  });
  return isRecent && wasUnsteady ? counted : null;
}

/** Worst first. "waiting": it has not run yet. */
const JOB_STATES = ["failing", "unsteady", "late", "running", "waiting", "done"] as const;
export type JobState = (typeof JOB_STATES)[number];

function stateOf(run: JobRun, now: number): JobState {
  const { startedAt, finishedAt, failingSince } = run;
  if (failingSince !== null) return "failing";
  if (unsteadyFailures(run, now)) return "unsteady";
  if (lateSince(run, now) !== null) return "late";
  if (startedAt === null) return "waiting";
  return finishedAt === null || finishedAt < startedAt ? "running" : "done";
}

/** Lists the recorded runs for staff: those in trouble first, then by schedule and name. */
export async function listJobs(db: Db, now: number) {
  const runs = await selectJobRuns(db);
  return runs
    .map((run) => {
      const { job, schedule, startedAt, finishedAt, error } = run;
      const ms = finishedAt === null || startedAt === null || finishedAt < startedAt ? null : finishedAt - startedAt;
      return { job, schedule, startedAt, ms, state: stateOf(run, now), error };
    })
    .sort(
      (one, other) =>
        rankOf(one.state) - rankOf(other.state) ||
        one.schedule.localeCompare(other.schedule) ||
        one.job.localeCompare(other.job),
    );
}

/** Jobs without trouble stand in one list. */
function rankOf(state: JobState): number {
  return Math.min(JOB_STATES.indexOf(state), JOB_STATES.indexOf("running"));
}
