import { userDigest } from "#app/crypto/user-digest.server.ts";
import { log } from "#app/http/log.ts";
import type { AnsweredRequest } from "./answered-request.ts";

/** Requests that take longer are always logged. */
export const SLOW_MS = 1000;
/** The share of the other requests that is logged, where no setting says it. */
const DEFAULT_SHARE = 0.1;

/**
 * Writes the request's line: always if it failed or was slow, else a share of them. `sample` is the share that the line
 * stands for: count it as 1 / sample requests.
 */
export function logRequest(
  { REQUEST_LOG_SHARE, SESSION_SECRET }: Pick<Env, "REQUEST_LOG_SHARE" | "SESSION_SECRET">,
  { area: _, userId, ...request }: AnsweredRequest,
  random = Math.random(),
): void {
  const isNotable = request.status >= 500 || request.ms >= SLOW_MS;
  const sample = isNotable ? 1 : shareOf(REQUEST_LOG_SHARE);
  if (random >= sample) return;
  log(isNotable ? "warn" : "info", "request", {
    request_id: request.requestId,
    route: request.route,
    method: request.method,
    status: request.status,
    ms: request.ms,
    queries: request.queries,
    round_trips: request.roundTrips,
    rows_read: request.rowsRead,
    rows_written: request.rowsWritten,
    user: userId === undefined ? null : userDigest(SESSION_SECRET, userId),
    sample,
  });
}

/** Returns the setting, or the default for what is no share. */
function shareOf(setting: string | undefined): number {
  const share = Number(setting ?? "");
  return setting?.trim() && share >= 0 && share <= 1 ? share : DEFAULT_SHARE;
}
