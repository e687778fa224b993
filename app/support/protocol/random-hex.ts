const RANDOM_BYTES = 16;

/** Returns 128 random bits as 32 hex digits. */
// Not crypto.randomUUID, which is missing on a page served over plain http.
export function randomHex(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(RANDOM_BYTES));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
