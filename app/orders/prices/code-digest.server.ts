import { sha256 } from "#app/crypto/sha256.server.ts";

/** Returns a percent code as it is compared: in capitals, without spaces and hyphens. */
export function normalizedCode(code: string): string {
  return code.toUpperCase().replaceAll(/[\s-]/g, "");
}

/** Returns the SHA-256 digest (hex) of a percent code. Apart from those of the codes that top up a balance. */
export function percentCodeDigest(code: string): string {
  return sha256(`percent:${normalizedCode(code)}`);
}
