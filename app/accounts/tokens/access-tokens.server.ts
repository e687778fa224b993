import { errors, jwtVerify, SignJWT } from "jose";
import { z } from "zod";
import { deriveKeys } from "#app/crypto/derived-keys.server.ts";

export const ACCESS_TOKEN_SECONDS = 15 * 60;
const AUDIENCE = "authenticated";

const claims = z.object({ sub: z.string(), session_id: z.string(), refresh_id: z.string().optional() });

export type AccessTokenInput = { userId: string; sessionId: string; email: string; refreshId?: string };
/** `refreshId` tells which refresh token the access token was issued with. */
export type AccessTokenClaims = { userId: string; sessionId: string; refreshId: string | null };

/** `now` in ms. */
export function signAccessToken(sessionSecret: string, input: AccessTokenInput, now: number): Promise<string> {
  const issuedAt = Math.floor(now / 1000);
  const [key] = deriveKeys(sessionSecret, "access token");
  const { email, sessionId: session_id, refreshId: refresh_id } = input;
  return new SignJWT({ email, role: AUDIENCE, session_id, ...(refresh_id !== undefined && { refresh_id }) })
    .setProtectedHeader({ alg: "HS256", typ: "JWT" })
    .setSubject(input.userId)
    .setAudience(AUDIENCE)
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + ACCESS_TOKEN_SECONDS)
    .sign(key);
}

/** Returns the claims, or null for a forged or expired token. Does not check that the session still runs. */
export async function verifyAccessToken(sessionSecret: string, token: string): Promise<AccessTokenClaims | null> {
  for (const key of deriveKeys(sessionSecret, "access token")) {
    try {
      const { payload } = await jwtVerify(token, key, { audience: AUDIENCE, algorithms: ["HS256"] });
      const { sub, session_id, refresh_id } = claims.parse(payload);
      return { userId: sub, sessionId: session_id, refreshId: refresh_id ?? null };
    } catch {
      // It may be signed with an older key.
    }
  }
  return null;
}

/** Returns whether we signed the token and only its time is over, as for a client whose clock is slow. */
export async function isExpiredAccessToken(sessionSecret: string, token: string): Promise<boolean> {
  for (const key of deriveKeys(sessionSecret, "access token")) {
    try {
      await jwtVerify(token, key, { audience: AUDIENCE, algorithms: ["HS256"] });
    } catch (error) {
      // The signature is checked before the time.
      if (error instanceof errors.JWTExpired) return true;
    }
  }
  return false;
}
