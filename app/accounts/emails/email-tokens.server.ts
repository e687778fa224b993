import { randomSecret } from "#app/crypto/random-secret.server.ts";
import { sha256 } from "#app/crypto/sha256.server.ts";

/** Makes the token of a link in an email. Only its digest is stored. */
export function makeEmailToken(): { token: string; digest: string } {
  const token = randomSecret();
  return { token, digest: sha256(token) };
}
