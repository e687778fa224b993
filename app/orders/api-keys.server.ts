import { and, desc, eq, isNull } from "drizzle-orm";
import type { Db } from "#app/db/db.server.ts";
import { apiKeys } from "#app/db/schema.server.ts";

export type ApiKeyScope = "read" | "order";
export type ApiCaller = { userId: string; keyId: string; scopes: ApiKeyScope[] };

const PREFIX = "gl_live_";
const SECRET_BYTES = 24;
const CHECKSUM_CHARACTERS = 6;
const SHOWN_CHARACTERS = PREFIX.length + 6;
/** `last_used_at` is written at most this often. */
const TOUCH_MS = 60_000;

/** The key in clear is in the answer and nowhere else; only its SHA-256 is kept. */
export async function createApiKey(
  db: Db,
  userId: string,
  input: { name: string; scopes: ApiKeyScope[] },
): Promise<{ id: string; key: string }> {
  const id = crypto.randomUUID();
  const body = PREFIX + Buffer.from(crypto.getRandomValues(new Uint8Array(SECRET_BYTES))).toString("hex");
  const key = body + (await checksum(body));
  await db.insert(apiKeys).values({
    id,
    userId,
    name: input.name,
    digest: await sha256(key),
    prefix: key.slice(0, SHOWN_CHARACTERS),
    canRead: input.scopes.includes("read"),
    canOrder: input.scopes.includes("order"),
    createdAt: Date.now(),
  });
  return { id, key };
}

/** Null for a key that is unknown, revoked, or whose checksum shows that it was mistyped (without a query). */
export async function findApiCaller(
  db: Db,
  key: string,
  waitUntil: (work: Promise<unknown>) => void,
): Promise<ApiCaller | null> {
  const body = key.slice(0, -CHECKSUM_CHARACTERS);
  if (!key.startsWith(PREFIX) || (await checksum(body)) !== key.slice(-CHECKSUM_CHARACTERS)) return null;
  const [found] = await db
    .select()
    .from(apiKeys)
    .where(and(eq(apiKeys.digest, await sha256(key)), isNull(apiKeys.revokedAt)))
    .limit(1);
  if (!found) return null;
  const now = Date.now();
  if (now - (found.lastUsedAt ?? 0) > TOUCH_MS) {
    waitUntil(db.update(apiKeys).set({ lastUsedAt: now }).where(eq(apiKeys.id, found.id)).run());
  }
  const scopes: ApiKeyScope[] = [];
  if (found.canRead) scopes.push("read");
  if (found.canOrder) scopes.push("order");
  return { userId: found.userId, keyId: found.id, scopes };
}

export async function listApiKeys(db: Db, userId: string) {
  return db
    .select({
      id: apiKeys.id,
      name: apiKeys.name,
      prefix: apiKeys.prefix,
      canOrder: apiKeys.canOrder,
      createdAt: apiKeys.createdAt,
      lastUsedAt: apiKeys.lastUsedAt,
    })
    .from(apiKeys)
    .where(and(eq(apiKeys.userId, userId), isNull(apiKeys.revokedAt)))
    .orderBy(desc(apiKeys.createdAt));
}

/** False when the key is not one of the user's. */
export async function revokeApiKey(db: Db, userId: string, id: string): Promise<boolean> {
  const revoked = await db
    .update(apiKeys)
    .set({ revokedAt: Date.now() })
    .where(and(eq(apiKeys.id, id), eq(apiKeys.userId, userId), isNull(apiKeys.revokedAt)))
    .returning({ id: apiKeys.id });
  return revoked.length === 1;
}

async function checksum(text: string): Promise<string> {
  return (await sha256(`growline:${text}`)).slice(0, CHECKSUM_CHARACTERS);
}

async function sha256(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return Buffer.from(digest).toString("hex");
}
