import { randomBytes } from "node:crypto";

const SECRET_BYTES = 32;

/** Returns 256 random bits as base64url text. */
export function randomSecret(): string {
  return randomBytes(SECRET_BYTES).toString("base64url");
}
