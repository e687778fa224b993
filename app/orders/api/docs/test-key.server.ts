import type { Db } from "#app/db/db.server.ts";
import type { SessionOwner } from "#app/db/open-session.server.ts";
import { countAttempt } from "#app/db/rate-limit.server.ts";
import { createApiKey } from "#app/orders/api/api-keys.server.ts";

const HOUR_MS = 60 * 60 * 1000;
const KEPT_MS = 24 * HOUR_MS;
const KEYS_PER_HOUR = 10;

/** Creates a test key for the API docs page. It expires after a day. Limited to KEYS_PER_HOUR per user. */
export async function makeTestKey(
  db: Db,
  { userId, sessionId }: SessionOwner,
): Promise<
  | { ok: true; key: string }
  | { ok: false; reason: "too_many"; retryAfterSeconds: number }
  | { ok: false; reason: "session_ended" }
> {
  const turn = await countAttempt(db, [{ name: "docs key", who: userId, max: KEYS_PER_HOUR, periodMs: HOUR_MS }]);
  if (!turn.ok) return { ...turn, reason: "too_many" };
  const created = await createApiKey(db, userId, {
    name: "API docs",
    scopes: ["read", "order"],
    isTest: true,
    sessionId,
    limits: { expiresAt: Date.now() + KEPT_MS, addresses: [], dailyCap: null },
  });
  if (created.ok) return { ok: true, key: created.key };
  if (created.reason === "session_ended") return { ok: false, reason: created.reason };
  return { ok: false, reason: "too_many", retryAfterSeconds: HOUR_MS / 1000 };
}
