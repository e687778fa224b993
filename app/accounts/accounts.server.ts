import { eq } from "drizzle-orm";
import { type Db, violates } from "#app/db/db.server.ts";
import { profiles, type Role, tempMysqlPasswords, users, wallets } from "#app/db/schema.server.ts";
import { hashPassword, verifyPassword } from "./passwords.server.ts";

export type SignUp = { ok: true; userId: string } | { ok: false; reason: "email_taken" };

/** Makes the account with its profile and an empty wallet, all or nothing. */
export async function signUp(
  db: Db,
  input: { email: string; password: string; fullName: string; role?: Role },
): Promise<SignUp> {
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

export type LogInRefusal = "unknown_email" | "no_legacy_password" | "already_migrated";
export type LogIn = { ok: true; userId: string } | { ok: false; reason: LogInRefusal };

const INVALID = "Invalid email or password. Please check your credentials and try again.";

/** The spec's texts (section 5). */
export const LOG_IN_ERRORS: Record<LogInRefusal, string> = {
  unknown_email: INVALID,
  no_legacy_password: "No legacy password found.",
  already_migrated: INVALID,
};

/** With `LOGIN_ERRORS=uniform` every refusal reads the same and tells nobody which e-mails exist. */
export function logInErrorText(reason: LogInRefusal, setting: string): string {
  return setting === "uniform" ? INVALID : LOG_IN_ERRORS[reason];
}

export async function logIn(db: Db, input: { email: string; password: string }): Promise<LogIn> {
  const [found] = await db
    .select({ userId: users.id, passwordHash: users.passwordHash, migrated: tempMysqlPasswords.migrated })
    .from(users)
    .leftJoin(tempMysqlPasswords, eq(tempMysqlPasswords.userId, users.id))
    .where(eq(users.email, input.email.trim()))
    .limit(1);
  // Compared even when there is no account, so that every refusal takes as long.
  const matches = await verifyPassword(input.password, found?.passwordHash ?? null);
  if (found && matches) return { ok: true, userId: found.userId };
  if (!found) return { ok: false, reason: "unknown_email" };
  return { ok: false, reason: found.migrated ? "already_migrated" : "no_legacy_password" };
}
