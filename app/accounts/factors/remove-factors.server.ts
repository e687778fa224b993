import { and, gte, inArray, type SQL, type SQLWrapper } from "drizzle-orm";
import type { Db } from "#app/db/db.server.ts";
import { passkeys, recoveryCodes, totpSecrets } from "#app/db/schema.server.ts";

/**
 * Builds the statements that remove the factors added since a time (in ms), because somebody else may have added them.
 * `owner` selects a user id.
 */
export function removeFactorsSince(db: Db, owner: SQLWrapper, since: number | SQL) {
  return [
    db.delete(passkeys).where(and(inArray(passkeys.userId, owner), gte(passkeys.createdAt, since))),
    db.delete(totpSecrets).where(and(inArray(totpSecrets.userId, owner), gte(totpSecrets.createdAt, since))),
    db.delete(recoveryCodes).where(and(inArray(recoveryCodes.userId, owner), gte(recoveryCodes.createdAt, since))),
  ] as const;
}
