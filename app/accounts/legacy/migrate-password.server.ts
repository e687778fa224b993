import { and, eq, exists, isNull, sql } from "drizzle-orm";
import type { HashCaller } from "#app/accounts/password/hash-queue.server.ts";
import { hashPassword } from "#app/accounts/password/password-hash.server.ts";
import { verifiedHash } from "#app/accounts/password/verified-password.server.ts";
import { type Db, databaseMessage } from "#app/db/db.server.ts";
import { tempMysqlPasswords, users } from "#app/db/schema.server.ts";
import { logError } from "#app/http/log.ts";

/** `migrated`: this log-in migrated the legacy password. `migrated_meanwhile`: a concurrent one did. */
export type LegacyMigration = "migrated" | "migrated_meanwhile";
export type MigrationRefusal = { reason: "migrated_not_signed_in" } | { reason: "migration_failed"; message: string };

/**
 * Migrates a password that has been checked against the legacy hash. By compare-and-swap on that hash: of two concurrent
 * log-ins, one migrates it.
 */
export async function migratePassword(
  db: Db,
  { userId, password, legacyHash }: { userId: string; password: string; legacyHash: string },
  caller: HashCaller,
): Promise<{ ok: true; how: LegacyMigration; passwordHash: string } | ({ ok: false } & MigrationRefusal)> {
  const passwordHash = await hashPassword(password, caller);
  const isUnmigrated = and(
    eq(tempMysqlPasswords.userId, userId),
    eq(tempMysqlPasswords.migrated, false),
    eq(tempMysqlPasswords.mysqlPasswordHash, legacyHash),
  );
  let migrated: unknown[];
  try {
    [migrated] = await db.batch([
      db
        .update(users)
        .set({ passwordHash })
        .where(
          and(
            eq(users.id, userId),
            isNull(users.passwordHash),
            exists(db.select({ one: sql`1` }).from(tempMysqlPasswords).where(isUnmigrated)),
          ),
        )
        .returning({ id: users.id }),
      db.update(tempMysqlPasswords).set({ migrated: true, mysqlPasswordHash: null }).where(isUnmigrated),
    ]);
  } catch (error) {
    logError("password migration failed", error);
    return { ok: false, reason: "migration_failed", message: databaseMessage(error) };
  }
  if (migrated.length === 1) return { ok: true, how: "migrated", passwordHash };
  const stored = await verifiedHash(db, userId, password, caller);
  if (stored === null) return { ok: false, reason: "migrated_not_signed_in" };
  return { ok: true, how: "migrated_meanwhile", passwordHash: stored };
}
