import { importJWK, SignJWT } from "jose";

/** RFC 8292, how a push service knows who sends. */

/** A key pair in base64url: the uncompressed point and the scalar. */
export type VapidKey = { publicKey: string; privateKey: string };
type VapidEnv = Pick<Env, "VAPID_KEYS" | "EMAIL_FROM">;

/** Push services take at most 24 hours. */
const VALID_FOR = "12h";
const POINT_BYTES = 65;

/** Returns the key pairs of VAPID_KEYS, "PUBLIC:PRIVATE", newest first. Empty: web push is not set up. */
export function vapidKeys({ VAPID_KEYS }: Pick<Env, "VAPID_KEYS">): VapidKey[] {
  return (VAPID_KEYS ?? "")
    .split(",")
    .map((entry) => entry.trim())
    .filter(Boolean)
    .map((entry) => {
      const [publicKey = "", privateKey = ""] = entry.split(":");
      if (Buffer.from(publicKey, "base64url").length !== POINT_BYTES || privateKey === "") {
        throw new Error("VAPID_KEYS is not PUBLIC:PRIVATE");
      }
      return { publicKey, privateKey };
    });
}

/** Returns the Authorization header for a push service. */
export async function vapidHeader(env: VapidEnv, key: VapidKey, endpoint: string): Promise<string> {
  const point = Buffer.from(key.publicKey, "base64url");
  const jwk = {
    kty: "EC",
    crv: "P-256",
    x: point.subarray(1, 33).toString("base64url"),
    y: point.subarray(33).toString("base64url"),
    d: key.privateKey,
  };
  const token = await new SignJWT()
    .setProtectedHeader({ typ: "JWT", alg: "ES256" })
    .setAudience(new URL(endpoint).origin)
    .setExpirationTime(VALID_FOR)
    .setSubject(`mailto:${env.EMAIL_FROM}`)
    .sign(await importJWK(jwk, "ES256"));
  return `vapid t=${token}, k=${key.publicKey}`;
}
