import { createHmac } from "node:crypto";
import { deriveKeys } from "./derived-keys.server.ts";

const SHOWN_CHARACTERS = 16;
const keys = new Map<string, Uint8Array>();

/**
 * Returns what names a user in the log: the same in every line, until SESSION_SECRET changes. Keyed, so that who has the
 * log and a list of ids can't match them.
 */
export function userDigest(sessionSecret: string, userId: string): string {
  const key = keys.get(sessionSecret) ?? deriveKeys(sessionSecret, "user digest")[0];
  keys.set(sessionSecret, key);
  return createHmac("sha256", key).update(userId).digest("hex").slice(0, SHOWN_CHARACTERS);
}
