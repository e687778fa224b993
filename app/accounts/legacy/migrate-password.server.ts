import { and, eq, exists, isNull, sql } from "drizzle-orm";
import type { HashCaller } from "#app/accounts/password/hash-queue.server.ts";
import { hashPassword, verifyPassword } from "#app/accounts/password/password-hash.server.ts";
import { type Db, databaseMessage } from "#app/db/db.server.ts";
import { tempMysqlPasswords, users } from "#app/db/schema.server.ts";
import { logError } from "#app/http/log.ts";

/** `migrated`: this log-in migrated the legacy password. `migrated_meanwhile`: a concurrent one did. */
export type LegacyMigration = "migrated" | "migrated_meanwhile";
/** `failed`: nothing was migrated, as the account or its legacy hash has changed meanwhile. */
export type MigrationRefusal =
  | { reason: "migrated_not_signed_in" | "failed" }
  | { reason: "migration_failed"; message: string };

/**
 * Migrates a password that has been checked against the legacy hash. By compare-and-swap on that hash: of two concurrent
 * log-ins, one migrates it. The winner is the one whose hash is stored, even if the database's answer was lost.
 */
export async function migratePassword(
  db: Db,
  { userId, password, legacyHash }: { userId: string; password: string; legacyHash: string },
  caller: HashCaller,
): Promise<{ ok: true; how: LegacyMigration; passwordHash: string } | ({ ok: false } & MigrationRefusal)> {
  const passwordHash = await hashPassword(password, caller);
  const swap = () => swapHashes(db, { userId, legacyHash, passwordHash });
  let stored: string | null;
  try {
    // Safe to repeat: either it has taken effect, or it still may.
    stored = await swap().catch(() => {
      db.renewWait?.();
      return swap();
    });
  } catch (error) {
    if (!saysItExists(error)) {
      logError("password migration failed", error);
      return { ok: false, reason: "migration_failed", message: databaseMessage(error) };
    }
    stored = await storedHash(db, userId).then(([user]) => user?.passwordHash ?? null);
  }
  if (stored === passwordHash) return { ok: true, how: "migrated", passwordHash };
  const isRight = await verifyPassword(password, stored, caller);
  if (stored === null) return { ok: false, reason: "failed" };
  if (!isRight) return { ok: false, reason: "migrated_not_signed_in" };
  return { ok: true, how: "migrated_meanwhile", passwordHash: stored };
}

/** Stores the new hash and wipes the legacy one, if that is unchanged. Returns the hash that is stored then. */
async function swapHashes(
  db: Db,
  { userId, legacyHash, passwordHash }: { userId: string; legacyHash: string; passwordHash: string },
): Promise<string | null> {
  const isUnmigrated = and(
    eq(tempMysqlPasswords.userId, userId),
    eq(tempMysqlPasswords.migrated, false),
    eq(tempMysqlPasswords.mysqlPasswordHash, legacyHash),
  );
  const [, , [user]] = await db.batch([
    db
      .update(users)
      .set({ passwordHash })
      .where(
        and(
          eq(users.id, userId),
          isNull(users.passwordHash),
          exists(db.select({ one: sql`1` }).from(tempMysqlPasswords).where(isUnmigrated)),
        ),
      ),
    db.update(tempMysqlPasswords).set({ migrated: true, mysqlPasswordHash: null }).where(isUnmigrated),
    storedHash(db, userId),
  ]);
  return user?.passwordHash ?? null;
}

function storedHash(db: Db, userId: string) {
  return db.select({ passwordHash: users.passwordHash }).from(users).where(eq(users.id, userId)).limit(1);
}

/** Returns whether the database refused the user because it is there. The specification ignores that (section 8). */
function saysItExists(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (/already (exists|(been )?registered)|UNIQUE constraint failed: users\./i.test(cause.message)) return true;
  }
  return false;
}
