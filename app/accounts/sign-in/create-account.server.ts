import { and, eq, exists, gt, isNull, sql } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import { type HashCaller, unlimitedCaller } from "#app/accounts/password/hash-queue.server.ts";
import { hashPassword } from "#app/accounts/password/password-hash.server.ts";
import { guessableAs } from "#app/accounts/password/password-rules.server.ts";
import { WEAK_PASSWORD_TEXTS, type WeakPassword } from "#app/accounts/password/password-texts.ts";
import { randomKey } from "#app/crypto/random-secret.server.ts";
import { type Db, violates } from "#app/db/db.server.ts";
import { emailChangeUndos, profiles, type Role, users, wallets } from "#app/db/schema.server.ts";

export type SignUpRefusal = "email_taken" | WeakPassword;
export type CreatedAccount = { ok: true; userId: string } | { ok: false; reason: SignUpRefusal };

export const SIGN_UP_ERRORS: Record<SignUpRefusal, { field: "email" | "password"; text: string }> = {
  email_taken: { field: "email", text: "An account with this email already exists. Log in instead." },
  common_password: { field: "password", text: WEAK_PASSWORD_TEXTS.common_password },
  context_password: { field: "password", text: WEAK_PASSWORD_TEXTS.context_password },
  breached_password: { field: "password", text: WEAK_PASSWORD_TEXTS.breached_password },
};

/**
 * Creates an account with its profile and an empty wallet, all or nothing. `emailConfirmedAt` is null unless somebody
 * vouches for the address. `also` are statements about the new account for the same batch.
 */
export async function createAccount(
  db: Db,
  input: {
    email: string;
    password: string;
    fullName: string;
    role?: Role;
    userId?: string;
    emailConfirmedAt?: number | null;
    also?: readonly BatchItem<"sqlite">[];
  },
  caller: HashCaller = unlimitedCaller(),
): Promise<CreatedAccount> {
  const guessable = guessableAs(input.password, input);
  if (guessable) return { ok: false, reason: guessable };
  const passwordHash = await hashPassword(input.password, caller);
  const { email, fullName, role = "customer", userId = randomKey() } = input;
  const { emailConfirmedAt = null, also = [] } = input;
  try {
    await db.batch([
      db
        .insert(users)
        .values({ id: userId, email: freeEmail(db, email), passwordHash, createdAt: Date.now(), emailConfirmedAt }),
      db.insert(profiles).values({ userId, email, fullName, role }),
      db.insert(wallets).values({ userId }),
      ...also,
    ]);
  } catch (error) {
    if (violates(error, "users.email")) return { ok: false, reason: "email_taken" };
    throw error;
  }
  return { ok: true, userId };
}

/**
 * Returns the address as SQL. It is NULL, which the column refuses, while a link can give the address back to an account:
 * whoever took that account could keep it by signing up with its old address.
 */
function freeEmail(db: Db, email: string) {
  const undo = db
    .select({ one: sql`1` })
    .from(emailChangeUndos)
    .where(
      and(
        eq(emailChangeUndos.oldEmail, email),
        isNull(emailChangeUndos.usedAt),
        gt(emailChangeUndos.expiresAt, Date.now()),
      ),
    );
  return sql<string>`iif(${exists(undo)}, null, ${email})`;
}
