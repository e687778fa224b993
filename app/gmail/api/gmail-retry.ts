import { HOUR_MS } from "#app/time.ts";

/** Decides what to do with a response from Gmail. */
export type Verdict =
  | { kind: "ok" }
  | { kind: "gone" }
  /** `afterMs` is the wait that Google asks for, if any. `crowded` means that we sent too much at once. */
  | { kind: "retry"; afterMs: number | null; crowded: boolean }
  /** The access token has expired or been revoked. */
  | { kind: "unauthorized" }
  /** The scope is missing or reading is forbidden, so the user has to reconnect. */
  | { kind: "forbidden" }
  /** The daily quota is used up. */
  | { kind: "exhausted" }
  /** The API is not enabled for this client, or the request is invalid. The user can't fix it. */
  | { kind: "broken" };

export const MAX_TRIES = 5;
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 16_000;

const CROWDED = new Set(["rateLimitExceeded", "userRateLimitExceeded", "concurrentLimitExceeded"]);
const EXHAUSTED = new Set(["dailyLimitExceeded", "quotaExceeded"]);
/** Google uses one reason for both limits: "User-rate limit exceeded", "… limit 'Queries per minute per user' …". */
const ABOUT_ONE_USER = /^user|per user/i;
/** The quota is counted per minute, and per day. */
const SHORTEST_PAUSE_MS = 60_000;
const LONGEST_PAUSE_MS = HOUR_MS;
const MISCONFIGURED = new Set(["accessNotConfigured", "SERVICE_DISABLED"]);

/** Classifies a response. `now` is in ms, for a Retry-After given as a date. */
export function classifyResponse(
  status: number,
  headers: { get(name: string): string | null },
  body: unknown,
  now: number,
): Verdict {
  if (status >= 200 && status < 300) return { kind: "ok" };
  const reasons = reasonsOf(body);
  const has = (known: Set<string>) => reasons.some((reason) => known.has(reason));
  const afterMs = retryAfterMs(headers.get("retry-after"), now);
  if (status === 401) return { kind: "unauthorized" };
  if (status === 403 && has(EXHAUSTED)) return { kind: "exhausted" };
  if (status === 429 && has(EXHAUSTED)) return { kind: "exhausted" };
  if (status === 429 || (status === 403 && has(CROWDED))) return { kind: "retry", afterMs, crowded: true };
  if (status === 403) return has(MISCONFIGURED) ? { kind: "broken" } : { kind: "forbidden" };
  if (status === 404 || status === 410) return { kind: "gone" };
  if (status === 408 || status >= 500) return { kind: "retry", afterMs, crowded: false };
  return { kind: "broken" };
}

/**
 * Returns how many ms all mailboxes should wait after a response, because the project's quota is used up. Null for any
 * other response, also if only this mailbox sent too much.
 */
export function projectPauseMs(
  status: number,
  headers: { get(name: string): string | null },
  body: unknown,
  now: number,
): number | null {
  if (status !== 403 && status !== 429) return null;
  const reasons = reasonsOf(body);
  if (reasons.some((reason) => EXHAUSTED.has(reason))) return LONGEST_PAUSE_MS;
  if (!reasons.includes("rateLimitExceeded") || ABOUT_ONE_USER.test(messageOf(body))) return null;
  const afterMs = retryAfterMs(headers.get("retry-after"), now) ?? 0;
  return Math.min(LONGEST_PAUSE_MS, Math.max(SHORTEST_PAUSE_MS, afterMs));
}

/** Returns the wait after `tries` failed attempts: doubling, with jitter, and never shorter than Google asks. */
export function waitMs(tries: number, afterMs: number | null, random: () => number): number {
  const ceiling = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (tries - 1));
  const jittered = Math.round(ceiling * (0.5 + random() / 2));
  return afterMs === null ? jittered : afterMs + Math.round(FIRST_WAIT_MS * random());
}

/** Parses a Retry-After header, seconds or a date, into ms. Returns null if it is missing or invalid. */
export function retryAfterMs(value: string | null, now: number): number | null {
  if (value === null) return null;
  if (/^\d+$/.test(value.trim())) return Number(value) * 1000;
  const at = Date.parse(value);
  return Number.isNaN(at) ? null : Math.max(0, at - now);
}

function messageOf(body: unknown): string {
  const message = (body as { error?: { message?: unknown } } | null)?.error?.message;
  return typeof message === "string" ? message : "";
}

function reasonsOf(body: unknown): string[] {
  const error = (body as { error?: unknown } | null)?.error;
  if (typeof error !== "object" || error === null) return [];
  const { errors, details } = error as { errors?: unknown; details?: unknown };
  return [errors, details].flatMap((list) =>
    Array.isArray(list)
      ? list.flatMap((item: { reason?: unknown }) => (typeof item?.reason === "string" ? [item.reason] : []))
      : [],
  );
}
