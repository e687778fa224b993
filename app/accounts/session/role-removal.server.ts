import type { AppLoadContext } from "@remix-run/cloudflare";
import { and, eq, exists, gte, inArray, isNotNull, ne, or, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { roleRemovedEmail } from "#app/accounts/emails/account-emails.ts";
import { eventStatement, logEvent } from "#app/accounts/events/security-events.server.ts";
import type { Visit } from "#app/accounts/visit/visit.server.ts";
import type { Db } from "#app/db/db.server.ts";
import { passkeys, profiles, totpSecrets } from "#app/db/schema.server.ts";
import { makeEmail, queueEmailToAccount } from "#app/email/queue-email.server.ts";

/**
 * Builds the statements that make an agent or admin a customer who is about to lose a second factor added since a time (in
 * ms), with an event and an email. They belong right before its removal by an emailed link, in the same batch, which also
 * ends the sessions: otherwise whoever reads the mailbox would set up a factor of their own and be staff. The first
 * statement returns the account, or nothing if it keeps its role. `owner` selects a user id.
 */
export async function removeRoleWithFactors(
  context: AppLoadContext,
  visit: Visit,
  owner: SQLWrapper,
  since: number | SQL,
) {
  const { db, env } = context;
  const losing = accountsLosingRole(db, owner, since);
  const email = await makeEmail(env, "factor_notice", roleRemovedEmail(""));
  return [
    losing,
    eventStatement(db, visit, losing, "role_changed", { by: "emailed_link", role: "customer" }),
    ...queueEmailToAccount(db, email, losing),
    // Last, because the statements above select by the role.
    db.update(profiles).set({ role: "customer" }).where(inArray(profiles.userId, losing)),
  ] as const;
}

/** Logs the change of role, once the batch has succeeded. Returns whether there was one. */
export function logRoleRemoval(context: AppLoadContext, removed: { userId: string }[]): boolean {
  for (const { userId } of removed) logEvent(context, userId, "role_changed");
  return removed.length > 0;
}

/** Selects the account of `owner` if it is staff and has a second factor added since a time. Recovery codes are none. */
export function accountsLosingRole(db: Db, owner: SQLWrapper, since: number | SQL) {
  const one = { one: sql`1` };
  const passkey = and(eq(passkeys.userId, profiles.userId), gte(passkeys.createdAt, since));
  const totp = and(
    eq(totpSecrets.userId, profiles.userId),
    gte(totpSecrets.createdAt, since),
    isNotNull(totpSecrets.confirmedAt),
  );
  return db
    .select({ userId: profiles.userId })
    .from(profiles)
    .where(
      and(
        inArray(profiles.userId, owner),
        ne(profiles.role, "customer"),
        or(exists(db.select(one).from(passkeys).where(passkey)), exists(db.select(one).from(totpSecrets).where(totp))),
      ),
    );
}
