import { randomBytes } from "node:crypto";
import { digestOf } from "#app/accounts/tokens/token-digest.server.ts";

const TOKEN_BYTES = 32;

/** For a link that is mailed: the token goes out, its digest is stored. */
export function makeMailToken(): { token: string; digest: string } {
  const token = randomBytes(TOKEN_BYTES).toString("base64url");
  return { token, digest: digestOf(token) };
}
