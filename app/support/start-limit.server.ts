import type { Db } from "#app/db/db.server.ts";
import { addressOf, countAttempt, type LimitAnswer } from "#app/db/rate-limit.server.ts";

/** An office or a school shares one address. */
const STARTS_PER_ADDRESS = 30;
const PERIOD_MS = 60 * 60 * 1000;

/** For anonymous conversations that are not there yet; each makes a room. */
export async function limitStarts(db: Db, request: Request): Promise<LimitAnswer> {
  const who = addressOf(request);
  if (who === null) return { ok: true };
  return countAttempt(db, [{ name: "support_start:address", who, max: STARTS_PER_ADDRESS, periodMs: PERIOD_MS }]);
}
