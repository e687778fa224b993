import { and, gte, inArray, isNull, or, type SQL, type SQLWrapper } from "drizzle-orm";
import type { Db } from "#app/db/db.server.ts";
import { passkeys, recoveryCodes, totpSecrets } from "#app/db/schema.server.ts";

/**
 * Builds the statements that remove the factors added since a time (in ms), because somebody else may have added them,
 * and the unfinished setup of an app, whose secret they may know. `owner` selects a user id. Where an emailed link does
 * this, `removeRoleWithFactors` goes before it.
 */
export function removeFactorsSince(db: Db, owner: SQLWrapper, since: number | SQL) {
  return [
    db.delete(passkeys).where(and(inArray(passkeys.userId, owner), gte(passkeys.createdAt, since))),
    db
      .delete(totpSecrets)
      .where(
        and(inArray(totpSecrets.userId, owner), or(gte(totpSecrets.createdAt, since), isNull(totpSecrets.confirmedAt))),
      ),
    db.delete(recoveryCodes).where(and(inArray(recoveryCodes.userId, owner), gte(recoveryCodes.createdAt, since))),
  ] as const;
}
