import { and, eq, exists, isNull, max, sql } from "drizzle-orm";
import { checkLegacyPassword, topUpLegacyWork } from "#app/accounts/legacy/legacy-passwords.server.ts";
import { isCommonPassword } from "#app/accounts/password/common-passwords.server.ts";
import { hashPassword, verifyPassword } from "#app/accounts/password/password-hash.server.ts";
import { type Db, violates } from "#app/db/db.server.ts";
import { profiles, type Role, tempMysqlPasswords, users, wallets } from "#app/db/schema.server.ts";

export type SignUpRefusal = "email_taken" | "common_password";
export type SignUp = { ok: true; userId: string } | { ok: false; reason: SignUpRefusal };

export const SIGN_UP_ERRORS: Record<SignUpRefusal, { field: "email" | "password"; text: string }> = {
  email_taken: { field: "email", text: "An account with this email address exists already. Log in instead." },
  common_password: { field: "password", text: "This password is among the first that guessers try. Choose another." },
};

/** Makes the account with its profile and an empty wallet, all or nothing. */
export async function signUp(
  db: Db,
  input: { email: string; password: string; fullName: string; role?: Role },
): Promise<SignUp> {
  if (isCommonPassword(input.password)) return { ok: false, reason: "common_password" };
  const userId = crypto.randomUUID();
  const passwordHash = await hashPassword(input.password);
  const { email, fullName, role = "customer" } = input;
  try {
    await db.batch([
      db.insert(users).values({ id: userId, email, passwordHash, createdAt: Date.now() }),
      db.insert(profiles).values({ userId, email, fullName, role }),
      db.insert(wallets).values({ userId }),
    ]);
  } catch (error) {
    if (violates(error, "users.email")) return { ok: false, reason: "email_taken" };
    throw error;
  }
  return { ok: true, userId };
}

/** `migrated`: this sign-in moved the legacy password. `migrated_meanwhile`: another one did, at the same moment. */
export type LogInHow = "current" | "migrated" | "migrated_meanwhile";
export type LogInRefusal =
  | { reason: "unknown_email" | "no_legacy_password" | "already_migrated" | "wrong_legacy_password" }
  | { reason: "migrated_not_signed_in" | "failed" }
  | { reason: "database_error" | "legacy_check_failed" | "migration_failed"; message: string };
export type LogIn = { ok: true; userId: string; how: LogInHow } | ({ ok: false } & LogInRefusal);

/** Bounds what one dear hash can make every refused sign-in cost; see docs/decisions. */
const MAX_EVEN_ROUNDS = 12;

/**
 * Signs in with the current password, or once with the one of the previous system, which is then moved.
 * Every refusal does the same work: one scrypt, and bcrypt of as many rounds as the dearest legacy hash that is left.
 */
export async function logIn(db: Db, input: { email: string; password: string }): Promise<LogIn> {
  const { password } = input;
  const email = input.email.trim();
  let account: Account | undefined;
  try {
    account = await findAccount(db, email);
  } catch (error) {
    return { ok: false, reason: "database_error", message: messageOf(error) };
  }
  const matches = await verifyPassword(password, account?.passwordHash ?? null);
  if (account && matches) return { ok: true, userId: account.userId, how: "current" };

  const legacyHash = account?.passwordHash === null && !account.migrated ? account.legacyHash : null;
  const legacy = legacyHash === null ? null : await checkLegacyPassword(password, legacyHash);
  if (account && legacyHash !== null && legacy?.ok && legacy.matches) {
    return migrate(db, { userId: account.userId, email, password, legacyHash });
  }
  await topUpLegacyWork(password, legacy?.ok ? legacy.rounds : null, await evenRounds(db));
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

/** Null once no legacy hash is left: bcrypt then costs nobody anything. */
async function evenRounds(db: Db): Promise<number | null> {
  const [dearest] = await db.select({ rounds: max(tempMysqlPasswords.rounds) }).from(tempMysqlPasswords);
  return dearest?.rounds ? Math.min(dearest.rounds, MAX_EVEN_ROUNDS) : null;
}

/** Compare-and-swap on the legacy hash: of two sign-ins at once, one moves it. */
async function migrate(
  db: Db,
  { userId, email, password, legacyHash }: { userId: string; email: string; password: string; legacyHash: string },
): Promise<LogIn> {
  const passwordHash = await hashPassword(password);
  const isUnmoved = and(
    eq(tempMysqlPasswords.userId, userId),
    eq(tempMysqlPasswords.migrated, false),
    eq(tempMysqlPasswords.mysqlPasswordHash, legacyHash),
  );
  let moved: unknown[];
  try {
    [moved] = await db.batch([
      db
        .update(users)
        .set({ passwordHash })
        .where(
          and(
            eq(users.id, userId),
            isNull(users.passwordHash),
            exists(db.select({ one: sql`1` }).from(tempMysqlPasswords).where(isUnmoved)),
          ),
        )
        .returning({ id: users.id }),
      db.update(tempMysqlPasswords).set({ migrated: true, mysqlPasswordHash: null }).where(isUnmoved),
    ]);
  } catch (error) {
    return { ok: false, reason: "migration_failed", message: messageOf(error) };
  }
  if (moved.length === 1) return { ok: true, userId, how: "migrated" };
  const now = await findAccount(db, email);
  const matches = await verifyPassword(password, now?.passwordHash ?? null);
  if (now?.userId === userId && matches) return { ok: true, userId, how: "migrated_meanwhile" };
  return { ok: false, reason: "migrated_not_signed_in" };
}

/** What the database said, without the statement and its values, which drizzle puts in front of it. */
function messageOf(error: unknown): string {
  let cause = error;
  while (cause instanceof Error && cause.cause instanceof Error) cause = cause.cause;
  return cause instanceof Error ? cause.message : String(cause);
}
