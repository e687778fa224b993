import { CHECKS, type CheckName } from "#app/db/schema.server.ts";
import { logError } from "#app/http/log.ts";
import { within } from "#app/http/within.ts";

/** `detail` says nothing but what somebody who is not logged in may read. */
export type CheckResult = { ok: boolean; ms: number; detail: string };
export type CheckResults = Record<CheckName, CheckResult>;

/** Returns what is wrong, in words for anybody, or null. Throws if it gets no answer. */
export type Check = () => Promise<string | null>;
export type Checks = Record<CheckName, Check>;

/** Time limit of each check. They run at once. */
export const CHECK_LIMIT_MS = 2000;
/** How long an isolate answers with the same results, so that asking can't load what is asked. */
export const RESULTS_KEPT_MS = 5000;
/** How old results may be that others get while they are read anew. Longer than the time of reading, or a crowd would read. */
const STALE_MS = 15_000;

/** Runs all checks at once. Never throws. */
export async function runChecks(checks: Checks, limitMs = CHECK_LIMIT_MS): Promise<CheckResults> {
  const results = await Promise.all(CHECKS.map(async (name) => [name, await runCheck(name, checks[name], limitMs)]));
  return Object.fromEntries(results) as CheckResults;
}

async function runCheck(name: CheckName, check: Check, limitMs: number): Promise<CheckResult> {
  const started = Date.now();
  const judged = check().then(
    (fault): Omit<CheckResult, "ms"> => (fault === null ? { ok: true, detail: "ok" } : { ok: false, detail: fault }),
    (error: unknown) => {
      logError("health check failed", error, { check: name });
      return { ok: false, detail: "It failed" };
    },
  );
  const result = (await within(limitMs, judged)) ?? { ok: false, detail: `No answer within ${limitMs} ms` };
  return { ...result, ms: Date.now() - started };
}

/**
 * Keeps results for some seconds. While they are read anew, other requests get the last ones, unless those are old. Keeps
 * no promises: those of one request never settle for another once it was canceled.
 */
export class KeptResults<T> {
  #kept: { until: number; results: T } | null = null;
  #readingUntil = 0;

  async read(run: () => Promise<T>): Promise<T> {
    const now = Date.now();
    if (this.#kept && now < this.#kept.until) return this.#kept.results;
    if (this.#kept && now < this.#readingUntil && now < this.#kept.until + STALE_MS) return this.#kept.results;
    this.#readingUntil = now + 2 * CHECK_LIMIT_MS;
    const results = await run();
    this.#kept = { until: Date.now() + RESULTS_KEPT_MS, results };
    this.#readingUntil = 0;
    return results;
  }
}
