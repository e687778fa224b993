import { and, desc, eq, gt, isNull, or } from "drizzle-orm";
import { sha256 } from "#app/crypto/sha256.server.ts";
import type { Db } from "#app/db/db.server.ts";
import { apiKeys } from "#app/db/schema.server.ts";

export type ApiKeyScope = "read" | "order";
export type ApiCaller = { userId: string; keyId: string; scopes: ApiKeyScope[]; isTest: boolean };
/** `expiresAt` (ms) is set on test keys from the docs page and on replaced keys. */
export type KeyHolder = ApiCaller & { expiresAt: number | null };

export type GateEnv = Pick<Env, "API_GATE">;

const LIVE_PREFIX = "gl_live_";
const TEST_PREFIX = "gl_test_";
const SECRET_BYTES = 24;
const CHECKSUM_CHARACTERS = 6;
const SHOWN_CHARACTERS = LIVE_PREFIX.length + 6;
/** `last_used_at` is written at most this often. */
const TOUCH_MS = 60_000;
/** How long a replaced key keeps working. */
export const ROTATION_OVERLAP_MS = 24 * 60 * 60 * 1000;

/** Creates a key. The plain key exists only in the return value; the database stores its SHA-256. */
export async function createApiKey(
  db: Db,
  userId: string,
  input: { name: string; scopes: ApiKeyScope[]; isTest?: boolean },
): Promise<{ id: string; key: string }> {
  const id = crypto.randomUUID();
  const isTest = input.isTest ?? false;
  const body =
    (isTest ? TEST_PREFIX : LIVE_PREFIX) +
    Buffer.from(crypto.getRandomValues(new Uint8Array(SECRET_BYTES))).toString("hex");
  const key = body + checksum(body);
  await db.insert(apiKeys).values({
    id,
    userId,
    name: input.name,
    digest: sha256(key),
    prefix: key.slice(0, SHOWN_CHARACTERS),
    canRead: input.scopes.includes("read"),
    canOrder: input.scopes.includes("order"),
    isTest,
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

/** Returns the holder of the key with that digest, or null if it is unknown, revoked or expired. */
export async function findApiCaller(
  db: Db,
  digest: string,
  waitUntil: (work: Promise<unknown>) => void,
): Promise<KeyHolder | null> {
  const [found] = await db
    .select()
    .from(apiKeys)
    .where(and(eq(apiKeys.digest, digest), isNull(apiKeys.revokedAt)))
    .limit(1);
  const now = Date.now();
  if (!found || (found.expiresAt !== null && found.expiresAt <= now)) return null;
  if (now - (found.lastUsedAt ?? 0) > TOUCH_MS) {
    waitUntil(db.update(apiKeys).set({ lastUsedAt: now }).where(eq(apiKeys.id, found.id)).run());
  }
  const { userId, id, isTest, expiresAt } = found;
  return { userId, keyId: id, scopes: scopesOf(found), isTest, expiresAt };
}

export async function listApiKeys(db: Db, userId: string) {
  return db
    .select({
      id: apiKeys.id,
      name: apiKeys.name,
      prefix: apiKeys.prefix,
      canOrder: apiKeys.canOrder,
      isTest: apiKeys.isTest,
      expiresAt: apiKeys.expiresAt,
      createdAt: apiKeys.createdAt,
      lastUsedAt: apiKeys.lastUsedAt,
    })
    .from(apiKeys)
    .where(and(eq(apiKeys.userId, userId), isNull(apiKeys.revokedAt), stillValid(Date.now())))
    .orderBy(desc(apiKeys.createdAt));
}

/**
 * Creates a key with the old one's name and scopes; the old one works for ROTATION_OVERLAP_MS more. Returns null if the
 * user has no such key.
 */
export async function rotateApiKey(db: Db, userId: string, id: string): Promise<{ id: string; key: string } | null> {
  const now = Date.now();
  const [old] = await db
    .update(apiKeys)
    .set({ expiresAt: now + ROTATION_OVERLAP_MS })
    .where(and(eq(apiKeys.id, id), eq(apiKeys.userId, userId), isNull(apiKeys.revokedAt), isNull(apiKeys.expiresAt)))
    .returning();
  if (!old) return null;
  return createApiKey(db, userId, { name: old.name, scopes: scopesOf(old), isTest: old.isTest });
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

function checksum(text: string): string {
  return sha256(`growline:${text}`).slice(0, CHECKSUM_CHARACTERS);
}
