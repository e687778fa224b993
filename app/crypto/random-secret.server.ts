import { randomBytes } from "node:crypto";

const SECRET_BYTES = 32;
const KEY_BYTES = 16;

/** Returns 256 random bits as base64url text. */
export function randomSecret(): string {
  return randomBytes(SECRET_BYTES).toString("base64url");
}

/** Returns 128 random bits as base64url text: as unique as a UUID and 14 characters shorter, for keys that are stored for ever. */
export function randomKey(): string {
  return randomBytes(KEY_BYTES).toString("base64url");
}
