import { generateKeyPairSync } from "node:crypto";
import { readArguments } from "#tools/run/command-line.ts";

/** `npm run push:keys`: prints a new key pair for the secret VAPID_KEYS, by which push services know who sends. */

if (import.meta.main) {
  readArguments({ usage: "npm run push:keys: prints a new key pair for the secret VAPID_KEYS", options: {} });
  console.log(newVapidKeys());
}

/** Returns a key pair as "PUBLIC:PRIVATE", both in base64url. */
export function newVapidKeys(): string {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const { x = "", y = "", d = "" } = privateKey.export({ format: "jwk" });
  const point = Buffer.concat([Uint8Array.of(4), Buffer.from(x, "base64url"), Buffer.from(y, "base64url")]);
  return `${point.toString("base64url")}:${d}`;
}
