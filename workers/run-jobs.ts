import { log, runLogged } from "#app/http/log.ts";
import { within } from "#app/http/within.ts";
import type { JobRecorder } from "#app/monitoring/jobs/job-runs.server.ts";
import { type FinishedJob, writeJobPoints } from "#app/monitoring/requests/data-points.ts";
import { MINUTE_MS } from "#app/time.ts";

/** Jobs by name. A job must tolerate a second run of itself at the same time: the next trigger does not wait for this one. */
export type Jobs = Record<string, () => Promise<unknown>>;

/** A job still running then is reported and left behind. The platform ends a cron run after 15 minutes. */
export const JOB_LIMIT_MS = 10 * MINUTE_MS;
/** Faster runs are not worth a log line each minute. */
export const LOGGED_FROM_MS = 1000;

/**
 * Runs all jobs at once and returns the names of those that failed or did not finish. At once, because they mostly wait
 * for the network: one that hangs delays no other. Logs each failure, each slow run and each unfinished job, and has
 * each end recorded and written to `metrics`.
 */
export async function runJobs(jobs: Jobs, recorder?: JobRecorder, metrics?: AnalyticsEngineDataset): Promise<string[]> {
  const ends = await Promise.all(
    Object.entries(jobs).map(
      async ([job, run]): Promise<FinishedJob> => ({ job, ...(await runJob(job, run, recorder)) }),
    ),
  );
  writeJobPoints(metrics, ends);
  return ends.filter(({ outcome }) => outcome !== "succeeded").map(({ job }) => job);
}

async function runJob(job: string, run: () => Promise<unknown>, recorder?: JobRecorder) {
  const started = Date.now();
  let thrown: unknown = "It did not finish within 10 minutes";
  const finished = runLogged("scheduled job failed", { job }, async () => {
    try {
      await run();
    } catch (error) {
      thrown = error;
      throw error;
    }
  });
  const succeeded = await within(JOB_LIMIT_MS, finished);
  const ms = Date.now() - started;
  if (succeeded === null) log("error", "scheduled job unfinished", { job, ms });
  else if (ms >= LOGGED_FROM_MS) log("info", "scheduled job finished", { job, ms, succeeded });
  await recorder?.ended(job, { startedAt: started, succeeded: succeeded ?? false, error: thrown });
  const outcome: FinishedJob["outcome"] = succeeded === null ? "unfinished" : succeeded ? "succeeded" : "failed";
  return { outcome, ms };
}
