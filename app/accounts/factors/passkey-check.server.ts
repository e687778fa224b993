import type { AppLoadContext } from "@remix-run/cloudflare";
import {
  type AuthenticationResponseJSON,
  generateAuthenticationOptions,
  type PublicKeyCredentialRequestOptionsJSON,
  verifyAuthenticationResponse,
} from "@simplewebauthn/server";
import { and, eq, isNotNull, lt, or, sql } from "drizzle-orm";
import { z } from "zod";
import { spendToken } from "#app/accounts/tokens/single-use-tokens.server.ts";
import type { Visit } from "#app/accounts/visit/visit.server.ts";
import type { Db } from "#app/db/db.server.ts";
import { passkeys, users } from "#app/db/schema.server.ts";
import { CHALLENGE_MS, makeChallenge, type PasskeyUse, readChallenge } from "./passkey-challenges.server.ts";
import type { PasskeyProof } from "./passkey-form.server.ts";

type Context = Pick<AppLoadContext, "db" | "env">;
type CheckUse = Exclude<PasskeyUse, { purpose: "register" }> | { purpose: "second_step" | "confirm"; userId: string };

export type PasskeyOptions = {
  challengeId: string;
  options: PublicKeyCredentialRequestOptionsJSON;
  /** In ms. */
  expiresAt: number;
};
export type CheckedPasskey =
  | { ok: true; userId: string; passkeyId: string }
  | { ok: false; reason: "expired" | "unknown_passkey" | "refused" };

const base64url = z
  .string()
  .max(4096)
  .regex(/^[\w-]*$/);
const responseSchema = z.object({
  id: base64url,
  rawId: base64url,
  type: z.literal("public-key"),
  response: z.object({
    authenticatorData: base64url,
    clientDataJSON: base64url,
    signature: base64url,
    userHandle: base64url.nullish(),
  }),
});

/** Returns the relying party: the origin of the site, and its host name as the id that passkeys are bound to. */
export function relyingParty({ origin }: Pick<Visit, "origin">): { origin: string; id: string } {
  return { origin, id: new URL(origin).hostname };
}

/** Returns what the browser needs to ask for a passkey. Only a log-in lets the authenticator choose the account. */
export async function passkeyOptions(
  { db, env }: Context,
  visit: Visit,
  use: CheckUse,
  browser: string,
  now = Date.now(),
): Promise<PasskeyOptions> {
  const { challenge, challengeId, expiresAt } = await makeChallenge(env.SESSION_SECRET, use, browser, now);
  const options = await generateAuthenticationOptions({
    rpID: relyingParty(visit).id,
    challenge: Buffer.from(challenge, "base64url"),
    timeout: CHALLENGE_MS,
    userVerification: "required",
    ...(use.purpose !== "log_in" && { allowCredentials: await descriptorsOf(db, use.userId) }),
  });
  return { challengeId, options, expiresAt };
}

/**
 * Checks the response of an authenticator that verified its user. The challenge passes once, and so does the sign count
 * of a passkey that stays on its device.
 */
export async function checkPasskey(
  { db, env }: Context,
  visit: Visit,
  use: CheckUse,
  { challengeId, credential, browser }: PasskeyProof,
  now = Date.now(),
): Promise<CheckedPasskey> {
  const challenge = await readChallenge(env.SESSION_SECRET, challengeId, use, browser, now);
  if (!challenge) return { ok: false, reason: "expired" };
  const parsed = responseSchema.safeParse(credential);
  if (!parsed.success) return { ok: false, reason: "refused" };
  const stored = await findPasskey(db, parsed.data.id);
  if (!stored || (use.purpose !== "log_in" && stored.userId !== use.userId)) {
    return { ok: false, reason: "unknown_passkey" };
  }
  const { userHandle } = parsed.data.response;
  if (userHandle && userHandle !== userHandleOf(stored.userId)) return { ok: false, reason: "refused" };
  const signed = await verifyAssertion(visit, challenge.id, parsed.data as AuthenticationResponseJSON, stored);
  if (signed === null) return { ok: false, reason: "refused" };
  if (!(await spendToken(db, challenge))) return { ok: false, reason: "expired" };
  if (!(await recordUse(db, stored, signed, now))) return { ok: false, reason: "refused" };
  return { ok: true, userId: stored.userId, passkeyId: stored.id };
}

/** Returns the user handle that authenticators keep with a discoverable passkey. */
export function userHandleOf(userId: string): string {
  return Buffer.from(userId).toString("base64url");
}

/** Lists an account's passkeys for the browser: which to ask for, or not to register again. */
export async function descriptorsOf(db: Db, userId: string) {
  const rows = await db
    .select({ id: passkeys.id, transports: passkeys.transports })
    .from(passkeys)
    .where(eq(passkeys.userId, userId));
  return rows.map(({ id, transports }) => ({ id, transports: transports.split(",").filter(Boolean) }));
}

type StoredPasskey = NonNullable<Awaited<ReturnType<typeof findPasskey>>>;
type DeviceType = StoredPasskey["deviceType"];
type SignedUse = { newCounter: number; credentialDeviceType: DeviceType; credentialBackedUp: boolean };

async function findPasskey(db: Db, id: string) {
  const [found] = await db
    .select({
      id: passkeys.id,
      userId: passkeys.userId,
      publicKey: passkeys.publicKey,
      signCount: passkeys.signCount,
      deviceType: passkeys.deviceType,
    })
    .from(passkeys)
    .innerJoin(users, eq(users.id, passkeys.userId))
    // An account that is being deleted has no password.
    .where(and(eq(passkeys.id, id), isNotNull(users.passwordHash)))
    .limit(1);
  return found;
}

/** Returns null for a wrong signature, origin, relying party or challenge, or without user verification. */
async function verifyAssertion(
  visit: Visit,
  expectedChallenge: string,
  response: AuthenticationResponseJSON,
  stored: StoredPasskey,
): Promise<SignedUse | null> {
  const { origin, id: rpId } = relyingParty(visit);
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response,
      expectedChallenge,
      expectedOrigin: origin,
      expectedRPID: rpId,
      requireUserVerification: true,
      credential: {
        id: stored.id,
        publicKey: Uint8Array.from(Buffer.from(stored.publicKey, "base64url")),
        // `recordUse` compares it, because what is signed says whether it counts.
        counter: 0,
      },
    });
    return verified ? authenticationInfo : null;
  } catch {
    // The library throws for every response that is wrong.
    return null;
  }
}

/** Stores the sign count. Returns false if it didn't rise, as after a parallel use, or if the passkey was removed. */
async function recordUse(db: Db, stored: StoredPasskey, used: SignedUse, now: number): Promise<boolean> {
  const isSynced = isOnSeveralDevices(stored, used);
  const isNewer = or(
    lt(passkeys.signCount, sql`cast(${used.newCounter} as integer)`),
    sql`${passkeys.signCount} = 0 and cast(${used.newCounter} as integer) = 0`,
  );
  const updated = await db
    .update(passkeys)
    .set({
      lastUsedAt: now,
      signCount: used.newCounter,
      backedUp: used.credentialBackedUp,
      ...(isSynced && { deviceType: "multiDevice" }),
    })
    .where(and(eq(passkeys.id, stored.id), eq(passkeys.userId, stored.userId), isSynced ? undefined : isNewer))
    .returning({ id: passkeys.id });
  return updated.length === 1;
}

/**
 * Returns whether several devices use the passkey, so that its counts say nothing. One that was restored from a backup, or
 * moved to a program that syncs, says so under its signature from then on, and may count anew.
 */
function isOnSeveralDevices({ deviceType }: StoredPasskey, { credentialDeviceType }: SignedUse): boolean {
  return deviceType === "multiDevice" || credentialDeviceType === "multiDevice";
}
