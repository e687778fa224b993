import { createHash } from "node:crypto";

/**
 * Returns the SHA-256 digest of a text, in hex. Without a salt: what is stored as a digest to keep it secret must have
 * 128 random bits or more.
 */
export function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
