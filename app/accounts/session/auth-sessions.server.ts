import { and, desc, eq, exists, gt, isNotNull, isNull, ne, not, or, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { SESSION_MS, type Visit } from "#app/accounts/visit/visit.server.ts";
import { randomSecret } from "#app/crypto/random-secret.server.ts";
import { cutText } from "#app/cut-text.ts";
import { type Db, violates } from "#app/db/db.server.ts";
import { authSessions, passkeys, profiles, type Role, totpSecrets, users } from "#app/db/schema.server.ts";
import { DAY_MS, HOUR_MS } from "#app/time.ts";

/** One row per log-in. Its cookie, access tokens and refresh tokens are valid as long as the row is. */

/** How long a customer's session lasts without being used. */
export const IDLE_MS = 14 * DAY_MS;
/** The same for agents and admins, who move money: a working day, and a log-in each day. */
export const STAFF_SESSION_MS = DAY_MS;
export const STAFF_IDLE_MS = 12 * HOUR_MS;
/** `last_used_at` is written at most this often, so a session may end this much before its idle limit. */
export const TOUCH_MS = HOUR_MS;
const USER_AGENT_MAX_CHARACTERS = 300;

/** `secondFactorAt`: when the person used a second factor, in ms. Null if they used none. */
type Start = {
  userId: string;
  visit: Pick<Visit, "userAgent" | "previousSession">;
  secondFactorAt?: number | null;
};

/**
 * A session with a random id. `start` is the statement that starts it, and returns the role of the account. `end` ends the
 * session that the browser had before.
 */
export type NewSession = ReturnType<typeof newSession>;

/**
 * Builds a session that starts after a password was verified against `passwordHash`. It stops its batch if that is not the
 * stored hash any more: checking takes long enough for the password to change. So it does if the account was suspended,
 * or if no second factor was used, and the account has one that must follow the password: it may have been added meanwhile.
 */
export function sessionByPassword(db: Db, { passwordHash, ...start }: Start & { passwordHash: string }): NewSession {
  const isAlone = typeof start.secondFactorAt !== "number";
  return newSession(db, start, {
    condition: and(
      eq(users.passwordHash, passwordHash),
      isNull(users.suspendedAt),
      isAlone ? not(needsSecondStep(db, start.userId)) : undefined,
    ),
    isProven: isAlone ? not(needsFactorProof(db, start.userId)) : undefined,
  });
}

/**
 * Builds a session that starts after a passkey was verified. It stops its batch if the passkey was removed meanwhile, or
 * the account suspended or closed.
 */
export function sessionByPasskey(db: Db, { passkeyId, ...start }: Start & { passkeyId: string }): NewSession {
  const passkey = db
    .select({ one: sql`1` })
    .from(passkeys)
    .where(and(eq(passkeys.id, passkeyId), eq(passkeys.userId, start.userId)));
  const condition = and(isNotNull(users.passwordHash), isNull(users.suspendedAt), exists(passkey));
  return newSession(db, start, { condition });
}

/** Returns whether a batch was stopped because the account doesn't fulfil the condition of its new session any more. */
export function isStoppedStart(error: unknown): boolean {
  return violates(error, "auth_sessions.user_id");
}

/** Matches where the account has a factor that must follow the password, as `hasSecondStep` in factors.server.ts. */
export function needsSecondStep(db: Db, userId: string | SQLWrapper): SQL {
  return factorExists(db, userId, eq(passkeys.isSecondFactor, true));
}

/**
 * Matches where the account has any factor, as `hasFactor` in factors.server.ts. There the password alone proves nothing:
 * docs/decisions/accounts/0038-a-recent-proof.md.
 */
export function needsFactorProof(db: Db, userId: string | SQLWrapper): SQL {
  return factorExists(db, userId);
}

function factorExists(db: Db, userId: string | SQLWrapper, ofPasskeys?: SQL): SQL {
  const one = { one: sql`1` };
  const passkey = and(eq(passkeys.userId, userId), ofPasskeys);
  const totp = and(eq(totpSecrets.userId, userId), isNotNull(totpSecrets.confirmedAt));
  return sql`(${exists(db.select(one).from(passkeys).where(passkey))} or ${exists(db.select(one).from(totpSecrets).where(totp))})`;
}

/** Builds a session. It stops its batch if the account doesn't fulfil `condition`. `isProven`: whether it proves its user. */
export function newSession(
  db: Db,
  { userId, visit, secondFactorAt = null }: Start,
  { condition, isProven = sql`1` }: { condition?: SQL; isProven?: SQL } = {},
) {
  const now = Date.now();
  // The cookie and the tokens carry it, and a UUID has only 122 random bits.
  const id = randomSecret();
  const start = db
    .insert(authSessions)
    .values({
      id,
      // NULL, which the column refuses, if it selects nobody: docs/decisions/platform/0002-stop-a-batch-with-a-constraint.md.
      userId: sql`(select ${users.id} from ${users} where ${and(eq(users.id, userId), condition)})`,
      expiresAt: now + SESSION_MS,
      createdAt: now,
      lastUsedAt: now,
      verifiedAt: sql`iif(${isProven}, cast(${now} as integer), 0)`,
      secondFactorAt,
      userAgent: cutText(visit.userAgent, USER_AGENT_MAX_CHARACTERS),
    })
    .returning({ role: roleOf(userId) });
  const { previousSession } = visit;
  const end = previousSession === null ? [] : [endSessionsWhere(db, eq(authSessions.id, previousSession))];
  return { id, start, end };
}

function roleOf(userId: string): SQL<Role> {
  return sql<Role>`(select ${profiles.role} from ${profiles} where ${profiles.userId} = ${userId})`;
}

/**
 * Records in a running session that a second factor was just used. A factor that was just added shows that the session
 * has one, and doesn't verify who the person is. Returns the account's role, or undefined if the session has ended.
 */
export async function recordSecondFactor(
  db: Db,
  { userId, sessionId }: { userId: string; sessionId: string },
  how: "used" | "added",
  now = Date.now(),
): Promise<Role | undefined> {
  const [recorded] = await db
    .update(authSessions)
    .set({ secondFactorAt: now, ...(how === "used" && { verifiedAt: now }) })
    .where(and(eq(authSessions.id, sessionId), eq(authSessions.userId, userId), isRunning(now)))
    .returning({ role: roleOf(userId) });
  return recorded?.role;
}

/** Ends the proofs of the account's other sessions that the password alone started. */
export async function forgetPasswordProofs(
  db: Db,
  { userId, sessionId }: { userId: string; sessionId: string },
): Promise<void> {
  const others = and(eq(authSessions.userId, userId), ne(authSessions.id, sessionId));
  await db
    .update(authSessions)
    .set({ verifiedAt: 0 })
    .where(and(others, isNull(authSessions.secondFactorAt)));
}

/**
 * Matches sessions that have neither ended nor reached a limit of their user's role, for cookies and tokens alike, of
 * accounts that are not suspended. `now` in ms. See docs/decisions/accounts/0036-session-limits.md.
 */
export function isRunning(now: number) {
  const isStaff = sql`(select ${profiles.role} from ${profiles} where ${profiles.userId} = ${authSessions.userId}) <> 'customer'`;
  return and(
    isNull(authSessions.revokedAt),
    gt(authSessions.expiresAt, now),
    gt(authSessions.lastUsedAt, now - IDLE_MS),
    sql`not exists (select 1 from ${users} where ${users.id} = ${authSessions.userId} and ${users.suspendedAt} is not null)`,
    or(
      and(gt(authSessions.createdAt, now - STAFF_SESSION_MS), gt(authSessions.lastUsedAt, now - STAFF_IDLE_MS)),
      // Last, so that a young session needs no look-up.
      not(isStaff),
    ),
  );
}

/** When a session reaches a limit if it isn't used again, in ms: the same limits as in `isRunning`. */
export function endsUnused() {
  const role = sql`(select ${profiles.role} from ${profiles} where ${profiles.userId} = ${authSessions.userId})`;
  const [idle, staffAge, staffIdle] = [IDLE_MS, STAFF_SESSION_MS, STAFF_IDLE_MS].map((ms) => sql.raw(String(ms)));
  const { expiresAt, createdAt, lastUsedAt } = authSessions;
  return sql<number>`min(${expiresAt}, case when ${role} = 'customer' then ${lastUsedAt} + ${idle} else min(${createdAt} + ${staffAge}, ${lastUsedAt} + ${staffIdle}) end)`;
}

/** Lists running sessions, most recently used first. Times in ms. */
export async function listSessions(db: Db, userId: string) {
  return db
    .select({
      id: authSessions.id,
      userAgent: authSessions.userAgent,
      createdAt: authSessions.createdAt,
      lastUsedAt: authSessions.lastUsedAt,
    })
    .from(authSessions)
    .where(and(eq(authSessions.userId, userId), isRunning(Date.now())))
    .orderBy(desc(authSessions.lastUsedAt));
}

/** Ends a session and returns its device. Returns null if it is not this user's or has already ended. */
export async function endSession(db: Db, userId: string, sessionId: string): Promise<{ userAgent: string } | null> {
  const [ended] = await endSessionsWhere(db, eq(authSessions.id, sessionId), eq(authSessions.userId, userId)).returning(
    { userAgent: authSessions.userAgent },
  );
  return ended ?? null;
}

/** Builds the statement that ends all sessions of a user, or all but the one to keep. */
export function endSessions(db: Db, userId: string, keepSessionId?: string) {
  const others = keepSessionId === undefined ? [] : [ne(authSessions.id, keepSessionId)];
  return endSessionsWhere(db, eq(authSessions.userId, userId), ...others);
}

/**
 * Builds the statement that ends the matching sessions. Those that have already ended keep their end time. The worker
 * closes their chat sockets after the response.
 */
export function endSessionsWhere(db: Db, ...conditions: [SQL, ...SQL[]]) {
  db.endsSessions = true;
  return db
    .update(authSessions)
    .set({ revokedAt: Date.now() })
    .where(and(isNull(authSessions.revokedAt), ...conditions));
}
