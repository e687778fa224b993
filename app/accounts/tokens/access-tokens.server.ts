import { errors, jwtVerify, SignJWT } from "jose";
import { z } from "zod";
import { deriveKeys } from "#app/crypto/derived-keys.server.ts";

export const ACCESS_TOKEN_SECONDS = 15 * 60;
const AUDIENCE = "authenticated";

const claims = z.object({ sub: z.string(), session_id: z.string() });

/** `now` in ms. */
export function signAccessToken(
  sessionSecret: string,
  input: { userId: string; sessionId: string; email: string },
  now: number,
): Promise<string> {
  const issuedAt = Math.floor(now / 1000);
  const [key] = deriveKeys(sessionSecret, "access token");
  return new SignJWT({ email: input.email, role: AUDIENCE, session_id: input.sessionId })
    .setProtectedHeader({ alg: "HS256", typ: "JWT" })
    .setSubject(input.userId)
    .setAudience(AUDIENCE)
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + ACCESS_TOKEN_SECONDS)
    .sign(key);
}

/** Returns the claims, or null for a forged or expired token. Does not check that the session still runs. */
export async function verifyAccessToken(
  sessionSecret: string,
  token: string,
): Promise<{ userId: string; sessionId: string } | null> {
  for (const key of deriveKeys(sessionSecret, "access token")) {
    try {
      const { payload } = await jwtVerify(token, key, { audience: AUDIENCE, algorithms: ["HS256"] });
      const { sub, session_id } = claims.parse(payload);
      return { userId: sub, sessionId: session_id };
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
