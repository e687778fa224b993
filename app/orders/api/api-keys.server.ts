import { createHmac } from "node:crypto";
import { and, count, desc, eq, getTableColumns, gt, isNotNull, isNull, lt, or, type SQL, sql } from "drizzle-orm";
import { deriveKeys } from "#app/crypto/derived-keys.server.ts";
import { randomKey } from "#app/crypto/random-secret.server.ts";
import { sha256 } from "#app/crypto/sha256.server.ts";
import { type Db, violates } from "#app/db/db.server.ts";
import { hasOpenSession, isSessionOpen, type SessionOwner } from "#app/db/open-session.server.ts";
import { apiKeys, type KeyNetwork, users } from "#app/db/schema.server.ts";
import { hasConfirmedEmail, isEmailConfirmed } from "#app/email/confirmed-email.server.ts";
import { DAY_MS } from "#app/time.ts";

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
type KeyEnv = Pick<Env, "SESSION_SECRET">;

const LIVE_PREFIX = "gl_live_";
const TEST_PREFIX = "gl_test_";
const SECRET_BYTES = 18;
/** Guessing a mark takes about 2^48 tries and only gains a lookup. */
const MARK_CHARACTERS = 12;
const CHECKSUM_CHARACTERS = 6;
const SHOWN_CHARACTERS = LIVE_PREFIX.length + 6;
/** `last_used_at` is written at most this often. */
const TOUCH_MS = 60_000;
/** Working keys of an account. Keeps the list on one page. */
export const MAX_KEYS = 50;
/** A leaked key must be replaceable at the limit, but not without end: replaced keys work for a while more. */
const MAX_KEYS_WITH_REPLACED = 2 * MAX_KEYS;
/** How long a replaced key keeps working. */
export const ROTATION_OVERLAP_MS = DAY_MS;

export type NewKey = { id: string; key: string };
export type KeyRefusal = "email_unconfirmed" | "too_many" | "session_ended";

/**
 * Creates a key. The plain key exists only in the return value; the database stores its SHA-256. The statement itself
 * refuses a live key of a user whose email address is not confirmed, and one more than `MAX_KEYS`. `sessionId`: of the
 * session that asks for it, which must be open; null for the key of a demo account, which nobody asks for.
 */
export async function createApiKey(
  db: Db,
  env: KeyEnv,
  userId: string,
  input: { name: string; scopes: ApiKeyScope[]; isTest?: boolean; limits?: KeyLimits; sessionId: string | null },
): Promise<({ ok: true } & NewKey) | { ok: false; reason: KeyRefusal }> {
  const now = Date.now();
  const isTest = input.isTest ?? false;
  const { id, key, digest, prefix } = newKey(env, isTest);
  const mayOwn = or(sql`${isTest}`, isNotNull(users.emailConfirmedAt));
  const session = input.sessionId === null ? undefined : { userId, sessionId: input.sessionId };
  const owner = db
    .select({ id: users.id })
    .from(users)
    .where(
      and(eq(users.id, userId), mayOwn, session && isSessionOpen(session), lt(workingKeys(db, userId, now), MAX_KEYS)),
    );
  try {
    await db.insert(apiKeys).values({
      id,
      // NULL, which the column refuses, if the user may not have the key.
      userId: sql`(${owner})`,
      name: input.name,
      digest,
      prefix,
      canRead: input.scopes.includes("read"),
      canOrder: input.scopes.includes("order"),
      isTest,
      ...(input.limits ?? NO_LIMITS),
      createdAt: now,
    });
  } catch (error) {
    if (!violates(error, "api_keys.user_id")) throw error;
    if (session && !(await hasOpenSession(db, session))) return { ok: false, reason: "session_ended" };
    const isConfirmed = isTest || (await hasConfirmedEmail(db, userId));
    return { ok: false, reason: isConfirmed ? "too_many" : "email_unconfirmed" };
  }
  return { ok: true, id, key };
}

/**
 * Returns the id of the user's key from the API docs. There is one, so its id follows from the user's; it is in no list
 * and takes no other key's place.
 */
export function docsKeyId(userId: string): string {
  return `docs-${userId}`;
}

const isListed = sql`${apiKeys.id} <> 'docs-' || ${apiKeys.userId}`;

export function newKey(env: KeyEnv, isTest: boolean): NewKey & { digest: string; prefix: string } {
  const secret =
    (isTest ? TEST_PREFIX : LIVE_PREFIX) +
    Buffer.from(crypto.getRandomValues(new Uint8Array(SECRET_BYTES))).toString("hex");
  const body = secret + marksOf(env, secret)[0];
  const key = body + checksum(body);
  return { id: randomKey(), key, digest: sha256(key), prefix: key.slice(0, SHOWN_CHARACTERS) };
}

/** Selects how many keys of the user work, replaced ones among them. */
function workingKeys(db: Db, userId: string, now: number): SQL {
  const working = and(eq(apiKeys.userId, userId), isListed, isNull(apiKeys.revokedAt), stillValid(now));
  return sql`(${db.select({ count: count() }).from(apiKeys).where(working)})`;
}

/** Returns the digest under which a key is stored, or null if prefix or checksum show that it is not one of ours. */
export function digestOfKey(key: string): string | null {
  const body = key.slice(0, -CHECKSUM_CHARACTERS);
  const isOurs = key.startsWith(LIVE_PREFIX) || key.startsWith(TEST_PREFIX);
  if (!isOurs || checksum(body) !== key.slice(-CHECKSUM_CHARACTERS)) return null;
  return sha256(key);
}

/**
 * Returns whether the key has the mark that only we can make, without looking it up. A key may lack it: one that is older
 * than the marks, or than the oldest entry of SESSION_SECRET.
 */
export function isMarked(env: KeyEnv, key: string): boolean {
  const body = key.slice(0, -CHECKSUM_CHARACTERS);
  return marksOf(env, body.slice(0, -MARK_CHARACTERS)).includes(body.slice(-MARK_CHARACTERS));
}

function marksOf({ SESSION_SECRET }: KeyEnv, secret: string): string[] {
  const keys = deriveKeys(SESSION_SECRET, "api key mark");
  return keys.map((key) => createHmac("sha256", key).update(secret).digest("hex").slice(0, MARK_CHARACTERS));
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

/** Lists the keys that work, without the one from the API docs. `spent` is what orders have cost on the current day of a key with a cap, in micro-units. */
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
    .where(and(eq(apiKeys.userId, userId), isListed, isNull(apiKeys.revokedAt), stillValid(Date.now())))
    .orderBy(desc(apiKeys.createdAt));
  const today = Math.floor(Date.now() / DAY_MS);
  return keys.map(({ spentDay, ...key }) => ({ ...key, spent: spentDay < today ? 0 : key.spent }));
}

export type ApiKeyRow = Awaited<ReturnType<typeof listApiKeys>>[number];

/**
 * Creates a key with the old one's name, scopes, limits and spending of the day. The old one works for ROTATION_OVERLAP_MS
 * more, or until it expires, and spends from the new one's cap. A key that expires is replaced by one that lives as long.
 * `not_found`: the user has no such key, it was replaced before, or it is live and the email address is not confirmed.
 */
export async function rotateApiKey(
  db: Db,
  env: GateEnv & KeyEnv,
  owner: SessionOwner,
  id: string,
): Promise<({ ok: true; name: string } & NewKey) | { ok: false; reason: "not_found" | "too_many" }> {
  const { userId } = owner;
  const now = Date.now();
  const isOwn = ownCurrentKey(owner, id, now);
  const isReplaceable = and(isOwn, or(apiKeys.isTest, isEmailConfirmed(userId)));
  const [old] = await db.select().from(apiKeys).where(isReplaceable).limit(1);
  if (!old) return { ok: false, reason: "not_found" };
  const next = newKey(env, old.isTest);
  const successor = db
    .select({
      ...getTableColumns(apiKeys),
      id: sql<string>`${next.id}`.as("id"),
      digest: sql<string>`${next.digest}`.as("digest"),
      prefix: sql<string>`${next.prefix}`.as("prefix"),
      createdAt: sql<number>`cast(${now} as integer)`.as("created_at"),
      lastUsedAt: sql<null>`null`.as("last_used_at"),
      // NULL stays NULL.
      expiresAt: sql<number | null>`cast(${now} as integer) + ${apiKeys.expiresAt} - ${apiKeys.createdAt}`.as(
        "expires_at",
      ),
      networks: sql<KeyNetwork[]>`'[]'`.as("networks"),
    })
    .from(apiKeys)
    .where(and(isReplaceable, lt(workingKeys(db, userId, now), MAX_KEYS_WITH_REPLACED)));
  const worksUntil = sql`cast(${now + ROTATION_OVERLAP_MS} as integer)`;
  const isStored = sql`exists (select 1 from ${apiKeys} as stored where stored.id = ${next.id})`;
  const [, replaced] = await db.batch([
    db.insert(apiKeys).select(successor),
    db
      .update(apiKeys)
      .set({
        replacedAt: now,
        replacedBy: next.id,
        expiresAt: sql`min(coalesce(${apiKeys.expiresAt}, ${worksUntil}), ${worksUntil})`,
      })
      .where(and(isOwn, isStored))
      .returning({ digest: apiKeys.digest }),
    db
      .update(apiKeys)
      .set({ replacedBy: next.id })
      .where(and(eq(apiKeys.userId, userId), eq(apiKeys.replacedBy, id), isStored)),
  ]);
  const [ended] = replaced;
  if (!ended) {
    const [current] = await db.select({ id: apiKeys.id }).from(apiKeys).where(isReplaceable).limit(1);
    return { ok: false, reason: current ? "too_many" : "not_found" };
  }
  await gateOf(env, ended.digest).forget();
  return { ok: true, name: old.name, id: next.id, key: next.key };
}

/** Changes what a key is limited to, from the next request on. Returns false if the user has no such key. */
export async function limitApiKey(
  db: Db,
  env: GateEnv,
  owner: SessionOwner,
  id: string,
  limits: KeyLimits,
): Promise<boolean> {
  const [limited] = await db
    .update(apiKeys)
    .set(limits)
    .where(ownCurrentKey(owner, id, Date.now()))
    .returning({ digest: apiKeys.digest });
  if (limited) await gateOf(env, limited.digest).forget();
  return limited !== undefined;
}

/** Matches a user's key that works and has not been replaced, while the session that changes it has not ended. */
function ownCurrentKey(owner: SessionOwner, id: string, now: number) {
  return and(
    eq(apiKeys.id, id),
    eq(apiKeys.userId, owner.userId),
    isListed,
    isNull(apiKeys.revokedAt),
    isNull(apiKeys.replacedAt),
    stillValid(now),
    isSessionOpen(owner),
  );
}

/** Returns the gate that counts requests with that key. It caches the holder: call `forget` when a key ends. */
export function gateOf({ API_GATE }: GateEnv, digest: string) {
  return API_GATE.getByName(`key ${digest}`);
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
