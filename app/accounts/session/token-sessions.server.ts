import { and, eq, isNull, lt, lte, or, sql } from "drizzle-orm";
import { signAccessToken } from "#app/accounts/tokens/access-tokens.server.ts";
import {
  issueRefreshToken,
  nextRefreshToken,
  sessionOfRefreshToken,
} from "#app/accounts/tokens/refresh-tokens.server.ts";
import { sha256 } from "#app/crypto/sha256.server.ts";
import type { Db } from "#app/db/db.server.ts";
import { authSessions, profiles, users } from "#app/db/schema.server.ts";
import { endSessionsWhere, isRunning } from "./auth-sessions.server.ts";

/** Tabs that present the same refresh token within this time get the same session. */
export const REUSE_INTERVAL_MS = 10_000;
/**
 * A client whose answer was lost presents the same refresh token within this time. Until somebody has used what was in the
 * answer, nothing says that it arrived.
 */
export const LOST_ANSWER_MS = 60_000;
/** Enough of a digest to tell the tokens of a session apart. */
const REFRESH_ID_CHARACTERS = 16;

export type TokenUser = {
  id: string;
  email: string;
  fullName: string;
  createdAt: number;
  emailConfirmedAt: number | null;
  /** When the account last changed, a log-in included. */
  updatedAt: number;
  lastSignInAt: number | null;
};
export type Tokens = { accessToken: string; refreshToken: string; user: TokenUser; sessionId: string };
/** `reused`: an old token of `userId` was presented, so the session was ended. `busy`: its tokens were replaced a moment ago. */
export type TokenRefusal = "unknown" | "ended" | "reused" | "busy";
export type TokenResult =
  | { ok: true; tokens: Tokens }
  | { ok: false; reason: Exclude<TokenRefusal, "reused"> }
  | { ok: false; reason: "reused"; userId: string };

/** Exchanges a refresh token for its successor. One conditional UPDATE decides who rotates. */
export async function refreshTokens(
  db: Db,
  sessionSecret: string,
  presented: string,
  now = Date.now(),
): Promise<TokenResult> {
  const sessionId = sessionOfRefreshToken(sessionSecret, presented);
  if (sessionId === null) return { ok: false, reason: "unknown" };
  const refreshToken = nextRefreshToken(sessionSecret, presented, sessionId);
  const [presentedDigest, nextDigest] = [sha256(presented), sha256(refreshToken)];
  const [rotated, [session]] = await db.batch([
    db
      .update(authSessions)
      .set({ refreshDigest: nextDigest, previousDigest: presentedDigest, rotatedAt: now, lastUsedAt: now })
      .where(and(eq(authSessions.id, sessionId), isRunning(now), eq(authSessions.refreshDigest, presentedDigest)))
      .returning({ id: authSessions.id }),
    selectSession(db, sessionId, now),
  ]);
  if (!session) return { ok: false, reason: "ended" };
  if (rotated.length === 0) {
    if (session.previousDigest !== presentedDigest || !isForgiven(session, now)) {
      await endSessionsWhere(db, eq(authSessions.id, sessionId));
      return { ok: false, reason: "reused", userId: session.user.id };
    }
    // Another successor is stored if tokens were issued for the cookie meanwhile, or if the secret changed.
    if (session.refreshDigest !== nextDigest) return { ok: false, reason: "unknown" };
  }
  return issueTokens(sessionSecret, sessionId, refreshToken, session, now);
}

/** Issues tokens for a session that the cookie identifies. Replaces its earlier tokens. */
export async function tokensOfSession(
  db: Db,
  sessionSecret: string,
  sessionId: string,
  now = Date.now(),
): Promise<TokenResult> {
  const fresh = issueRefreshToken(sessionSecret, sessionId, String(now));
  const [, [session]] = await db.batch([
    db
      .update(authSessions)
      .set({ refreshDigest: sha256(fresh), previousDigest: authSessions.refreshDigest, rotatedAt: now })
      .where(
        and(
          eq(authSessions.id, sessionId),
          isRunning(now),
          or(isNull(authSessions.rotatedAt), lt(authSessions.rotatedAt, now - REUSE_INTERVAL_MS)),
        ),
      ),
    selectSession(db, sessionId, now),
  ]);
  if (!session) return { ok: false, reason: "ended" };
  // That of the stored time: of two tabs that ask at the same moment, the second gets what the first got.
  const issued = issueRefreshToken(sessionSecret, sessionId, String(session.rotatedAt));
  if (session.refreshDigest !== sha256(issued)) return { ok: false, reason: "busy" };
  return issueTokens(sessionSecret, sessionId, issued, session, now);
}

async function issueTokens(
  sessionSecret: string,
  sessionId: string,
  refreshToken: string,
  { user }: { user: TokenUser },
  now: number,
): Promise<TokenResult> {
  const issuedFor = { userId: user.id, sessionId, email: user.email, refreshId: refreshIdOf(sha256(refreshToken)) };
  const accessToken = await signAccessToken(sessionSecret, issuedFor, now);
  return { ok: true, tokens: { accessToken, refreshToken, user, sessionId } };
}

type Rotation = { refreshDigest: string | null; rotatedAt: number | null; lastUsedAt: number };

/** Returns whether the refresh token before the current one may still be presented: by a racing tab, or after a lost answer. */
function isForgiven({ rotatedAt, lastUsedAt }: Rotation, now: number): boolean {
  if (rotatedAt === null) return false;
  const age = now - rotatedAt;
  return age <= REUSE_INTERVAL_MS || (age <= LOST_ANSWER_MS && lastUsedAt <= rotatedAt);
}

function refreshIdOf(refreshDigest: string): string {
  return refreshDigest.slice(0, REFRESH_ID_CHARACTERS);
}

/**
 * Records the first use of an access token that was issued with the current refresh token: its answer arrived, so the token
 * before is not forgiven any longer. Writes nothing for older access tokens, later uses, or once nothing would be forgiven.
 */
export async function recordTokenUse(
  db: Db,
  { sessionId, refreshId }: { sessionId: string; refreshId: string | null },
  { refreshDigest, rotatedAt, lastUsedAt }: Rotation,
  now: number,
): Promise<void> {
  if (refreshDigest === null || rotatedAt === null || refreshIdOf(refreshDigest) !== refreshId) return;
  if (lastUsedAt > rotatedAt || now - rotatedAt > LOST_ANSWER_MS) return;
  await db
    .update(authSessions)
    // The clocks of two machines differ.
    .set({ lastUsedAt: sql`max(cast(${now} as integer), ${authSessions.rotatedAt} + 1)` })
    .where(
      and(
        eq(authSessions.id, sessionId),
        eq(authSessions.refreshDigest, refreshDigest),
        lte(authSessions.lastUsedAt, authSessions.rotatedAt),
      ),
    );
}

const lastSignIn = sql<number | null>`(select max(s.created_at) from ${authSessions} s where s.user_id = ${users.id})`;

/** Selects a `TokenUser` from `users` and `profiles`. */
export const TOKEN_USER = {
  id: users.id,
  email: profiles.email,
  fullName: profiles.fullName,
  createdAt: users.createdAt,
  emailConfirmedAt: users.emailConfirmedAt,
  updatedAt: sql<number>`max(${users.createdAt}, coalesce(${users.updatedAt}, 0), coalesce(${lastSignIn}, 0))`,
  lastSignInAt: lastSignIn,
};

function selectSession(db: Db, sessionId: string, now: number) {
  return db
    .select({
      refreshDigest: authSessions.refreshDigest,
      previousDigest: authSessions.previousDigest,
      rotatedAt: authSessions.rotatedAt,
      lastUsedAt: authSessions.lastUsedAt,
      user: TOKEN_USER,
    })
    .from(authSessions)
    .innerJoin(users, eq(users.id, authSessions.userId))
    .innerJoin(profiles, eq(profiles.userId, authSessions.userId))
    .where(and(eq(authSessions.id, sessionId), isRunning(now)))
    .limit(1);
}
