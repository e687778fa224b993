import { HOUR_MS } from "#app/time.ts";
import type { AnsweredRequest } from "./answered-request.ts";
import { BUCKETS, bucketOf } from "./durations.ts";

/** An isolate adds its counts to the database at most this often, and up to `JITTER_MS` later. */
export const FLUSH_MS = 60_000;
const JITTER_MS = 15_000;

/** A request, as far as it is counted. */
export type CountedRequest = Pick<AnsweredRequest, "area" | "status" | "ms" | "queries" | "rowsRead" | "rowsWritten">;

/** Counts of one hour and area. */
export type RequestCounts = Omit<CountedRequest, "status"> & {
  hour: number;
  requests: number;
  errors: number;
  refused: number;
  durations: number[];
};

/**
 * Counts the requests of one isolate until they are added to the database. What an isolate has counted since it last did
 * that, at most a minute of requests, is lost when the platform ends it.
 */
export class RequestCounters {
  #counts = new Map<string, RequestCounts>();
  #dueAt = 0;

  count({ area, status, ms, queries, rowsRead, rowsWritten }: CountedRequest, now: number): void {
    const durations = Array.from({ length: BUCKETS }, () => 0);
    durations[bucketOf(ms)] = 1;
    const hour = Math.floor(now / HOUR_MS);
    const errors = status >= 500 ? 1 : 0;
    const refused = status === 429 ? 1 : 0;
    this.#add({ hour, area, requests: 1, errors, refused, ms, queries, rowsRead, rowsWritten, durations });
  }

  /** Returns the counts if it is time to add them to the database, or null. They are then no longer kept here. */
  takeDue(now: number, random = Math.random()): RequestCounts[] | null {
    if (now < this.#dueAt || this.#counts.size === 0) return null;
    this.#dueAt = now + FLUSH_MS + random * JITTER_MS;
    const taken = [...this.#counts.values()];
    this.#counts = new Map();
    return taken;
  }

  /** Keeps counts that could not be added. The next try is due like any other. */
  putBack(counts: RequestCounts[]): void {
    for (const one of counts) this.#add(one);
  }

  #add(counts: RequestCounts): void {
    const key = `${counts.hour} ${counts.area}`;
    const known = this.#counts.get(key);
    if (!known) {
      this.#counts.set(key, counts);
      return;
    }
    known.requests += counts.requests;
    known.errors += counts.errors;
    known.refused += counts.refused;
    known.ms += counts.ms;
    known.queries += counts.queries;
    known.rowsRead += counts.rowsRead;
    known.rowsWritten += counts.rowsWritten;
    known.durations = known.durations.map((count, bucket) => count + (counts.durations[bucket] ?? 0));
  }
}
