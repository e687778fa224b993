import { randomSecret } from "#app/crypto/random-secret.server.ts";
import { sha256 } from "#app/crypto/sha256.server.ts";

/** For a link that is mailed: the token goes out, its digest is stored. */
export function makeMailToken(): { token: string; digest: string } {
  const token = randomSecret();
  return { token, digest: sha256(token) };
}
