import { and, eq, isNotNull, isNull, lt, or, sql } from "drizzle-orm";
import { Secret, TOTP } from "otpauth";
import { seal, unseal } from "#app/crypto/seal.server.ts";
import type { Db } from "#app/db/db.server.ts";
import { isSessionOpen, type SessionOwner } from "#app/db/open-session.server.ts";
import { totpSecrets, users } from "#app/db/schema.server.ts";
import { isEmailConfirmed } from "#app/email/confirmed-email.server.ts";
import { PRODUCT_NAME } from "#app/product.ts";
import { HOUR_MS } from "#app/time.ts";

/** The parameters that every authenticator app supports: RFC 6238 with SHA-1, 6 digits, 30 seconds. */
const TERMS = { algorithm: "SHA1", digits: 6, period: 30 } as const;
/** RFC 4226 recommends 160 bits. */
const SECRET_BYTES = 20;
/** A code of the step before or after passes too, because clocks differ. */
const DRIFT_STEPS = 1;
/** A setup that waits for its first code is not shown after this. */
const SETUP_MS = HOUR_MS;

type Keys = Pick<Env, "ENCRYPTION_KEYS">;
/** `secret` in base32, for typing; `url` for the QR code. */
export type TotpSetup = { secret: string; url: string };

/** Returns the context that the secret is sealed with. */
export function totpContext(userId: string): string {
  return `totp:${userId}`;
}

/**
 * Stores a new secret, which replaces an unconfirmed one. Returns null if the account has a confirmed one, its email
 * address is not confirmed, or the session has ended.
 */
export async function startTotpSetup(
  db: Db,
  env: Keys,
  { email, ...owner }: SessionOwner & { email: string },
  now = Date.now(),
): Promise<TotpSetup | null> {
  const { userId } = owner;
  const secret = new Secret({ size: SECRET_BYTES });
  const sealedSecret = await seal(env.ENCRYPTION_KEYS, totpContext(userId), secret.base32);
  const stored = await db
    .insert(totpSecrets)
    .select(
      db
        .select({
          userId: users.id,
          sealedSecret: sql<string>`${sealedSecret}`.as("sealed_secret"),
          createdAt: sql<number>`cast(${now} as integer)`.as("created_at"),
          confirmedAt: sql<null>`null`.as("confirmed_at"),
          lastStep: sql<null>`null`.as("last_step"),
        })
        .from(users)
        .where(and(eq(users.id, userId), mayAdd(owner))),
    )
    .onConflictDoUpdate({
      target: totpSecrets.userId,
      set: { sealedSecret, createdAt: now },
      setWhere: isNull(totpSecrets.confirmedAt),
    })
    .returning({ userId: totpSecrets.userId });
  return stored.length === 1 ? setupOf(secret, email) : null;
}

/** Returns the setup that waits for its first code, to show it again. Null if there is none. */
export async function pendingTotpSetup(
  db: Db,
  env: Keys,
  { userId, email }: { userId: string; email: string },
  now = Date.now(),
): Promise<TotpSetup | null> {
  const stored = await readSecret(db, env, userId);
  return stored !== null && isPending(stored, now) ? setupOf(stored.secret, email) : null;
}

/** Removes a setup that waits for its first code. */
export async function cancelTotpSetup(db: Db, userId: string): Promise<void> {
  await db.delete(totpSecrets).where(and(eq(totpSecrets.userId, userId), isNull(totpSecrets.confirmedAt)));
}

/**
 * Confirms the setup by its first code, which can't be used again. Returns false if the code is wrong, the email address
 * is not confirmed, or the session has ended. The app counts as added at `now`, when its owner gets an email about it.
 */
export async function confirmTotp(
  db: Db,
  env: Keys,
  owner: SessionOwner,
  code: string,
  now = Date.now(),
): Promise<boolean> {
  const { userId } = owner;
  const stored = await readSecret(db, env, userId);
  const step = stored && isPending(stored, now) ? stepOf(stored.secret, code, now) : null;
  if (!stored || step === null) return false;
  const confirmed = await db
    .update(totpSecrets)
    .set({ createdAt: now, confirmedAt: now, lastStep: step })
    .where(
      and(
        eq(totpSecrets.userId, userId),
        isNull(totpSecrets.confirmedAt),
        eq(totpSecrets.sealedSecret, stored.sealedSecret),
        mayAdd(owner),
      ),
    )
    .returning({ userId: totpSecrets.userId });
  return confirmed.length === 1;
}

/**
 * Uses a code of the confirmed secret. Returns false if it is wrong, or not newer than the last one. One statement
 * compares the step and stores it, so that a parallel use passes once.
 */
export async function spendTotpCode(
  db: Db,
  env: Keys,
  userId: string,
  code: string,
  now = Date.now(),
): Promise<boolean> {
  const stored = await readSecret(db, env, userId);
  const step = stored && stepOf(stored.secret, code, now);
  if (!stored || step === null) return false;
  const used = await db
    .update(totpSecrets)
    .set({ lastStep: step })
    .where(
      and(
        eq(totpSecrets.userId, userId),
        isNotNull(totpSecrets.confirmedAt),
        or(isNull(totpSecrets.lastStep), lt(totpSecrets.lastStep, step)),
      ),
    )
    .returning({ userId: totpSecrets.userId });
  return used.length === 1;
}

/**
 * Matches a user who may add an app. Somebody with an unconfirmed address may not own that address, and would keep the app
 * through a password reset. A session that has ended can't add one either: an emailed link removes only what is there.
 */
function mayAdd(owner: SessionOwner) {
  return and(isEmailConfirmed(owner.userId), isSessionOpen(owner));
}

async function readSecret(db: Db, env: Keys, userId: string) {
  const [stored] = await db
    .select({
      sealedSecret: totpSecrets.sealedSecret,
      createdAt: totpSecrets.createdAt,
      confirmedAt: totpSecrets.confirmedAt,
    })
    .from(totpSecrets)
    .where(eq(totpSecrets.userId, userId))
    .limit(1);
  if (!stored) return null;
  const secret = Secret.fromBase32(await unseal(env.ENCRYPTION_KEYS, totpContext(userId), stored.sealedSecret));
  return { ...stored, secret };
}

function isPending(stored: { createdAt: number; confirmedAt: number | null }, now: number): boolean {
  return stored.confirmedAt === null && now - stored.createdAt < SETUP_MS;
}

/** Returns the time step that the code belongs to, or null if it is wrong. */
function stepOf(secret: Secret, code: string, now: number): number | null {
  const totp = new TOTP({ secret, ...TERMS });
  const delta = totp.validate({ token: code.replace(/\s/g, ""), timestamp: now, window: DRIFT_STEPS });
  return delta === null ? null : totp.counter({ timestamp: now }) + delta;
}

function setupOf(secret: Secret, email: string): TotpSetup {
  const totp = new TOTP({ secret, issuer: PRODUCT_NAME, label: email, ...TERMS });
  return { secret: secret.base32, url: totp.toString() };
}
