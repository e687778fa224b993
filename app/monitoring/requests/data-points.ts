import { logError } from "#app/http/log.ts";
import type { AnsweredRequest } from "./answered-request.ts";

/**
 * Writes what an outside tool may count by to Analytics Engine. docs/monitoring.md has the columns in a table. Without the
 * binding nothing happens.
 */

/** Limit per invocation: https://developers.cloudflare.com/analytics/analytics-engine/limits/ */
const MAX_POINTS = 25;

type Dataset = AnalyticsEngineDataset | undefined;

export type FinishedJob = { job: string; outcome: "succeeded" | "failed" | "unfinished"; ms: number };

export function writeRequestPoint(dataset: Dataset, request: AnsweredRequest): void {
  const { route, method, status, area, ms, queries, roundTrips, rowsRead, rowsWritten } = request;
  write(dataset, {
    indexes: [route],
    blobs: ["request", area, route, method, String(status)],
    doubles: [ms, queries, roundTrips, rowsRead, rowsWritten],
  });
}

/** Writes what an invocation may: those that failed, and then the slowest. */
export function writeJobPoints(dataset: Dataset, jobs: FinishedJob[]): void {
  const rank = ({ outcome, ms }: FinishedJob) => (outcome === "succeeded" ? 0 : 1) * Number.MAX_SAFE_INTEGER + ms;
  const first = jobs.toSorted((one, other) => rank(other) - rank(one)).slice(0, MAX_POINTS);
  for (const { job, outcome, ms } of first) {
    write(dataset, { indexes: [job], blobs: ["job", "jobs", job, "", outcome], doubles: [ms] });
  }
}

/** Never throws: counting must not fail what is counted. */
function write(dataset: Dataset, point: AnalyticsEngineDataPoint): void {
  try {
    dataset?.writeDataPoint(point);
  } catch (error) {
    logError("data point not written", error);
  }
}
