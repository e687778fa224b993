import { eq } from "drizzle-orm";
import { makeEmailToken } from "#app/accounts/emails/email-tokens.server.ts";
import { sha256 } from "#app/crypto/sha256.server.ts";
import type { Db } from "#app/db/db.server.ts";
import { newDeviceAlerts } from "#app/db/schema.server.ts";
import { ALERT_MS } from "./new-device-email.server.ts";

/**
 * Stores the link that rejects a factor and returns its token. Call it before the factor is added: the link removes what
 * is not older than itself.
 */
export async function startFactorAlert(db: Db, userId: string): Promise<string> {
  const { token, digest } = makeEmailToken();
  const now = Date.now();
  await db
    .insert(newDeviceAlerts)
    .values({ tokenDigest: digest, userId, subject: "factor", createdAt: now, expiresAt: now + ALERT_MS });
  return token;
}

/** Removes the link of a factor that was not added after all. */
export async function cancelFactorAlert(db: Db, token: string): Promise<void> {
  await db.delete(newDeviceAlerts).where(eq(newDeviceAlerts.tokenDigest, sha256(token)));
}
