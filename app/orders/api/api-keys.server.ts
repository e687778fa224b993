import { and, desc, eq, getTableColumns, gt, isNotNull, isNull, or, sql } from "drizzle-orm";
import { sha256 } from "#app/crypto/sha256.server.ts";
import type { Db } from "#app/db/db.server.ts";
import { apiKeys, type KeyNetwork, users } from "#app/db/schema.server.ts";
import { isEmailConfirmed } from "#app/email/confirmed-email.server.ts";

export type ApiKeyScope = "read" | "order";
export type ApiCaller = { userId: string; keyId: string; scopes: ApiKeyScope[]; isTest: boolean };
/** `addresses` are the only addresses and ranges that may use the key; an empty list allows all. Times in ms. */
export type KeyHolder = {
  caller: ApiCaller;
  name: string;
  expiresAt: number | null;
  addresses: string[];
  networks: KeyNetwork[];
  /** A live key works only while this is true. */
  emailConfirmed: boolean;
};

/** Limits that the owner sets on a key. `dailyCap`: micro-units per UTC day; refunds don't give it back. */
export type KeyLimits = { expiresAt: number | null; addresses: string[]; dailyCap: number | null };
const NO_LIMITS: KeyLimits = { expiresAt: null, addresses: [], dailyCap: null };

export type GateEnv = Pick<Env, "API_GATE">;

const LIVE_PREFIX = "gl_live_";
const TEST_PREFIX = "gl_test_";
const SECRET_BYTES = 24;
const CHECKSUM_CHARACTERS = 6;
const SHOWN_CHARACTERS = LIVE_PREFIX.length + 6;
/** `last_used_at` is written at most this often. */
const TOUCH_MS = 60_000;
const DAY_MS = 24 * 60 * 60 * 1000;
/** How long a replaced key keeps working. */
export const ROTATION_OVERLAP_MS = DAY_MS;

/**
 * Creates a key. The plain key exists only in the return value; the database stores its SHA-256. Throws for a live key of
 * a user whose email address is not confirmed: the caller checks that first.
 */
export async function createApiKey(
  db: Db,
  userId: string,
  input: { name: string; scopes: ApiKeyScope[]; isTest?: boolean; limits?: KeyLimits },
): Promise<{ id: string; key: string }> {
  const id = crypto.randomUUID();
  const isTest = input.isTest ?? false;
  const body =
    (isTest ? TEST_PREFIX : LIVE_PREFIX) +
    Buffer.from(crypto.getRandomValues(new Uint8Array(SECRET_BYTES))).toString("hex");
  const key = body + checksum(body);
  const mayOwn = or(sql`${isTest}`, isNotNull(users.emailConfirmedAt));
  const owner = db
    .select({ id: users.id })
    .from(users)
    .where(and(eq(users.id, userId), mayOwn));
  await db.insert(apiKeys).values({
    id,
    // NULL, which the column refuses, if nobody may own the key.
    userId: sql`(${owner})`,
    name: input.name,
    digest: sha256(key),
    prefix: key.slice(0, SHOWN_CHARACTERS),
    canRead: input.scopes.includes("read"),
    canOrder: input.scopes.includes("order"),
    isTest,
    ...(input.limits ?? NO_LIMITS),
    createdAt: Date.now(),
  });
  return { id, key };
}

/** Returns the digest under which a key is stored, or null if prefix or checksum show that it is not one of ours. */
export function digestOfKey(key: string): string | null {
  const body = key.slice(0, -CHECKSUM_CHARACTERS);
  const isOurs = key.startsWith(LIVE_PREFIX) || key.startsWith(TEST_PREFIX);
  if (!isOurs || checksum(body) !== key.slice(-CHECKSUM_CHARACTERS)) return null;
  return sha256(key);
}

/** Returns the holder of the key with that digest, or null if it is unknown, revoked, expired or of a suspended account. */
export async function findApiCaller(
  db: Db,
  digest: string,
  waitUntil: (work: Promise<unknown>) => void,
): Promise<KeyHolder | null> {
  const [found] = await db
    .select({ ...getTableColumns(apiKeys), emailConfirmedAt: users.emailConfirmedAt })
    .from(apiKeys)
    .innerJoin(users, eq(users.id, apiKeys.userId))
    .where(and(eq(apiKeys.digest, digest), isNull(apiKeys.revokedAt), isNull(users.suspendedAt)))
    .limit(1);
  const now = Date.now();
  if (!found || (found.expiresAt !== null && found.expiresAt <= now)) return null;
  if (now - (found.lastUsedAt ?? 0) > TOUCH_MS) {
    waitUntil(db.update(apiKeys).set({ lastUsedAt: now }).where(eq(apiKeys.id, found.id)).run());
  }
  const { userId, id, isTest, name, expiresAt, addresses, networks } = found;
  const caller = { userId, keyId: id, scopes: scopesOf(found), isTest };
  return { caller, name, expiresAt, addresses, networks, emailConfirmed: found.emailConfirmedAt !== null };
}

/** Lists the keys that work. `spent` is what orders have cost on the current day of a key with a cap, in micro-units. */
export async function listApiKeys(db: Db, userId: string) {
  const keys = await db
    .select({
      id: apiKeys.id,
      name: apiKeys.name,
      prefix: apiKeys.prefix,
      canOrder: apiKeys.canOrder,
      isTest: apiKeys.isTest,
      expiresAt: apiKeys.expiresAt,
      replacedAt: apiKeys.replacedAt,
      addresses: apiKeys.addresses,
      dailyCap: apiKeys.dailyCap,
      spent: apiKeys.spent,
      spentDay: apiKeys.spentDay,
      createdAt: apiKeys.createdAt,
      lastUsedAt: apiKeys.lastUsedAt,
    })
    .from(apiKeys)
    .where(and(eq(apiKeys.userId, userId), isNull(apiKeys.revokedAt), stillValid(Date.now())))
    .orderBy(desc(apiKeys.createdAt));
  const today = Math.floor(Date.now() / DAY_MS);
  return keys.map(({ spentDay, ...key }) => ({ ...key, spent: spentDay < today ? 0 : key.spent }));
}

/**
 * Creates a key with the old one's name, scopes and limits; the old one works for ROTATION_OVERLAP_MS more, or until it
 * expires. A key that expires is replaced by one that lives as long. Returns null if the user has no such key, or it was
 * replaced before.
 */
export async function rotateApiKey(
  db: Db,
  env: GateEnv,
  userId: string,
  id: string,
): Promise<{ id: string; name: string; key: string } | null> {
  const now = Date.now();
  const [old] = await db
    .select()
    .from(apiKeys)
    .where(and(ownCurrentKey(userId, id, now), or(apiKeys.isTest, isEmailConfirmed(userId))))
    .limit(1);
  if (!old) return null;
  const { name, digest, addresses, dailyCap, isTest, createdAt, expiresAt } = old;
  const worksUntil = Math.min(now + ROTATION_OVERLAP_MS, expiresAt ?? Number.POSITIVE_INFINITY);
  const replaced = await db
    .update(apiKeys)
    .set({ replacedAt: now, expiresAt: worksUntil })
    .where(ownCurrentKey(userId, id, now))
    .returning({ id: apiKeys.id });
  if (replaced.length === 0) return null;
  await gateOf(env, digest).forget();
  const limits = { addresses, dailyCap, expiresAt: expiresAt && now + (expiresAt - createdAt) };
  return { name, ...(await createApiKey(db, userId, { name, scopes: scopesOf(old), isTest, limits })) };
}

/** Changes what a key is limited to, from the next request on. Returns false if the user has no such key. */
export async function limitApiKey(
  db: Db,
  env: GateEnv,
  userId: string,
  id: string,
  limits: KeyLimits,
): Promise<boolean> {
  const [limited] = await db
    .update(apiKeys)
    .set(limits)
    .where(ownCurrentKey(userId, id, Date.now()))
    .returning({ digest: apiKeys.digest });
  if (limited) await gateOf(env, limited.digest).forget();
  return limited !== undefined;
}

/** Matches a user's key that works and has not been replaced. */
function ownCurrentKey(userId: string, id: string, now: number) {
  return and(
    eq(apiKeys.id, id),
    eq(apiKeys.userId, userId),
    isNull(apiKeys.revokedAt),
    isNull(apiKeys.replacedAt),
    stillValid(now),
  );
}

/** Returns the gate that counts requests with that key. It caches the holder: call `forget` when a key ends. */
export function gateOf({ API_GATE }: GateEnv, digest: string) {
  return API_GATE.get(API_GATE.idFromName(`key ${digest}`));
}

function scopesOf({ canRead, canOrder }: { canRead: boolean; canOrder: boolean }): ApiKeyScope[] {
  return [...(canRead ? (["read"] as const) : []), ...(canOrder ? (["order"] as const) : [])];
}

function stillValid(now: number) {
  return or(isNull(apiKeys.expiresAt), gt(apiKeys.expiresAt, now));
}

/** Revokes the key and returns false if the user has no such key. After it returns, no request passes with the key. */
export async function revokeApiKey(db: Db, env: GateEnv, userId: string, id: string): Promise<boolean> {
  const [revoked] = await db
    .update(apiKeys)
    .set({ revokedAt: Date.now() })
    .where(and(eq(apiKeys.id, id), eq(apiKeys.userId, userId), isNull(apiKeys.revokedAt)))
    .returning({ digest: apiKeys.digest });
  if (revoked) await gateOf(env, revoked.digest).forget();
  return revoked !== undefined;
}

/** Makes every key's gate read its holder again, after the account was suspended or reactivated. */
export async function forgetApiKeys(db: Db, env: GateEnv, userId: string): Promise<void> {
  const keys = await db
    .select({ digest: apiKeys.digest })
    .from(apiKeys)
    .where(and(eq(apiKeys.userId, userId), isNull(apiKeys.revokedAt), stillValid(Date.now())));
  await Promise.all(keys.map(({ digest }) => gateOf(env, digest).forget()));
}

function checksum(text: string): string {
  return sha256(`growline:${text}`).slice(0, CHECKSUM_CHARACTERS);
}
