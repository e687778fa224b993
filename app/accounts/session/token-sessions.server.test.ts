import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { decodeJwt } from "jose";
import { expect, test } from "vitest";
import { verifyAccessToken } from "#app/accounts/tokens/access-tokens.server.ts";
import { issueRefreshToken, nextRefreshToken } from "#app/accounts/tokens/refresh-tokens.server.ts";
import { sha256 } from "#app/crypto/sha256.server.ts";
import { authSessions } from "#app/db/schema.server.ts";
import { db } from "#tests/workerd/customer.ts";
import { storedSignIn } from "#tests/workerd/signed-in-account.ts";
import {
  LOST_ANSWER_MS,
  REUSE_INTERVAL_MS,
  recordTokenUse,
  refreshTokens,
  type TokenResult,
  tokensOfSession,
} from "./token-sessions.server.ts";

const { SESSION_SECRET } = env;
const LATER = 60_000;

test("issues tokens for the session of a cookie, and stores the refresh token's digest", async () => {
  const [{ sessionId, userId, email }, other] = [await storedSignIn(), await storedSignIn()];
  const [before, untouched] = [await rowOf(sessionId), await rowOf(other.sessionId)];
  const now = before.createdAt + 5;
  const tokens = tokensIn(await tokensOfSession(db, SESSION_SECRET, sessionId, now));
  expect(tokens).toMatchObject({
    sessionId,
    user: { id: userId, email, fullName: "Test Customer", createdAt: 1, emailConfirmedAt: 1 },
  });
  expect(decodeJwt(tokens.accessToken)).toMatchObject({ sub: userId, email, session_id: sessionId, iat: at(now) });
  expect(await rowOf(sessionId)).toEqual({ ...before, refreshDigest: sha256(tokens.refreshToken), rotatedAt: now });
  expect(await rowOf(other.sessionId)).toEqual(untouched);
});

test("keeps the tokens before as the previous ones when the cookie asks again", async () => {
  const { sessionId } = await storedSignIn();
  const now = Date.now();
  const first = tokensIn(await tokensOfSession(db, SESSION_SECRET, sessionId, now));
  const again = now + REUSE_INTERVAL_MS + 1;
  const second = tokensIn(await tokensOfSession(db, SESSION_SECRET, sessionId, again));
  expect(second.refreshToken).not.toBe(first.refreshToken);
  expect(await rowOf(sessionId)).toMatchObject({
    refreshDigest: sha256(second.refreshToken),
    previousDigest: sha256(first.refreshToken),
    rotatedAt: again,
  });
});

test("gives every tab that asks within the reuse interval the same refresh token", async () => {
  const { sessionId } = await storedSignIn();
  const now = Date.now();
  const first = tokensIn(await tokensOfSession(db, SESSION_SECRET, sessionId, now));
  const stored = await rowOf(sessionId);
  for (const later of [0, 1, REUSE_INTERVAL_MS]) {
    const tokens = tokensIn(await tokensOfSession(db, SESSION_SECRET, sessionId, now + later));
    expect(tokens.refreshToken).toBe(first.refreshToken);
  }
  expect(await rowOf(sessionId)).toEqual(stored);
});

test("asks to try again when the tokens were refreshed a moment ago", async () => {
  const { sessionId } = await storedSignIn();
  const now = Date.now();
  const first = tokensIn(await tokensOfSession(db, SESSION_SECRET, sessionId, now));
  expect((await refreshTokens(db, SESSION_SECRET, first.refreshToken, now + LATER)).ok).toBe(true);
  const busy = { ok: false, reason: "busy" };
  expect(await tokensOfSession(db, SESSION_SECRET, sessionId, now + LATER + REUSE_INTERVAL_MS)).toEqual(busy);
  expect((await tokensOfSession(db, SESSION_SECRET, sessionId, now + LATER + REUSE_INTERVAL_MS + 1)).ok).toBe(true);
});

test("issues nothing for a session that has ended or is unknown", async () => {
  const { sessionId } = await storedSignIn();
  const { refreshToken } = tokensIn(await tokensOfSession(db, SESSION_SECRET, sessionId));
  await db.update(authSessions).set({ revokedAt: 1 }).where(eq(authSessions.id, sessionId));
  const stored = await rowOf(sessionId);
  const ended = { ok: false, reason: "ended" };
  expect(await tokensOfSession(db, SESSION_SECRET, sessionId, Date.now() + LATER)).toEqual(ended);
  expect(await refreshTokens(db, SESSION_SECRET, refreshToken, Date.now() + LATER)).toEqual(ended);
  expect(await rowOf(sessionId)).toEqual(stored);
  expect(await tokensOfSession(db, SESSION_SECRET, "unknown")).toEqual(ended);
  const unknown = issueRefreshToken(SESSION_SECRET, "unknown");
  expect(await refreshTokens(db, SESSION_SECRET, unknown)).toEqual(ended);
  expect(await refreshTokens(db, SESSION_SECRET, "made up")).toEqual({ ok: false, reason: "unknown" });
});

test("exchanges a refresh token for its successor, and counts that as a use of the session", async () => {
  const { sessionId, before, first, now } = await withTokens();
  const other = await withTokens();
  const refreshed = tokensIn(await refreshTokens(db, SESSION_SECRET, first, now + LATER));
  expect(refreshed.refreshToken).toBe(nextRefreshToken(SESSION_SECRET, first, sessionId));
  expect(decodeJwt(refreshed.accessToken)).toMatchObject({ session_id: sessionId, iat: at(now + LATER) });
  expect(await rowOf(sessionId)).toEqual({
    ...before,
    refreshDigest: sha256(refreshed.refreshToken),
    previousDigest: sha256(first),
    rotatedAt: now + LATER,
    lastUsedAt: now + LATER,
  });
  expect(await rowOf(other.sessionId)).toEqual(other.before);
});

test.for([
  [false, LOST_ANSWER_MS, true],
  [false, LOST_ANSWER_MS + 1, false],
  [true, REUSE_INTERVAL_MS, true],
  [true, REUSE_INTERVAL_MS + 1, false],
] as const)(
  "with the new access token used (%s), accepts the token before for %i ms after the exchange: %s",
  async ([isUsed, later, isAccepted]) => {
    const { sessionId, userId, first, now } = await withTokens();
    const refreshed = tokensIn(await refreshTokens(db, SESSION_SECRET, first, now + LATER));
    if (isUsed) await presentAccessToken(sessionId, refreshed.accessToken, now + LATER);
    const stored = await rowOf(sessionId);
    const again = await refreshTokens(db, SESSION_SECRET, first, now + LATER + later);
    if (isAccepted) {
      expect(tokensIn(again).refreshToken).toBe(refreshed.refreshToken);
      return expect(await rowOf(sessionId)).toEqual(stored);
    }
    expect(again).toEqual({ ok: false, reason: "reused", userId });
    expect((await rowOf(sessionId)).revokedAt).not.toBeNull();
  },
);

test("ends the session when the token before comes after its successor was exchanged, however soon", async () => {
  const { sessionId, userId, first, now } = await withTokens();
  const second = tokensIn(await refreshTokens(db, SESSION_SECRET, first, now + 1)).refreshToken;
  // After a lost answer, too.
  expect(tokensIn(await refreshTokens(db, SESSION_SECRET, first, now + LATER)).refreshToken).toBe(second);
  tokensIn(await refreshTokens(db, SESSION_SECRET, second, now + LATER));
  expect(await refreshTokens(db, SESSION_SECRET, first, now + LATER)).toEqual({ ok: false, reason: "reused", userId });
  expect((await rowOf(sessionId)).revokedAt).not.toBeNull();
});

test("records the first use of an access token of the current refresh token only, and only while it says something", async () => {
  const { sessionId, first, before, now } = await withTokens();
  const older = tokensIn(await tokensOfSession(db, SESSION_SECRET, sessionId, now)).accessToken;
  const { accessToken } = tokensIn(await refreshTokens(db, SESSION_SECRET, first, now + LATER));
  const rotated = await rowOf(sessionId);
  await presentAccessToken(sessionId, older, now + LATER + 1);
  await presentAccessToken(sessionId, accessToken, now + LATER + LOST_ANSWER_MS + 1);
  expect(await rowOf(sessionId)).toEqual(rotated);
  // On a machine whose clock is slow.
  await presentAccessToken(sessionId, accessToken, now);
  const used = await rowOf(sessionId);
  expect(used).toEqual({ ...rotated, lastUsedAt: now + LATER + 1 });
  await presentAccessToken(sessionId, accessToken, now + LATER + 5);
  expect(await rowOf(sessionId)).toEqual(used);
  expect(before.lastUsedAt).toBeLessThan(used.lastUsedAt);
});

test("does not record a use for tokens that were exchanged meanwhile", async () => {
  const { sessionId, first, now } = await withTokens();
  const { accessToken, refreshToken } = tokensIn(await refreshTokens(db, SESSION_SECRET, first, now + 1));
  const read = await rowOf(sessionId);
  tokensIn(await refreshTokens(db, SESSION_SECRET, refreshToken, now + 2));
  const rotated = await rowOf(sessionId);
  await recordTokenUse(db, { sessionId, refreshId: await refreshIdIn(accessToken) }, read, now + 3);
  expect(await rowOf(sessionId)).toEqual(rotated);
});

test("ends only the session whose older token is presented", async () => {
  const [mine, other] = [await withTokens(), await withTokens()];
  const { first, now } = mine;
  const second = tokensIn(await refreshTokens(db, SESSION_SECRET, first, now + 1)).refreshToken;
  expect((await refreshTokens(db, SESSION_SECRET, second, now + 2)).ok).toBe(true);
  expect(await refreshTokens(db, SESSION_SECRET, first, now + 3)).toMatchObject({ reason: "reused" });
  expect((await rowOf(mine.sessionId)).revokedAt).not.toBeNull();
  expect(await rowOf(other.sessionId)).toEqual(other.before);
});

test("refuses the token before without ending the session when the cookie was given other tokens meanwhile", async () => {
  const { sessionId, first, now } = await withTokens();
  const later = now + REUSE_INTERVAL_MS + 1;
  tokensIn(await tokensOfSession(db, SESSION_SECRET, sessionId, later));
  expect(await refreshTokens(db, SESSION_SECRET, first, later + 1)).toEqual({ ok: false, reason: "unknown" });
  expect((await rowOf(sessionId)).revokedAt).toBeNull();
});

async function withTokens() {
  const { sessionId, userId } = await storedSignIn();
  const now = Date.now();
  const first = tokensIn(await tokensOfSession(db, SESSION_SECRET, sessionId, now)).refreshToken;
  return { sessionId, userId, first, now, before: await rowOf(sessionId) };
}

/** Uses an access token as `readViewer` does. */
async function presentAccessToken(sessionId: string, accessToken: string, now: number): Promise<void> {
  await recordTokenUse(db, { sessionId, refreshId: await refreshIdIn(accessToken) }, await rowOf(sessionId), now);
}

async function refreshIdIn(accessToken: string): Promise<string | null> {
  return (await verifyAccessToken(SESSION_SECRET, accessToken))?.refreshId ?? null;
}

function tokensIn(result: TokenResult) {
  if (!result.ok) throw new Error(result.reason);
  return result.tokens;
}

function at(ms: number): number {
  return Math.floor(ms / 1000);
}

async function rowOf(id: string) {
  const [row] = await db.select().from(authSessions).where(eq(authSessions.id, id));
  if (!row) throw new Error("no session");
  return row;
}
