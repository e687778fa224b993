import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { deriveKeys } from "#app/crypto/derived-keys.server.ts";

/**
 * A refresh token is `session id . nonce . seal`. The seal proves that we issued it, so a replayed old token names the
 * session to end, and a made-up one ends nothing. Its successor is computed from it, so that tabs which refresh at the
 * same moment get the same one although only digests are stored.
 */

const NONCE_BYTES = 16;

/** Issues a random token, or the one that `seed` determines. */
export function issueRefreshToken(sessionSecret: string, sessionId: string, seed?: string): string {
  const [key] = keysOf(sessionSecret);
  const nonce =
    seed === undefined ? randomBytes(NONCE_BYTES).toString("base64url") : mac(key, `seed ${sessionId} ${seed}`);
  return sealed(key, sessionId, nonce);
}

export function nextRefreshToken(sessionSecret: string, token: string, sessionId: string): string {
  const [key] = keysOf(sessionSecret);
  return sealed(key, sessionId, mac(key, `next ${token}`));
}

/** Returns the id of the session that the token was issued for, or null if we didn't issue the token. */
export function sessionOfRefreshToken(sessionSecret: string, token: string): string | null {
  const [sessionId = "", nonce = ""] = token.split(".");
  const isOurs = keysOf(sessionSecret).some((key) => isEqual(token, sealed(key, sessionId, nonce)));
  return isOurs ? sessionId : null;
}

function keysOf(sessionSecret: string) {
  return deriveKeys(sessionSecret, "refresh token");
}

function sealed(key: Uint8Array, sessionId: string, nonce: string): string {
  return `${sessionId}.${nonce}.${mac(key, `seal ${sessionId} ${nonce}`)}`;
}

function mac(key: Uint8Array, text: string): string {
  return createHmac("sha256", key).update(text).digest("base64url");
}

function isEqual(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}
