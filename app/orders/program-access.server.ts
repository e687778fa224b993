import { and, eq, isNull, type SQLWrapper, sql } from "drizzle-orm";
import type { Db } from "#app/db/db.server.ts";
import { apiKeys, webhookEndpoints } from "#app/db/schema.server.ts";
import { insertSecurityEvent } from "#app/db/security-event-insert.server.ts";
import { type GateEnv, gateOf } from "./api/api-keys.server.ts";

/**
 * Builds the statements that revoke all API keys and turn off all webhooks of the accounts that `owner` selects. Webhooks
 * are kept, because their owner may need the URLs and the log. Gates forget the keys by themselves within 30 seconds.
 */
export function endProgramAccess(db: Db, owner: SQLWrapper) {
  const now = Date.now();
  return [
    db
      .update(apiKeys)
      .set({ revokedAt: now })
      .where(and(sql`${apiKeys.userId} in (${owner})`, isNull(apiKeys.revokedAt)))
      .returning({ digest: apiKeys.digest }),
    db
      .update(webhookEndpoints)
      .set({ disabledAt: now, failingSince: null, previousSecret: null, previousUntil: null })
      .where(and(sql`${webhookEndpoints.userId} in (${owner})`, isNull(webhookEndpoints.disabledAt))),
    insertSecurityEvent(db, revokedAt(db, owner, now), { kind: "api_key_revoked" }),
    insertSecurityEvent(db, turnedOffAt(db, owner, now), { kind: "webhook_changed" }),
  ];
}

/**
 * Ends what programs may do for an account, together with its password. `statements` belong in the batch that ends the
 * password; `finish` gets their results, and once it resolves no request passes with a revoked key.
 */
export function programAccess(db: Db, env: GateEnv) {
  return {
    statements: (owner: SQLWrapper) => endProgramAccess(db, owner),
    async finish([revoked]: unknown[]): Promise<void> {
      const digests = (revoked as { digest: string }[]).map(({ digest }) => digest);
      await Promise.all(digests.map((digest) => gateOf(env, digest).forget()));
    },
  };
}

function revokedAt(db: Db, owner: SQLWrapper, now: number) {
  const revoked = and(sql`${apiKeys.userId} in (${owner})`, eq(apiKeys.revokedAt, now));
  return db.select({ userId: apiKeys.userId }).from(apiKeys).where(revoked);
}

function turnedOffAt(db: Db, owner: SQLWrapper, now: number) {
  const off = and(sql`${webhookEndpoints.userId} in (${owner})`, eq(webhookEndpoints.disabledAt, now));
  return db.select({ userId: webhookEndpoints.userId }).from(webhookEndpoints).where(off);
}
