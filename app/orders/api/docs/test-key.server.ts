import { and, eq, sql } from "drizzle-orm";
import { type Db, violates } from "#app/db/db.server.ts";
import { isSessionOpen, type SessionOwner } from "#app/db/open-session.server.ts";
import { countAttempt } from "#app/db/rate-limit.server.ts";
import { apiKeys, users } from "#app/db/schema.server.ts";
import { docsKeyId, type GateEnv, gateOf, newKey } from "#app/orders/api/api-keys.server.ts";
import { DAY_MS, HOUR_MS } from "#app/time.ts";

const KEPT_MS = DAY_MS;
const KEYS_PER_HOUR = 10;
/** Tries against tabs that create a key at the same moment. */
const TRIES = 3;

/**
 * Creates the user's test key of the API docs, which works for a day. The one before it stops working. It is in no list,
 * because each visit of the docs would leave one there. Limited to KEYS_PER_HOUR per user.
 */
export async function makeTestKey(
  db: Db,
  env: GateEnv & Pick<Env, "SESSION_SECRET">,
  { userId, sessionId }: SessionOwner,
): Promise<
  | { ok: true; key: string }
  | { ok: false; reason: "too_many"; retryAfterSeconds: number }
  | { ok: false; reason: "session_ended" }
> {
  const turn = await countAttempt(db, [{ name: "docs key", who: userId, max: KEYS_PER_HOUR, periodMs: HOUR_MS }]);
  if (!turn.ok) return { ...turn, reason: "too_many" };
  const { key, digest, prefix } = newKey(env, true);
  try {
    for (let tries = 0; tries < TRIES; tries++) {
      const replaced = await storeTestKey(db, { userId, sessionId }, { digest, prefix });
      if (replaced === "changed") continue;
      if (replaced) await gateOf(env, replaced).forget();
      return { ok: true, key };
    }
  } catch (error) {
    if (!violates(error, "api_keys.user_id")) throw error;
    return { ok: false, reason: "session_ended" };
  }
  return { ok: false, reason: "too_many", retryAfterSeconds: 1 };
}

/** Returns the digest of the key that it replaced, null if there was none, or "changed" if it is not the one just read. */
async function storeTestKey(db: Db, owner: SessionOwner, secret: { digest: string; prefix: string }) {
  const id = docsKeyId(owner.userId);
  const [old] = await db.select({ digest: apiKeys.digest }).from(apiKeys).where(eq(apiKeys.id, id));
  const now = Date.now();
  const values = { ...secret, createdAt: now, expiresAt: now + KEPT_MS };
  // NULL, which the column refuses, if the session has ended.
  const user = db
    .select({ id: users.id })
    .from(users)
    .where(and(eq(users.id, owner.userId), isSessionOpen(owner)));
  const stored = await db
    .insert(apiKeys)
    .values({ id, userId: sql`(${user})`, name: "API docs", isTest: true, ...values })
    .onConflictDoUpdate({
      target: apiKeys.id,
      set: { ...values, lastUsedAt: null, revokedAt: null, networks: [] },
      setWhere: eq(apiKeys.digest, old?.digest ?? ""),
    })
    .returning({ id: apiKeys.id });
  if (stored.length === 0) return "changed";
  return old?.digest ?? null;
}
