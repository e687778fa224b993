import type { AppLoadContext } from "@remix-run/cloudflare";
import { inArray, type SQL, type SQLWrapper } from "drizzle-orm";
import { forgetDevices } from "#app/accounts/devices/known-devices.server.ts";
import { removeFactorsSince } from "#app/accounts/factors/remove-factors.server.ts";
import { endEmailedSetupLinks } from "#app/accounts/factors/staff-setup-links.server.ts";
import type { OtherAccess } from "#app/accounts/password/other-access.ts";
import { endSessionsWhere } from "#app/accounts/session/auth-sessions.server.ts";
import { logRoleRemoval, removeRoleWithFactors } from "#app/accounts/session/role-removal.server.ts";
import type { Visit } from "#app/accounts/visit/visit.server.ts";
import type { Db } from "#app/db/db.server.ts";
import {
  authSessions,
  emailChanges,
  emailVerifications,
  passwordResets,
  tempMysqlPasswords,
  users,
} from "#app/db/schema.server.ts";
import { withdrawEmails } from "#app/email/queue-email.server.ts";
import { insertReset } from "./reset-tokens.server.ts";

/**
 * Builds the statements that end what opens an account, but for other access and the role of staff, and store the digest
 * of one new reset link. The first one returns the account's id.
 */
export function endAccess(
  db: Db,
  owner: SQLWrapper,
  { since, resetDigest }: { since: number | SQL; resetDigest: string },
) {
  return [
    db.update(users).set({ passwordHash: null }).where(inArray(users.id, owner)).returning({ id: users.id }),
    // Without a hash the legacy one would sign in.
    db
      .update(tempMysqlPasswords)
      .set({ migrated: true, mysqlPasswordHash: null })
      .where(inArray(tempMysqlPasswords.userId, owner)),
    endSessionsWhere(db, inArray(authSessions.userId, owner)),
    ...removeFactorsSince(db, owner, since),
    ...endEmailedSetupLinks(db, owner),
    db.delete(emailChanges).where(inArray(emailChanges.userId, owner)),
    db.delete(emailVerifications).where(inArray(emailVerifications.userId, owner)),
    withdrawEmails(db, "address_confirmation", owner),
    db.delete(passwordResets).where(inArray(passwordResets.userId, owner)),
    withdrawEmails(db, "password_reset", owner),
    forgetDevices(db, owner),
    insertReset(db, owner, resetDigest),
  ] as const;
}

/**
 * Builds the statements that end everything which opens an account that somebody else had in hand: the password, all
 * sessions, what was requested by email, known devices, other access, and the factors added since a time (in ms), with the
 * role of staff. One new reset link, by its token's digest, is what remains. `owner` selects a user id.
 *
 * The first statement returns the account's id. Call `finish` with the results once the batch has succeeded; it returns
 * the id, or null where there is no such account, and whether an agent or admin became a customer.
 */
export async function revokeAccess(
  context: AppLoadContext,
  visit: Visit,
  owner: SQLWrapper,
  { since, access, resetDigest }: { since: number | SQL; access: OtherAccess; resetDigest: string },
) {
  const [password, ...ended] = endAccess(context.db, owner, { since, resetDigest });
  // The role goes before the factors that it depends on.
  const [roles, ...demotion] = await removeRoleWithFactors(context, visit, owner, since);
  const others = access.statements(owner);
  const statements = [password, roles, ...demotion, ...ended, ...others] as const;
  return {
    statements,
    async finish(results: readonly unknown[]): Promise<{ userId: string | null; lostRole: boolean }> {
      const [closed, demoted] = results as [{ id: string }[], { userId: string }[]];
      const [account] = closed;
      if (!account) return { userId: null, lostRole: false };
      const end = statements.length;
      await access.finish(results.slice(end - others.length, end));
      return { userId: account.id, lostRole: logRoleRemoval(context, demoted) };
    },
  };
}
