import { HOUR_MS } from "#app/time.ts";

const MAX_WAIT_MS = HOUR_MS;

/** Returns the wait in ms that a Retry-After header asks for, in seconds or as a date, up to an hour. 0 without one. */
export function retryAfterWait(header: string | null, now: number): number {
  if (header === null) return 0;
  const wait = /^\d+$/.test(header.trim()) ? Number(header) * 1000 : Date.parse(header) - now;
  return Number.isFinite(wait) ? Math.min(Math.max(0, wait), MAX_WAIT_MS) : 0;
}
