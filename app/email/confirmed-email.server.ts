import { eq, type SQLWrapper, sql } from "drizzle-orm";
import type { Db } from "#app/db/db.server.ts";
import { users } from "#app/db/schema.server.ts";

/**
 * Until an account's email address is confirmed, it can't use live API keys, webhooks and card payments, or email a
 * conversation: whoever signed up may not own the address. See docs/decisions/accounts/0044-email-addresses.md.
 */

export const CONFIRM_EMAIL_FIRST =
  "Confirm your email address first. Open the link we emailed to you, or send a new one from your dashboard.";

/** Returns the condition that the user's email address is confirmed, for the statement that depends on it. */
export function isEmailConfirmed(userId: string | SQLWrapper) {
  return sql`exists (select 1 from ${users} where ${users.id} = ${userId} and ${users.emailConfirmedAt} is not null)`;
}

export async function hasConfirmedEmail(db: Db, userId: string): Promise<boolean> {
  return (await readConfirmedEmail(db, userId)) !== null;
}

/** Returns the account's address, or null if it is not confirmed. */
export async function readConfirmedEmail(db: Db, userId: string): Promise<string | null> {
  const [user] = await db
    .select({ email: users.email, at: users.emailConfirmedAt })
    .from(users)
    .where(eq(users.id, userId))
    .limit(1);
  return user && user.at !== null ? user.email : null;
}
