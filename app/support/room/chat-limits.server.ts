import type { Db } from "#app/db/db.server.ts";
import { addressOf, countAttempt, type LimitResult } from "#app/db/rate-limit.server.ts";

/** Generous, because an office or a school shares one address. */
const STARTS_PER_ADDRESS = 30;
const HOUR_MS = 60 * 60 * 1000;
const TRANSCRIPTS_PER_SESSION = 3;

/** Counts a new anonymous conversation, each of which creates a room. */
export async function limitStarts(db: Db, request: Request): Promise<LimitResult> {
  const who = addressOf(request);
  if (who === null) return { ok: true };
  return countAttempt(db, [{ name: "support_start:address", who, max: STARTS_PER_ADDRESS, periodMs: HOUR_MS }]);
}

/** Counts a transcript email of that conversation. */
export function limitTranscripts(db: Db, sessionId: string): Promise<LimitResult> {
  const limit = { name: "support_transcript", max: TRANSCRIPTS_PER_SESSION, periodMs: 24 * HOUR_MS };
  return countAttempt(db, [{ ...limit, who: sessionId }]);
}
