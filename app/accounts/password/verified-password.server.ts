import { eq, sql } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
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
 * Runs a batch that a password allows. Returns false and changes nothing if the password has changed since it was
 * verified, which takes a while.
 */
export async function batchIfVerified(
  db: Db,
  userId: string,
  verified: string,
  statements: BatchItem<"sqlite">[],
): Promise<boolean> {
  // The column refuses NULL, which rolls the batch back: docs/decisions/platform/0002-stop-a-batch-with-a-constraint.md.
  const stopIfChanged = db
    .update(users)
    .set({ createdAt: sql`iif(${users.passwordHash} = ${verified}, ${users.createdAt}, null)` })
    .where(eq(users.id, userId));
  try {
    await db.batch([stopIfChanged, ...statements]);
    return true;
  } catch (error) {
    if (violates(error, "users.created_at")) return false;
    throw error;
  }
}
