import type { AppLoadContext } from "@remix-run/cloudflare";
import { and, count, eq, isNull, max, type SQL, sql } from "drizzle-orm";
import { logEvent } from "#app/accounts/events/security-events.server.ts";
import { endSessions, isRunning } from "#app/accounts/session/auth-sessions.server.ts";
import { actorOf, type Viewer } from "#app/accounts/session/viewer.server.ts";
import { audit, isRepeat } from "#app/db/audit.server.ts";
import { type Db, violates } from "#app/db/db.server.ts";
import { authSessions, profiles, type Role, type SecurityEventKind, users } from "#app/db/schema.server.ts";
import { insertSecurityEvent } from "#app/db/security-event-insert.server.ts";

/** Staff end the sessions of accounts, suspend and reactivate them and change their roles. */

export type AccessChange = { kind: "end_sessions" | "suspend" | "reactivate" } | { kind: "role"; role: Role };
export type AccessRefusal = "not_found" | "own_account" | "admin_only" | "unchanged" | "email_unconfirmed" | "repeated";

const EVENTS: Record<AccessChange["kind"], SecurityEventKind> = {
  end_sessions: "sessions_ended",
  suspend: "suspended",
  reactivate: "reactivated",
  role: "role_changed",
};

/** Returns the role of an account, since when it is suspended and where it is logged in, or null. Times in ms. */
export async function readAccess(db: Db, userId: string) {
  const [[account], [sessions]] = await db.batch([
    selectAccess(db, userId),
    db
      .select({ running: count(), lastUsedAt: max(authSessions.lastUsedAt) })
      .from(authSessions)
      .where(and(eq(authSessions.userId, userId), isRunning(Date.now()))),
  ]);
  return account ? { ...account, sessions: sessions?.running ?? 0, lastUsedAt: sessions?.lastUsedAt ?? null } : null;
}

export type AccountAccess = NonNullable<Awaited<ReturnType<typeof readAccess>>>;

/**
 * Changes the access of an account, in one batch with its audit entry and the event that its owner sees. Every change
 * ends the account's sessions. Agents change customers only, admins everybody but themselves: so one admin always stays.
 */
export async function changeAccess(
  { db, requestId }: Pick<AppLoadContext, "db" | "requestId">,
  viewer: Pick<Viewer, "userId" | "fullName" | "email" | "role">,
  userId: string,
  change: AccessChange,
  { reason, once }: { reason: string; once: string },
): Promise<{ ok: true } | { ok: false; reason: AccessRefusal }> {
  const [account] = await selectAccess(db, userId);
  if (!account) return { ok: false, reason: "not_found" };
  if (userId === viewer.userId) return { ok: false, reason: "own_account" };
  const isForAdmins = change.kind === "role" || account.role !== "customer";
  if (isForAdmins && viewer.role !== "admin") return { ok: false, reason: "admin_only" };
  if (isUnchanged(account, change)) return { ok: false, reason: "unchanged" };
  // Whoever signed up with a colleague's address would become staff. A confirmed address stays confirmed.
  const isPromotion = change.kind === "role" && change.role !== "customer";
  if (isPromotion && account.emailConfirmedAt === null) return { ok: false, reason: "email_unconfirmed" };
  const { name } = actorOf(viewer);
  const detail = change.kind === "role" ? { role: [account.role, change.role], reason } : { reason };
  try {
    await db.batch([
      audit(
        db,
        { userId: allowedActor(viewer.userId, userId, change), name },
        { action: `customer.${change.kind}`, subject: "customer", subjectId: userId, detail, onceKey: once },
      ),
      applyChange(db, userId, change),
      endSessions(db, userId),
      insertSecurityEvent(db, userId, {
        kind: EVENTS[change.kind],
        requestId,
        detail: change.kind === "role" ? { by: "support", role: change.role } : { by: "support" },
      }),
    ]);
  } catch (error) {
    if (isRepeat(error)) return { ok: false, reason: "repeated" };
    if (violates(error, "audit_log.actor_id")) return { ok: false, reason: "admin_only" };
    throw error;
  }
  logEvent({ requestId }, userId, EVENTS[change.kind]);
  return { ok: true };
}

function isUnchanged(account: { role: Role; suspendedAt: number | null }, change: AccessChange): boolean {
  switch (change.kind) {
    case "end_sessions":
      return false;
    case "suspend":
      return account.suspendedAt !== null;
    case "reactivate":
      return account.suspendedAt === null;
    case "role":
      return account.role === change.role;
  }
  change satisfies never;
}

/**
 * Returns the actor's id as SQL. It is NULL, which the audit log refuses, if the actor may not make the change when it is
 * stored: two admins who demote each other at once must not both succeed.
 */
function allowedActor(actorId: string, userId: string, change: AccessChange): SQL<string> {
  const forAgents = change.kind === "role" ? sql`0` : sql`actor.role = 'agent' and target.role = 'customer'`;
  return sql<string>`(
    select actor.user_id from ${profiles} actor
    join ${users} account on account.id = actor.user_id
    join ${profiles} target on target.user_id = ${userId}
    where actor.user_id = ${actorId} and actor.user_id <> target.user_id and account.suspended_at is null
      and (actor.role = 'admin' or ${forAgents})
  )`;
}

function applyChange(db: Db, userId: string, change: AccessChange) {
  if (change.kind === "role") {
    return db.update(profiles).set({ role: change.role }).where(eq(profiles.userId, userId));
  }
  const isAccount = eq(users.id, userId);
  if (change.kind === "suspend") {
    return db
      .update(users)
      .set({ suspendedAt: Date.now() })
      .where(and(isAccount, isNull(users.suspendedAt)));
  }
  if (change.kind === "reactivate") return db.update(users).set({ suspendedAt: null }).where(isAccount);
  return endSessions(db, userId);
}

function selectAccess(db: Db, userId: string) {
  return db
    .select({
      userId: users.id,
      email: profiles.email,
      role: profiles.role,
      suspendedAt: users.suspendedAt,
      emailConfirmedAt: users.emailConfirmedAt,
    })
    .from(users)
    .innerJoin(profiles, eq(profiles.userId, users.id))
    .where(eq(users.id, userId))
    .limit(1);
}
