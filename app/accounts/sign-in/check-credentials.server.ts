import { eq, max } from "drizzle-orm";
import { checkLegacyPassword, padBcryptWork } from "#app/accounts/legacy/legacy-passwords.server.ts";
import {
  type LegacyMigration,
  type MigrationRefusal,
  migratePassword,
} from "#app/accounts/legacy/migrate-password.server.ts";
import { type HashCaller, unlimitedCaller } from "#app/accounts/password/hash-queue.server.ts";
import { isOutdatedHash, verifyPassword } from "#app/accounts/password/password-hash.server.ts";
import { rehash } from "#app/accounts/password/verified-password.server.ts";
import { type Db, databaseMessage } from "#app/db/db.server.ts";
import { profiles, tempMysqlPasswords, users } from "#app/db/schema.server.ts";
import { logError } from "#app/http/log.ts";

export type LogInHow = "current" | LegacyMigration;
export type LogInRefusal =
  | { reason: "unknown_email" | "no_legacy_password" | "already_migrated" | "wrong_legacy_password" | "failed" }
  | { reason: "database_error" | "legacy_check_failed"; message: string }
  | MigrationRefusal;
/** `passwordHash` is what the password was verified against, or its new hash. */
export type CheckedCredentials =
  | { ok: true; userId: string; how: LogInHow; passwordHash: string }
  | ({ ok: false } & LogInRefusal);

/** Limits how slow one expensive hash can make every refused log-in; see docs/decisions. */
const MAX_TARGET_ROUNDS = 12;

/**
 * Checks an email and a password. Migrates a correct password of the previous system. Every refusal does the same work,
 * so that its time reveals nothing: one scrypt, and bcrypt with the rounds of the most expensive legacy hash left.
 */
export async function checkCredentials(
  db: Db,
  input: { email: string; password: string },
  caller: HashCaller = unlimitedCaller(),
): Promise<CheckedCredentials> {
  const { password } = input;
  const email = input.email.trim();
  let account: Account | undefined;
  try {
    account = await findAccount(db, email);
  } catch (error) {
    logError("account lookup failed", error);
    return { ok: false, reason: "database_error", message: databaseMessage(error) };
  }
  const passwordHash = account?.passwordHash ?? null;
  const matches = await verifyPassword(password, passwordHash, caller);
  if (account && matches && passwordHash !== null) {
    const { userId } = account;
    const stored = isOutdatedHash(passwordHash)
      ? await rehash(db, { userId, password, verified: passwordHash }, caller)
      : passwordHash;
    if (stored !== null) return { ok: true, userId, how: "current", passwordHash: stored };
  }

  const legacyHash = account?.passwordHash === null && !account.migrated ? account.legacyHash : null;
  const legacy = legacyHash === null ? null : await checkLegacyPassword(password, legacyHash, caller);
  if (account && legacyHash !== null && legacy?.ok && legacy.matches) {
    const { userId } = account;
    const migrated = await migratePassword(db, { userId, password, legacyHash }, caller);
    return migrated.ok ? { ...migrated, userId } : migrated;
  }
  await padBcryptWork(password, legacy?.ok ? legacy.rounds : null, await targetBcryptRounds(db), caller);
  if (!account) return { ok: false, reason: "unknown_email" };
  if (legacy) {
    if (!legacy.ok) return { ok: false, reason: "legacy_check_failed", message: legacy.message };
    return { ok: false, reason: "wrong_legacy_password" };
  }
  return { ok: false, reason: account.migrated ? "already_migrated" : "no_legacy_password" };
}

type Account = NonNullable<Awaited<ReturnType<typeof findAccount>>>;

async function findAccount(db: Db, email: string) {
  const [found] = await db
    .select({
      userId: profiles.userId,
      passwordHash: users.passwordHash,
      legacyHash: tempMysqlPasswords.mysqlPasswordHash,
      migrated: tempMysqlPasswords.migrated,
    })
    .from(profiles)
    .innerJoin(users, eq(users.id, profiles.userId))
    .leftJoin(tempMysqlPasswords, eq(tempMysqlPasswords.userId, profiles.userId))
    .where(eq(profiles.email, email))
    .limit(1);
  return found;
}

/** Returns the bcrypt rounds that every refusal must cost, or null once no legacy hash is left. */
async function targetBcryptRounds(db: Db): Promise<number | null> {
  const [highest] = await db.select({ rounds: max(tempMysqlPasswords.rounds) }).from(tempMysqlPasswords);
  return highest?.rounds ? Math.min(highest.rounds, MAX_TARGET_ROUNDS) : null;
}
