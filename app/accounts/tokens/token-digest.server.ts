import { createHash } from "node:crypto";

/** What is stored of a token that only its holder may know. Tokens have 128 bits or more, so no salt is needed. */
export function digestOf(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}
