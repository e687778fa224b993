import { hkdfSync } from "node:crypto";

const KEY_BYTES = 32;

/** Derives one key for the purpose from each entry of SESSION_SECRET, newest first. The first signs, all verify. */
export function deriveKeys(sessionSecret: string, purpose: string): [Uint8Array, ...Uint8Array[]] {
  const [newest = "", ...older] = sessionSecret.split(",");
  if (newest === "") throw new Error("SESSION_SECRET is empty");
  const derive = (secret: string) => new Uint8Array(hkdfSync("sha256", secret, "", purpose, KEY_BYTES));
  return [derive(newest), ...older.map(derive)];
}
