import { eq } from "drizzle-orm";
import type { Db } from "#app/db/db.server.ts";
import { users } from "#app/db/schema.server.ts";

/** Shown after a correct password or passkey only, so that it doesn't tell which addresses have accounts. */
export const SUSPENDED_TEXT = "This account is suspended. Contact support.";

export async function isSuspended(db: Db, userId: string): Promise<boolean> {
  const [account] = await db
    .select({ suspendedAt: users.suspendedAt })
    .from(users)
    .where(eq(users.id, userId))
    .limit(1);
  return account !== undefined && account.suspendedAt !== null;
}
