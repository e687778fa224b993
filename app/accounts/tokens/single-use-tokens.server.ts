import { jwtVerify, SignJWT } from "jose";
import type { z } from "zod";
import { deriveKeys } from "#app/crypto/derived-keys.server.ts";
import { sha256 } from "#app/crypto/sha256.server.ts";
import { type Db, violates } from "#app/db/db.server.ts";
import { usedTokens } from "#app/db/schema.server.ts";

/** The purpose of a token. A token of one purpose is never accepted for another. */
export type TokenPurpose = "passkey challenge" | "pending log-in";

/**
 * Signs a token that expires and that `spendToken` lets pass once. Nothing is stored until then, so that a page may make
 * one each time it is shown. `id` must be random.
 */
export async function signToken(
  sessionSecret: string,
  purpose: TokenPurpose,
  id: string,
  claims: Record<string, string | null>,
  expiresAt: number,
): Promise<string> {
  const [key] = deriveKeys(sessionSecret, purpose);
  return new SignJWT(claims)
    .setProtectedHeader({ alg: "HS256" })
    .setJti(id)
    .setExpirationTime(Math.floor(expiresAt / 1000))
    .sign(key);
}

/** Returns the claims, or null for a forged or expired token. Does not check that it is unused. */
export async function readToken<Claims>(
  sessionSecret: string,
  purpose: TokenPurpose,
  token: string,
  claims: z.ZodType<Claims>,
  now = Date.now(),
): Promise<{ id: string; expiresAt: number; claims: Claims } | null> {
  for (const key of deriveKeys(sessionSecret, purpose)) {
    try {
      const options = { algorithms: ["HS256"], currentDate: new Date(now), requiredClaims: ["jti", "exp"] };
      const { payload } = await jwtVerify(token, key, options);
      return {
        id: String(payload.jti),
        expiresAt: Number(payload.exp) * 1000,
        claims: claims.parse(payload),
      };
    } catch {
      // It may be signed with an older key.
    }
  }
  return null;
}

/** Uses a token up. Returns false if it was used before. One statement, so that a parallel use passes once. */
export async function spendToken(db: Db, token: { id: string; expiresAt: number }): Promise<boolean> {
  const spent = await spendStatement(db, token).onConflictDoNothing().returning({ digest: usedTokens.digest });
  return spent.length === 1;
}

/** Builds the statement that uses a token up. It stops its batch if the token was used before: see `isSpent`. */
export function spendStatement(db: Db, { id, expiresAt }: { id: string; expiresAt: number }) {
  return db.insert(usedTokens).values({ digest: sha256(id), expiresAt });
}

/** Returns whether a batch was stopped because its token was used before. */
export function isSpent(error: unknown): boolean {
  return violates(error, "used_tokens.digest");
}
