import type { AppLoadContext } from "@remix-run/cloudflare";
import { and, count, eq, isNull, max, type SQL, sql } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import { factorsRemovedEmail, staffSetupEmail } from "#app/accounts/emails/account-emails.ts";
import { logEvent } from "#app/accounts/events/security-events.server.ts";
import { factorsOf, hasFactor } from "#app/accounts/factors/factors.server.ts";
import { removeFactorsSince } from "#app/accounts/factors/remove-factors.server.ts";
import { endSetupLink, newSetupLink } from "#app/accounts/factors/staff-setup-links.server.ts";
import { endSessions, isRunning } from "#app/accounts/session/auth-sessions.server.ts";
import { actorName, requiresStaffFactor, TWO_STEP_PATH, type Viewer } from "#app/accounts/session/viewer.server.ts";
import { userDigest } from "#app/crypto/user-digest.server.ts";
import { audit, isRepeat } from "#app/db/audit.server.ts";
import { type Db, violates } from "#app/db/db.server.ts";
import { hasOpenSession, isSessionOpen, type SessionOwner } from "#app/db/open-session.server.ts";
import {
  authSessions,
  type EventDetail,
  profiles,
  type Role,
  type SecurityEventKind,
  users,
} from "#app/db/schema.server.ts";
import { insertSecurityEvent } from "#app/db/security-event-insert.server.ts";
import { makeEmail, queueEmail, sendQueuedSoon, withdrawEmails } from "#app/email/queue-email.server.ts";
import { publicOrigin } from "#app/http/requests/public-origin.ts";

/** Staff end the sessions of accounts, suspend and reactivate them, change their roles and remove their second factors. */

export type AccessChange =
  | { kind: "end_sessions" | "suspend" | "reactivate" | "remove_factors" | "send_setup_link" }
  /** `from`: the role that the person saw. */
  | { kind: "role"; role: Role; from?: Role | undefined };
export type AccessRefusal =
  | "not_found"
  | "own_account"
  | "admin_only"
  | "unchanged"
  | "other_role"
  | "email_unconfirmed"
  | "repeated"
  | "session_ended";

const EVENTS: Record<AccessChange["kind"], SecurityEventKind> = {
  end_sessions: "sessions_ended",
  suspend: "suspended",
  reactivate: "reactivated",
  role: "role_changed",
  remove_factors: "factor_removed",
  send_setup_link: "sessions_ended",
};

/**
 * Returns the role of an account, since when it is suspended, where it is logged in and whether it has a second factor, or
 * null. Times in ms.
 */
export async function readAccess(db: Db, userId: string) {
  const [[[account], [sessions]], factors] = await Promise.all([
    db.batch([
      selectAccess(db, userId),
      db
        .select({ running: count(), lastUsedAt: max(authSessions.lastUsedAt) })
        .from(authSessions)
        .where(and(eq(authSessions.userId, userId), isRunning(Date.now()))),
    ]),
    factorsOf(db, userId),
  ]);
  if (!account) return null;
  const { running = 0, lastUsedAt = null } = sessions ?? {};
  return { ...account, sessions: running, lastUsedAt, hasFactor: hasFactor(factors) };
}

export type AccountAccess = NonNullable<Awaited<ReturnType<typeof readAccess>>>;

/**
 * Changes the access of an account, in one batch with its audit entry and the event that its owner sees. Every change
 * ends the account's sessions. Agents change customers only, admins everybody but themselves: so one admin always stays.
 */
export async function changeAccess(
  context: AppLoadContext,
  request: Request,
  viewer: Pick<Viewer, "userId" | "sessionId" | "fullName" | "email" | "role">,
  userId: string,
  change: AccessChange,
  { reason, once }: { reason: string; once: string },
): Promise<{ ok: true } | { ok: false; reason: AccessRefusal }> {
  const { db, requestId } = context;
  const account = await readAccess(db, userId);
  if (!account) return { ok: false, reason: "not_found" };
  if (userId === viewer.userId) return { ok: false, reason: "own_account" };
  const isForAdmins = isAdminsOnly(change) || account.role !== "customer";
  if (isForAdmins && viewer.role !== "admin") return { ok: false, reason: "admin_only" };
  if (isUnchanged(context.env, account, change)) return { ok: false, reason: "unchanged" };
  if (change.kind === "role" && change.from !== undefined && change.from !== account.role) {
    return { ok: false, reason: "other_role" };
  }
  // Whoever signed up with a colleague's address would become staff. A confirmed address stays confirmed.
  const isPromotion = change.kind === "role" && change.role !== "customer";
  if (isPromotion && account.emailConfirmedAt === null) return { ok: false, reason: "email_unconfirmed" };
  const name = actorName(viewer);
  const notice = change.kind === "remove_factors" ? [await removalNotice(context, request, account)] : [];
  const detail = change.kind === "role" ? { role: [account.role, change.role], reason } : { reason };
  try {
    await db.batch([
      audit(
        db,
        { userId: allowedActor(viewer, account, change), name },
        { action: `customer.${change.kind}`, subject: "customer", subjectId: userId, detail, onceKey: once },
      ),
      ...applyChange(db, userId, change),
      endSessions(db, userId),
      insertSecurityEvent(db, userId, {
        kind: EVENTS[change.kind],
        requestId,
        detail: eventDetail(change),
      }),
      ...notice.map((email) => queueEmail(db, email)),
      ...(await setupStatements(context, request, account, change)),
    ]);
  } catch (error) {
    if (isRepeat(error)) return { ok: false, reason: "repeated" };
    if (!violates(error, "audit_log.actor_id")) throw error;
    if (!(await hasOpenSession(db, viewer))) return { ok: false, reason: "session_ended" };
    const now = change.kind === "role" ? await readAccess(db, userId) : account;
    return { ok: false, reason: now?.role === account.role ? "admin_only" : "other_role" };
  }
  logEvent(context, userId, EVENTS[change.kind]);
  sendQueuedSoon(context);
  return { ok: true };
}

/** Returns the digest that names the account in the worker's log. */
export function logName({ SESSION_SECRET }: Pick<Env, "SESSION_SECRET">, userId: string): string {
  return userDigest(SESSION_SECRET, userId);
}

/** Returns whether the account is of staff who lack the second factor that is required, so that they need a setup link. */
export function needsSetupLink(env: Env, { role, hasFactor }: Pick<AccountAccess, "role" | "hasFactor">): boolean {
  return role !== "customer" && !hasFactor && requiresStaffFactor(env);
}

function eventDetail(change: AccessChange): EventDetail {
  if (change.kind === "role") return { by: "support", role: change.role };
  return { by: "support", ...(change.kind === "send_setup_link" && { reason: "setup_link" }) };
}

function isAdminsOnly({ kind }: AccessChange): boolean {
  return kind === "role" || kind === "remove_factors" || kind === "send_setup_link";
}

function isUnchanged(
  env: Env,
  account: Pick<AccountAccess, "role" | "suspendedAt" | "hasFactor">,
  change: AccessChange,
): boolean {
  switch (change.kind) {
    case "end_sessions":
      return false;
    case "suspend":
      return account.suspendedAt !== null;
    case "reactivate":
      return account.suspendedAt === null;
    case "role":
      return account.role === change.role;
    case "remove_factors":
      return !account.hasFactor;
    case "send_setup_link":
      return !needsSetupLink(env, account);
  }
  change satisfies never;
}

/**
 * Returns the actor's id as SQL. It is NULL, which the audit log refuses, if the actor may not make the change when it is
 * stored: two admins who demote each other at once must not both succeed, nor may two set another role of one account, and
 * a session that has ended gives nobody a role.
 */
function allowedActor(
  actor: SessionOwner,
  { userId, role }: Pick<AccountAccess, "userId" | "role">,
  change: AccessChange,
): SQL<string> {
  const forAgents = isAdminsOnly(change) ? sql`0` : sql`actor.role = 'agent' and target.role = 'customer'`;
  return sql<string>`(
    select actor.user_id from ${profiles} actor
    join ${users} account on account.id = actor.user_id
    join ${profiles} target on target.user_id = ${userId}
    where actor.user_id = ${actor.userId} and ${isSessionOpen(actor)} and actor.user_id <> target.user_id and account.suspended_at is null
      and (actor.role = 'admin' or ${forAgents}) and (${change.kind} <> 'role' or target.role = ${role})
  )`;
}

/** Builds the statements of the change itself. Ending the sessions comes in addition, with every change. */
function applyChange(db: Db, userId: string, change: AccessChange): BatchItem<"sqlite">[] {
  const isAccount = eq(users.id, userId);
  switch (change.kind) {
    case "end_sessions":
    case "send_setup_link":
      return [];
    case "suspend":
      return [
        db
          .update(users)
          .set({ suspendedAt: Date.now() })
          .where(and(isAccount, isNull(users.suspendedAt))),
      ];
    case "reactivate":
      return [db.update(users).set({ suspendedAt: null }).where(isAccount)];
    case "role":
      return [db.update(profiles).set({ role: change.role }).where(eq(profiles.userId, userId))];
    case "remove_factors":
      return [...removeFactorsSince(db, sql`(${userId})`, 0)];
  }
  change satisfies never;
}

/**
 * Builds the statements that email a setup link to staff who are left without a second factor where one is required. The
 * link goes to their address because an admin who saw it could set up a factor for them.
 */
async function setupStatements(
  { db, env }: AppLoadContext,
  request: Request,
  { userId, email, role, hasFactor }: AccountAccess,
  change: AccessChange,
): Promise<BatchItem<"sqlite">[]> {
  if (!isAdminsOnly(change)) return [];
  const earlier = [endSetupLink(db, userId), withdrawEmails(db, "staff_setup", sql`${userId}`)];
  const isStaff = (change.kind === "role" ? change.role : role) !== "customer";
  const hasFactorThen = hasFactor && change.kind !== "remove_factors";
  if (!isStaff || hasFactorThen || !requiresStaffFactor(env)) return earlier;
  const { link, statement } = newSetupLink(db, userId, { origin: publicOrigin(env, request), isEmailed: true });
  const setup = await makeEmail(env, "staff_setup", staffSetupEmail(email, link), { userId });
  return [...earlier, statement, queueEmail(db, setup)];
}

function removalNotice({ env }: AppLoadContext, request: Request, { userId, email }: AccountAccess) {
  const origin = publicOrigin(env, request);
  const links = { account: `${origin}${TWO_STEP_PATH}`, reset: `${origin}/reset-password` };
  return makeEmail(env, "factor_notice", factorsRemovedEmail(email, links), { userId });
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
