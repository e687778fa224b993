import { eq, max } from "drizzle-orm";
import { deviceHistory, sentDevice } from "#app/accounts/devices/known-devices.server.ts";
import { checkLegacyPassword, padBcryptWork } from "#app/accounts/legacy/legacy-passwords.server.ts";
import {
  type LegacyMigration,
  type MigrationRefusal,
  migratePassword,
} from "#app/accounts/legacy/migrate-password.server.ts";
import type { HashCaller } from "#app/accounts/password/hash-queue.server.ts";
import { isOutdatedHash, verifyPassword } from "#app/accounts/password/password-hash.server.ts";
import { rehash } from "#app/accounts/password/verified-password.server.ts";
import { needsSecondStep } from "#app/accounts/session/auth-sessions.server.ts";
import type { Visit } from "#app/accounts/visit/visit.server.ts";
import type { Db } from "#app/db/db.server.ts";
import { profiles, tempMysqlPasswords, users } from "#app/db/schema.server.ts";
import { lookupEmail } from "#app/email-address.ts";

export type LogInHow = "current" | LegacyMigration;
export type LogInRefusal =
  | { reason: "unknown_email" | "no_legacy_password" | "already_migrated" | "wrong_legacy_password" | "failed" }
  | { reason: "database_error" | "legacy_check_failed"; message: string }
  | MigrationRefusal;
/** `passwordHash` is what the password was verified against, or its new hash. */
export type CheckedCredentials =
  | { ok: true; account: Account; how: LogInHow; passwordHash: string }
  | ({ ok: false } & LogInRefusal);

/** Limits how slow one expensive hash can make every refused log-in; see docs/decisions. */
const MAX_TARGET_ROUNDS = 12;

export type Account = Awaited<ReturnType<typeof selectAccount>>[number];
type Target = Awaited<ReturnType<typeof selectTargetRounds>>[number];

type Sent = { account: Account | undefined; target: Target | undefined; password: string };

/**
 * Checks the password of an account, which is undefined for an unknown email. Migrates a correct password of the previous
 * system. Every refusal does the same work, so that its time reveals nothing: one scrypt, and bcrypt with the rounds of
 * the most expensive legacy hash left, which `target` holds.
 */
export async function checkCredentials(db: Db, sent: Sent, caller: HashCaller): Promise<CheckedCredentials> {
  const { account, password } = sent;
  const passwordHash = account?.passwordHash ?? null;
  const matches = await verifyPassword(password, passwordHash, caller);
  if (account && matches && passwordHash !== null) {
    const { userId } = account;
    const stored = isOutdatedHash(passwordHash)
      ? await rehash(db, { userId, password, verified: passwordHash }, caller)
      : passwordHash;
    if (stored !== null) return { ok: true, account, how: "current", passwordHash: stored };
  }
  return checkLegacyCredentials(db, sent, caller);
}

async function checkLegacyCredentials(
  db: Db,
  { account, target, password }: Sent,
  caller: HashCaller,
): Promise<CheckedCredentials> {
  const legacyHash = account?.passwordHash === null && !account.migrated ? account.legacyHash : null;
  const legacy = legacyHash === null ? null : await checkLegacyPassword(password, legacyHash, caller);
  if (account && legacyHash !== null && legacy?.ok && legacy.matches) {
    const migrated = await migratePassword(db, { userId: account.userId, password, legacyHash }, caller);
    return migrated.ok ? { ...migrated, account } : migrated;
  }
  const targetRounds = target?.rounds ? Math.min(target.rounds, MAX_TARGET_ROUNDS) : null;
  await padBcryptWork(password, legacy?.ok ? legacy.rounds : null, targetRounds, caller);
  if (!account) return { ok: false, reason: "unknown_email" };
  if (!legacy) return { ok: false, reason: account.migrated ? "already_migrated" : "no_legacy_password" };
  return legacy.ok
    ? { ok: false, reason: "wrong_legacy_password" }
    : { ok: false, reason: "legacy_check_failed", message: legacy.message };
}

/** Builds what a log-in reads: the account with this email, as it is known to this device, and the work of a refusal. */
export function selectCredentials(db: Db, visit: Pick<Visit, "deviceId">, email: string) {
  const device = sentDevice(db, visit, email);
  return { device, read: [selectAccount(db, email, device), selectTargetRounds(db)] as const };
}

/** Selects what a log-in on this device has to know about the account with this email. */
export function selectAccount(db: Db, email: string, device: { digest: string } | null) {
  return db
    .select({
      userId: profiles.userId,
      passwordHash: users.passwordHash,
      legacyHash: tempMysqlPasswords.mysqlPasswordHash,
      migrated: tempMysqlPasswords.migrated,
      suspendedAt: users.suspendedAt,
      hasSecondStep: needsSecondStep(db, users.id).mapWith(Boolean).as("has_second_step"),
      ...deviceHistory(db, device?.digest ?? null),
    })
    .from(profiles)
    .innerJoin(users, eq(users.id, profiles.userId))
    .leftJoin(tempMysqlPasswords, eq(tempMysqlPasswords.userId, profiles.userId))
    .where(eq(profiles.email, lookupEmail(email)))
    .limit(1);
}

/** Selects the bcrypt rounds that every refusal must cost, or null once no legacy hash is left. */
export function selectTargetRounds(db: Db) {
  return db.select({ rounds: max(tempMysqlPasswords.rounds) }).from(tempMysqlPasswords);
}
