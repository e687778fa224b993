import { randomBytes } from "node:crypto";
import { z } from "zod";
import { readToken, signToken } from "#app/accounts/tokens/single-use-tokens.server.ts";
import { passkeyBrowserCookie, type Visit } from "#app/accounts/visit/visit.server.ts";
import { randomSecret } from "#app/crypto/random-secret.server.ts";
import { sha256 } from "#app/crypto/sha256.server.ts";
import { MINUTE_MS } from "#app/time.ts";

/** The purpose that the authenticator signs a challenge for. Only "log_in" doesn't know the account yet. */
export type PasskeyUse = { purpose: "log_in" } | { purpose: "register" | "second_step" | "confirm"; userId: string };

export const CHALLENGE_MS = 5 * MINUTE_MS;
const CHALLENGE_BYTES = 32;

/** Stands for the browser in the log-in challenges of token clients, which keep no cookies. No browser's random id is this. */
export const TOKEN_CLIENT = "token client";

type Challenge = { challenge: string; challengeId: string; expiresAt: number };
const claimsSchema = z.object({ purpose: z.string(), userId: z.string().nullable(), browser: z.string() });

/**
 * Makes a challenge. `challengeId` is a signed token that the client sends back with the authenticator's response.
 * `browser` is what it is bound to: a browser's random id, or what stands for it where there are no cookies.
 */
export async function makeChallenge(
  sessionSecret: string,
  use: PasskeyUse,
  browser: string,
  now: number,
): Promise<Challenge> {
  const challenge = randomBytes(CHALLENGE_BYTES).toString("base64url");
  const expiresAt = now + CHALLENGE_MS;
  const claims = { purpose: use.purpose, userId: userOf(use), browser: sha256(browser) };
  const challengeId = await signToken(sessionSecret, "passkey challenge", challenge, claims, expiresAt);
  return { challenge, challengeId, expiresAt };
}

/** Returns the challenge, or null if it was made for another use, account or browser, or has expired. */
export async function readChallenge(
  sessionSecret: string,
  challengeId: string,
  use: PasskeyUse,
  browser: string,
  now: number,
): Promise<{ id: string; expiresAt: number } | null> {
  const read = await readToken(sessionSecret, "passkey challenge", challengeId, claimsSchema, now);
  if (!read) return null;
  const { claims, ...token } = read;
  const isSame = claims.purpose === use.purpose && claims.userId === userOf(use) && claims.browser === sha256(browser);
  return isSame ? token : null;
}

function userOf(use: PasskeyUse): string | null {
  return use.purpose === "log_in" ? null : use.userId;
}

/**
 * Returns the random id of this browser that its challenges are bound to, and the Set-Cookie header that keeps it. One id
 * serves all tabs, so that one doesn't spoil the challenge of another.
 */
export async function browserOf(
  env: Pick<Env, "SESSION_SECRET">,
  visit: Pick<Visit, "url" | "passkeyBrowser">,
): Promise<{ browser: string; cookie: string }> {
  const browser = visit.passkeyBrowser || randomSecret();
  return { browser, cookie: await passkeyBrowserCookie(env, visit).serialize(browser) };
}
