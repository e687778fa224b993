import { inArray, type SQLWrapper, sql } from "drizzle-orm";
import type { Db } from "#app/db/db.server.ts";
import { passwordResets, users } from "#app/db/schema.server.ts";
import { HOUR_MS } from "#app/time.ts";

const RESET_MS = HOUR_MS;

/** Builds the statement that stores the digest of a reset link's token. `owner` selects a user id, or none. */
export function insertReset(db: Db, owner: SQLWrapper, digest: string) {
  return db.insert(passwordResets).select(
    db
      .select({
        tokenDigest: sql<string>`${digest}`.as("token_digest"),
        userId: users.id,
        expiresAt: sql<number>`cast(${Date.now() + RESET_MS} as integer)`.as("expires_at"),
        usedAt: sql<null>`null`.as("used_at"),
      })
      .from(users)
      .where(inArray(users.id, owner)),
  );
}
