import { and, eq, inArray, ne, sql } from "drizzle-orm";
import { makeEmailToken } from "#app/accounts/emails/email-tokens.server.ts";
import type { OtherAccess } from "#app/accounts/password/other-access.ts";
import { endAccess } from "#app/accounts/recovery/revoke-access.server.ts";
import { endSessionsWhere } from "#app/accounts/session/auth-sessions.server.ts";
import type { Db } from "#app/db/db.server.ts";
import { authSessions, profiles, type Role, users } from "#app/db/schema.server.ts";
import { insertSecurityEvent } from "#app/db/security-event-insert.server.ts";
import { lookupEmail } from "#app/email-address.ts";

/** `resetToken` is of a link for a new password, if the account was set aside. */
export type GivenRole =
  | { ok: true; resetToken: string | null }
  | { ok: false; reason: "no_account" | "email_unconfirmed" };

/**
 * Gives a role on the operator's command, and ends the sessions that had another one. Refuses to make an account staff
 * whose email address is not confirmed, because anybody may have signed up with it.
 *
 * With `vouch`, the operator vouches for the address, not for whoever signed up: everything that opens the account ends,
 * the address counts as confirmed, and a new password takes the returned token. `vouch` ends access besides the account's.
 */
export async function giveRole(
  db: Db,
  email: string,
  role: Role,
  vouch: Pick<OtherAccess, "statements"> | null = null,
): Promise<GivenRole> {
  const [account] = await db
    .select({ userId: users.id, confirmedAt: users.emailConfirmedAt })
    .from(users)
    .where(eq(users.email, lookupEmail(email)))
    .limit(1);
  if (!account) return { ok: false, reason: "no_account" };
  const mustVouch = role !== "customer" && account.confirmedAt === null;
  if (mustVouch && !vouch) return { ok: false, reason: "email_unconfirmed" };
  // Its address may have changed since.
  const owner = db
    .select({ userId: users.id })
    .from(users)
    .where(and(eq(users.id, account.userId), eq(users.email, lookupEmail(email))));
  const changed = db
    .select({ userId: profiles.userId })
    .from(profiles)
    .where(and(inArray(profiles.userId, owner), ne(profiles.role, role)));
  const reset = makeEmailToken();
  const setAside =
    mustVouch && vouch
      ? [
          ...endAccess(db, owner, { since: 0, resetDigest: reset.digest }),
          ...vouch.statements(owner),
          db
            .update(users)
            .set({ emailConfirmedAt: sql`cast(${Date.now()} as integer)` })
            .where(inArray(users.id, owner)),
        ]
      : [];
  const [given] = await db.batch([
    owner,
    ...setAside,
    endSessionsWhere(db, inArray(authSessions.userId, changed)),
    insertSecurityEvent(db, changed, { kind: "role_changed", detail: { role } }),
    // Last, because the statements above select by the role.
    db.update(profiles).set({ role }).where(inArray(profiles.userId, owner)),
  ]);
  if (given.length === 0) return { ok: false, reason: "no_account" };
  return { ok: true, resetToken: setAside.length > 0 ? reset.token : null };
}
