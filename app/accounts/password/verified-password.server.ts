import { eq, sql } from "drizzle-orm";
import { type Db, violates } from "#app/db/db.server.ts";
import { users } from "#app/db/schema.server.ts";
import { verifyPassword } from "./password-hash.server.ts";

/** Returns the hash that the user's password was verified against, or null if it is wrong. The caller limits attempts. */
export async function verifiedHash(db: Db, userId: string, password: string): Promise<string | null> {
  const [user] = await db.select({ passwordHash: users.passwordHash }).from(users).where(eq(users.id, userId)).limit(1);
  const stored = user?.passwordHash ?? null;
  return (await verifyPassword(password, stored)) ? stored : null;
}

/**
 * Returns the statement that stops its batch if the password has changed since it was verified, which takes a while. Put
 * it first in a batch that a password allows.
 */
export function stopIfPasswordChanged(db: Db, userId: string, verified: string) {
  return db
    .update(users)
    .set({ createdAt: sql`iif(${users.passwordHash} = ${verified}, ${users.createdAt}, null)` })
    .where(eq(users.id, userId));
}

/** Returns whether that statement stopped the batch. */
export function isStoppedByPassword(error: unknown): boolean {
  return violates(error, "users.created_at");
}
