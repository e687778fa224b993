import type { AppLoadContext } from "@remix-run/cloudflare";
import { eq } from "drizzle-orm";
import { z } from "zod";
import { type DeviceHistory, deviceDigest, deviceHistory } from "#app/accounts/devices/known-devices.server.ts";
import { type Factors, readFactors, selectFactors } from "#app/accounts/factors/factors.server.ts";
import { readToken, signToken } from "#app/accounts/tokens/single-use-tokens.server.ts";
import { PENDING_MS, type Visit } from "#app/accounts/visit/visit.server.ts";
import { randomSecret } from "#app/crypto/random-secret.server.ts";
import { sha256 } from "#app/crypto/sha256.server.ts";
import { profiles, users } from "#app/db/schema.server.ts";

/** A log-in whose password was right and that waits for a second factor, in a signed token. No session has started. */

type Context = Pick<AppLoadContext, "db" | "env">;
const claimsSchema = z.object({
  userId: z.string(),
  passwordDigest: z.string(),
  how: z.enum(["current", "migrated", "migrated_meanwhile"]),
});
type Claims = z.infer<typeof claimsSchema>;
export type PendingLogIn = {
  token: { id: string; expiresAt: number };
  userId: string;
  /** The stored hash that the password was verified against. */
  passwordHash: string;
  how: Claims["how"];
  factors: Factors;
  history: DeviceHistory;
};

/** Returns the token of a log-in that waits for its second factor. */
export function pendingLogInToken(
  { env }: Pick<AppLoadContext, "env">,
  { userId, passwordHash, how }: Pick<PendingLogIn, "userId" | "passwordHash" | "how">,
  now = Date.now(),
): Promise<string> {
  const claims = { userId, passwordDigest: sha256(passwordHash), how };
  return signToken(env.SESSION_SECRET, "pending log-in", randomSecret(), claims, now + PENDING_MS);
}

/** Returns the log-in that waits, or null if there is none, it has expired, or the password has changed since. */
export async function readPendingLogIn(
  { db, env }: Context,
  visit: Pick<Visit, "pendingLogIn" | "deviceId">,
  now = Date.now(),
): Promise<PendingLogIn | null> {
  const { pendingLogIn: sent } = visit;
  const read = sent && (await readToken(env.SESSION_SECRET, "pending log-in", sent, claimsSchema, now));
  if (!read) return null;
  const { claims, ...token } = read;
  const { userId, how } = claims;
  const [[account], ...factors] = await db.batch([
    db
      .select({ passwordHash: users.passwordHash, ...deviceHistory(db, deviceDigest(visit)) })
      .from(profiles)
      .innerJoin(users, eq(users.id, profiles.userId))
      .where(eq(profiles.userId, userId)),
    ...selectFactors(db, userId),
  ]);
  if (!account) return null;
  const { passwordHash, ...history } = account;
  if (passwordHash === null || sha256(passwordHash) !== claims.passwordDigest) return null;
  return { token, userId, passwordHash, how, history, factors: readFactors(factors) };
}
