import type { AppLoadContext } from "@remix-run/cloudflare";
import {
  generateRegistrationOptions,
  type PublicKeyCredentialCreationOptionsJSON,
  type RegistrationResponseJSON,
  verifyRegistrationResponse,
} from "@simplewebauthn/server";
import { and, eq, sql } from "drizzle-orm";
import { z } from "zod";
import { spendToken } from "#app/accounts/tokens/single-use-tokens.server.ts";
import type { Visit } from "#app/accounts/visit/visit.server.ts";
import type { Db } from "#app/db/db.server.ts";
import { hasOpenSession, isSessionOpen, type SessionOwner } from "#app/db/open-session.server.ts";
import { passkeys, users } from "#app/db/schema.server.ts";
import { CONFIRM_EMAIL_FIRST, hasConfirmedEmail, isEmailConfirmed } from "#app/email/confirmed-email.server.ts";
import { PRODUCT_NAME } from "#app/product.ts";
import { CHALLENGE_MS, makeChallenge, readChallenge } from "./passkey-challenges.server.ts";
import { descriptorsOf, relyingParty } from "./passkey-check.server.ts";
import type { PasskeyProof } from "./passkey-form.server.ts";

export const MAX_PASSKEYS = 20;

type Context = Pick<AppLoadContext, "db" | "env">;
type Owner = { userId: string; email: string };
export type NewPasskey = PasskeyProof & {
  name: string;
  isSecondFactor: boolean;
  /** The session that adds it, which must not have ended: an emailed link removes only what is there. */
  sessionId: string;
};
export type PasskeyRegistration = { ok: true; passkeyId: string } | { ok: false; reason: RegistrationRefusal };
export type RegistrationRefusal =
  | "expired"
  | "refused"
  | "already_registered"
  | "too_many_passkeys"
  | "email_unconfirmed";

export const REGISTRATION_ERRORS: Record<RegistrationRefusal, string> = {
  expired: "That took too long. Try again.",
  refused: "This passkey couldn't be verified. Try again.",
  already_registered: "This passkey is registered already.",
  too_many_passkeys: "You have 20 passkeys, which is the limit. Remove one first.",
  email_unconfirmed: CONFIRM_EMAIL_FIRST,
};

const base64url = z.string().regex(/^[\w-]*$/);
const responseSchema = z.object({
  id: base64url.max(1400),
  rawId: base64url.max(1400),
  type: z.literal("public-key"),
  clientExtensionResults: z.object({}).default({}),
  response: z.object({
    clientDataJSON: base64url.max(4096),
    attestationObject: base64url.max(16_384),
    transports: z
      .array(z.string().regex(/^[\w-]{1,20}$/))
      .max(10)
      .catch([]),
  }),
});

/** Returns what the browser needs to create a passkey: one that names its account by itself and verifies its user. */
export async function registrationOptions(
  { db, env }: Context,
  visit: Visit,
  { userId, email }: Owner,
  browser: string,
  now = Date.now(),
): Promise<{ challengeId: string; options: PublicKeyCredentialCreationOptionsJSON; expiresAt: number }> {
  const use = { purpose: "register", userId } as const;
  const { challenge, challengeId, expiresAt } = await makeChallenge(env.SESSION_SECRET, use, browser, now);
  const options = await generateRegistrationOptions({
    rpName: PRODUCT_NAME,
    rpID: relyingParty(visit).id,
    userName: email,
    userDisplayName: email,
    userID: new TextEncoder().encode(userId),
    challenge: Buffer.from(challenge, "base64url"),
    timeout: CHALLENGE_MS,
    attestationType: "none",
    excludeCredentials: await descriptorsOf(db, userId),
    authenticatorSelection: { residentKey: "required", userVerification: "required" },
  });
  return { challengeId, options, expiresAt };
}

/** Stores a new passkey of the account, whose email address must be confirmed. The challenge passes once. */
export async function registerPasskey(
  { db, env }: Context,
  visit: Visit,
  userId: string,
  { challengeId, credential, browser, name, isSecondFactor, sessionId }: NewPasskey,
  now = Date.now(),
): Promise<PasskeyRegistration> {
  const use = { purpose: "register", userId } as const;
  const challenge = await readChallenge(env.SESSION_SECRET, challengeId, use, browser, now);
  if (!challenge) return { ok: false, reason: "expired" };
  const parsed = responseSchema.safeParse(credential);
  if (!parsed.success) return { ok: false, reason: "refused" };
  const registered = await verifyRegistration(visit, challenge.id, parsed.data as RegistrationResponseJSON);
  if (!registered) return { ok: false, reason: "refused" };
  if (!(await spendToken(db, challenge))) return { ok: false, reason: "expired" };
  const passkey = {
    id: registered.credential.id,
    publicKey: Buffer.from(registered.credential.publicKey).toString("base64url"),
    signCount: registered.credential.counter,
    transports: parsed.data.response.transports.join(","),
    name,
    deviceType: registered.credentialDeviceType,
    backedUp: registered.credentialBackedUp,
    isSecondFactor,
    createdAt: now,
  };
  return insertPasskey(db, { userId, sessionId }, passkey);
}

/**
 * Renames a passkey, or sets whether it is asked for after the password. Returns false if it is not this
 * account's, or the session has ended.
 */
export async function changePasskey(
  db: Db,
  owner: SessionOwner,
  id: string,
  change: { name: string; isSecondFactor?: boolean },
): Promise<boolean> {
  const changed = await db
    .update(passkeys)
    .set(change)
    .where(and(eq(passkeys.id, id), eq(passkeys.userId, owner.userId), isSessionOpen(owner)))
    .returning({ id: passkeys.id });
  return changed.length === 1;
}

/** Returns null for a response that is not of this challenge, origin or relying party, or without user verification. */
async function verifyRegistration(visit: Visit, expectedChallenge: string, response: RegistrationResponseJSON) {
  const { origin, id: rpId } = relyingParty(visit);
  try {
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response,
      expectedChallenge,
      expectedOrigin: origin,
      expectedRPID: rpId,
      requireUserVerification: true,
    });
    return verified ? registrationInfo : null;
  } catch {
    // The library throws for every response that is wrong.
    return null;
  }
}

type NewRow = Omit<typeof passkeys.$inferInsert, "userId">;

async function insertPasskey(db: Db, owner: SessionOwner, passkey: NewRow): Promise<PasskeyRegistration> {
  const { userId } = owner;
  const [taken] = await db.select({ id: passkeys.id }).from(passkeys).where(eq(passkeys.id, passkey.id)).limit(1);
  if (taken) return { ok: false, reason: "already_registered" };
  const stored = await db
    .insert(passkeys)
    .select(selectRow(db, owner, passkey))
    .onConflictDoNothing()
    .returning({ id: passkeys.id });
  if (stored.length === 1) return { ok: true, passkeyId: passkey.id };
  if (!(await hasOpenSession(db, owner))) return { ok: false, reason: "expired" };
  return { ok: false, reason: (await hasConfirmedEmail(db, userId)) ? "too_many_passkeys" : "email_unconfirmed" };
}

/**
 * Selects the row of a new passkey, or none if the account may not add it. One statement counts and inserts, so that
 * parallel registrations don't pass the limit.
 */
function selectRow(db: Db, owner: SessionOwner, passkey: NewRow) {
  const { userId } = owner;
  const count = sql`(select count(*) from ${passkeys} where ${passkeys.userId} = ${userId})`;
  return db
    .select({
      id: sql<string>`${passkey.id}`.as("id"),
      userId: users.id,
      publicKey: sql<string>`${passkey.publicKey}`.as("public_key"),
      signCount: sql<number>`cast(${passkey.signCount} as integer)`.as("sign_count"),
      transports: sql<string>`${passkey.transports}`.as("transports"),
      name: sql<string>`${passkey.name}`.as("name"),
      deviceType: sql<"singleDevice">`${passkey.deviceType}`.as("device_type"),
      backedUp: sql<boolean>`cast(${Number(passkey.backedUp)} as integer)`.as("backed_up"),
      isSecondFactor: sql<boolean>`cast(${Number(passkey.isSecondFactor)} as integer)`.as("is_second_factor"),
      createdAt: sql<number>`cast(${passkey.createdAt} as integer)`.as("created_at"),
      lastUsedAt: sql<null>`null`.as("last_used_at"),
    })
    .from(users)
    .where(
      and(
        eq(users.id, userId),
        isEmailConfirmed(userId),
        isSessionOpen(owner),
        sql`${count} < cast(${MAX_PASSKEYS} as integer)`,
      ),
    );
}
