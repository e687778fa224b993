import { createHash } from "node:crypto";
import { log } from "#app/http/log.ts";
import { cappedFetch } from "#app/http/outgoing/capped-fetch.ts";
import { PRODUCT_NAME } from "#app/product.ts";

/** A sign-up waits for it. */
const TIMEOUT_MS = 800;
/** A padded range has 800 to 1,000 lines of about 40 bytes. */
const MAX_RESPONSE_BYTES = 262_144;
/** A range has about two thousand lines. */
const MAX_LISTED = 10_000;
const PREFIX_CHARACTERS = 5;

export type BreachEnv = Pick<Env, "PWNED_PASSWORDS_URL">;

/**
 * Returns whether a password is in lists of leaked passwords, by Have I Been Pwned. Only the first 5 of the 40 characters
 * of its SHA-1 leave, which about a thousand leaked passwords share, and the size of the response tells nothing, because it
 * is padded. Returns false if the service is off or fails in time. https://haveibeenpwned.com/API/v3#PwnedPasswords
 */
export async function isBreachedPassword({ PWNED_PASSWORDS_URL: url }: BreachEnv, password: string): Promise<boolean> {
  if (!url) return false;
  const digest = createHash("sha1").update(password).digest("hex").toUpperCase();
  const [prefix, suffix] = [digest.slice(0, PREFIX_CHARACTERS), digest.slice(PREFIX_CHARACTERS)];
  try {
    const response = await cappedFetch(MAX_RESPONSE_BYTES)(`${url}/range/${prefix}`, {
      headers: { "Add-Padding": "true", "User-Agent": PRODUCT_NAME },
      redirect: "manual",
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const range = await response.text();
    if (response.status !== 200) throw new Error(`HTTP ${response.status}`);
    return isInRange(range, suffix);
  } catch (error) {
    // Not the error's text, which may quote the URL.
    log("warn", "breached passwords not checked", { error: error instanceof Error ? error.name : "unknown" });
    return false;
  }
}

/** Returns whether a range lists the suffix. Padding has a count of 0. */
function isInRange(range: string, suffix: string): boolean {
  return range.split("\n", MAX_LISTED).some((line) => {
    const [listed, count] = line.trim().split(":", 2);
    return listed?.toUpperCase() === suffix && Number(count) > 0;
  });
}
