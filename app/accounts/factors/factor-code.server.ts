import type { AppLoadContext } from "@remix-run/cloudflare";
import { knownDevice } from "#app/accounts/devices/known-devices.server.ts";
import type { Visit } from "#app/accounts/visit/visit.server.ts";
import { countAttempt, forgetAttempts, type Limit } from "#app/db/rate-limit.server.ts";
import { MINUTE_MS } from "#app/time.ts";
import { spendRecoveryCode } from "./recovery-codes.server.ts";
import { spendTotpCode } from "./totp.server.ts";

export type CodeFactor = "totp" | "recovery_code";
export type SpentCode =
  | { ok: true; factor: CodeFactor }
  | { ok: false; reason: "wrong_code" }
  | { ok: false; reason: "too_many"; retryAfterSeconds: number };

/**
 * Three codes of a million are right at a time, so whoever has the password finds one with a chance of 1 in 16,000 a day.
 * Passkeys and recovery codes have no such limit: they always let the owner in.
 */
const TOTP_LIMITS = [
  { name: "totp", max: 5, periodMs: 15 * MINUTE_MS },
  { name: "totp:day", max: 20, periodMs: 24 * 60 * MINUTE_MS },
];
/** Limit of one account for all browsers together, so that a thief with many known devices gains nothing. */
const TOTP_PER_ACCOUNT = { name: "totp:account", max: 60, periodMs: 24 * 60 * MINUTE_MS };
/** A recovery code can't be guessed; this only limits the work. */
const RECOVERY_PER_ADDRESS = { name: "recovery_code:address", max: 30, periodMs: 15 * MINUTE_MS };

/** Uses a code up: six digits are an authenticator app's, all else is a recovery code. Counts the attempt. */
export async function spendFactorCode(
  { db, env }: Pick<AppLoadContext, "db" | "env">,
  visit: Visit,
  userId: string,
  typed: string,
  now = Date.now(),
): Promise<SpentCode> {
  const code = typed.replace(/\s/g, "");
  return /^\d{6}$/.test(code)
    ? spendTotp({ db, env }, visit, userId, code, now)
    : spendRecovery({ db }, visit, userId, code, now);
}

async function spendTotp(
  { db, env }: Pick<AppLoadContext, "db" | "env">,
  visit: Visit,
  userId: string,
  code: string,
  now: number,
): Promise<SpentCode> {
  // A known device has counters of its own, which strangers with the password can't use up.
  const device = await knownDevice(db, visit, { userId });
  const who = device === null ? userId : `${userId} ${device}`;
  const limits: Limit[] = [...TOTP_LIMITS.map((limit) => ({ ...limit, who })), { ...TOTP_PER_ACCOUNT, who: userId }];
  const counted = await countAttempt(db, limits, now);
  if (!counted.ok) return { ok: false, reason: "too_many", retryAfterSeconds: counted.retryAfterSeconds };
  if (!(await spendTotpCode(db, env, userId, code, now))) return { ok: false, reason: "wrong_code" };
  const [first, ...rest] = limits.map((limit) => forgetAttempts(db, limit));
  if (first) await db.batch([first, ...rest]);
  return { ok: true, factor: "totp" };
}

async function spendRecovery(
  { db }: Pick<AppLoadContext, "db">,
  visit: Visit,
  userId: string,
  code: string,
  now: number,
): Promise<SpentCode> {
  const address = visit.network;
  if (address !== null) {
    const counted = await countAttempt(db, [{ ...RECOVERY_PER_ADDRESS, who: address }], now);
    if (!counted.ok) return { ok: false, reason: "too_many", retryAfterSeconds: counted.retryAfterSeconds };
  }
  if (!(await spendRecoveryCode(db, userId, code, now))) return { ok: false, reason: "wrong_code" };
  return { ok: true, factor: "recovery_code" };
}
