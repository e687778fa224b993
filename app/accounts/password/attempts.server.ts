import type { AppLoadContext } from "@remix-run/cloudflare";
import { addressOf, countAttempt, forgetAttempts, type Limit } from "#app/db/rate-limit.server.ts";

export type AttemptKind = "sign_in" | "sign_up" | "recover" | "refresh";
export type TooMany = { ok: false; status: 429; text: string; headers: { "Retry-After": string } };

const MINUTE_MS = 60_000;
const RATE_LIMIT_SECONDS = 60;

/**
 * Limits per account and per IP address. An account is the typed email, even if it doesn't exist, or the session of a
 * refresh token.
 */
const LIMITS: Record<AttemptKind, { periodMs: number; perAccount: number; perAddress: number }> = {
  sign_in: { periodMs: 15 * MINUTE_MS, perAccount: 10, perAddress: 100 },
  sign_up: { periodMs: 60 * MINUTE_MS, perAccount: 10, perAddress: 30 },
  recover: { periodMs: 60 * MINUTE_MS, perAccount: 3, perAddress: 30 },
  refresh: { periodMs: 5 * MINUTE_MS, perAccount: 60, perAddress: 600 },
};

/**
 * Counts the attempt. Call it before doing any work. The rate-limit binding is an approximate outer limit; the exact
 * counters are in D1.
 */
export async function limitAttempts(
  { db, env }: Pick<AppLoadContext, "db" | "env">,
  request: Request,
  kind: AttemptKind,
  account: string,
): Promise<{ ok: true } | TooMany> {
  const { periodMs, perAccount, perAddress } = LIMITS[kind];
  const address = addressOf(request);
  if (address !== null && !(await env.AUTH_RATE_LIMIT.limit({ key: address })).success)
    return tooMany(RATE_LIMIT_SECONDS);
  const limits: Limit[] = [{ ...accountLimit(kind, account), max: perAccount, periodMs }];
  if (address !== null) limits.push({ name: `${kind}:address`, who: address, max: perAddress, periodMs });
  const counted = await countAttempt(db, limits);
  return counted.ok ? counted : tooMany(counted.retryAfterSeconds);
}

/** Clears the count after a correct password, so that wrong guesses by others do not lock out its owner. */
export function forgetAccountAttempts(
  { db }: Pick<AppLoadContext, "db">,
  kind: AttemptKind,
  account: string,
): Promise<void> {
  return forgetAttempts(db, accountLimit(kind, account));
}

function accountLimit(kind: AttemptKind, account: string): Pick<Limit, "name" | "who"> {
  return { name: `${kind}:account`, who: account.trim().toLowerCase() };
}

function tooMany(seconds: number): TooMany {
  const wait = seconds > 90 ? `${Math.ceil(seconds / 60)} minutes` : `${seconds} seconds`;
  return {
    ok: false,
    status: 429,
    text: `Too many attempts. Please try again in ${wait}.`,
    headers: { "Retry-After": String(seconds) },
  };
}
