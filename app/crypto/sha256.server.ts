import { createHash } from "node:crypto";

/**
 * Returns the SHA-256 digest of a text, in hex. There is no salt, so a secret stored as a digest must have at least
 * 128 random bits.
 */
export function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
