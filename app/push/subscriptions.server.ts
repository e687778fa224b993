import { and, eq, gte, inArray, lt, sql } from "drizzle-orm";
import { z } from "zod";
import { seal } from "#app/crypto/seal.server.ts";
import { sha256 } from "#app/crypto/sha256.server.ts";
import { type Db, violates } from "#app/db/db.server.ts";
import { deleteInChunks } from "#app/db/delete-in-chunks.server.ts";
import { isSessionOpen } from "#app/db/open-session.server.ts";
import { countAttempt, type LimitResult } from "#app/db/rate-limit.server.ts";
import { authSessions, DEVICE_KINDS, pushSubscriptions } from "#app/db/schema.server.ts";
import { DAY_MS, HOUR_MS } from "#app/time.ts";
import { FCM_HOST, hasFcm } from "./fcm.server.ts";
import { areBrowserKeys } from "./message-encryption.server.ts";
import { isPushServiceUrl } from "./push-service-url.ts";
import type { PushEnv, Target } from "./send-push.server.ts";
import { vapidKeys } from "./vapid.server.ts";

/** Whoever a device belongs to: an account with the session it is used in, or a visitor by their conversation. */
export type Owner = { id: string; session: { userId: string; sessionId: string } | null };

const MAX_DEVICES = 10;
const CHANGES_PER_HOUR = 60;
const MAX_ENDPOINT_CHARACTERS = 1000;
const MAX_TOKEN_CHARACTERS = 1000;
/** As long as a visitor's browser keeps its conversation. */
const UNSEEN_MS = 180 * DAY_MS;

const base64url = z
  .string()
  .max(200)
  .regex(/^[\w-]+={0,2}$/);
const browser = z.object({
  kind: z.literal("web"),
  endpoint: z.string().max(MAX_ENDPOINT_CHARACTERS),
  keys: z.object({ p256dh: base64url, auth: base64url }),
});
const phone = z.object({
  kind: z.enum(DEVICE_KINDS).exclude(["web"]),
  token: z
    .string()
    .min(20)
    .max(MAX_TOKEN_CHARACTERS)
    .regex(/^[\w:.-]+$/),
});
const device = z.discriminatedUnion("kind", [browser, phone]);
/** `replaces`: the subscription that the browser had before. */
const saved = device.and(z.object({ replaces: browser.optional() }));

export type Device = z.infer<typeof device>;
export type SavedDevice = z.infer<typeof saved>;

export function parseDevice(body: unknown): Device | null {
  return device.safeParse(body).data ?? null;
}

export function parseSavedDevice(body: unknown): SavedDevice | null {
  return saved.safeParse(body).data ?? null;
}

/** Returns the owner id of an account: the id of its conversation as well. */
export function ownerOfAccount(userId: string): string {
  return `user_${userId}`;
}

export type SaveResult =
  | { ok: true }
  | { ok: false; reason: "bad_device" | "not_available" | "not_yours" | "session_ended" };

/**
 * Saves a device of its owner, at most ten, of which the one not seen for longest goes. A device that somebody else had,
 * on a shared browser, moves: whoever names its endpoint and both keys is that browser.
 */
export async function saveDevice(db: Db, env: PushEnv, owner: Owner, given: SavedDevice): Promise<SaveResult> {
  const newestKey = given.kind === "web" ? vapidKeys(env)[0]?.publicKey : hasFcm(env) ? "" : undefined;
  if (newestKey === undefined) return { ok: false, reason: "not_available" };
  if (given.kind === "web") {
    const isOurs = isPushServiceUrl(given.endpoint, env.ENVIRONMENT === "local") && (await areBrowserKeys(given.keys));
    if (!isOurs) return { ok: false, reason: "bad_device" };
  }
  const replaced = given.replaces && (await removeDevice(db, owner, given.replaces));
  if (replaced === null) return { ok: false, reason: "not_yours" };
  // A browser renews a subscription by the key it was made with.
  const serverKey = replaced?.serverKey ?? newestKey;
  const digest = digestOf(given);
  const now = Date.now();
  const target: Target = given.kind === "web" ? { endpoint: given.endpoint, keys: given.keys } : { token: given.token };
  const row = {
    owner: owner.id,
    sessionId: owner.session?.sessionId ?? null,
    service: given.kind === "web" ? new URL(given.endpoint).host : FCM_HOST,
    serverKey,
    sealedTarget: await seal(env.ENCRYPTION_KEYS, targetContext(digest), JSON.stringify(target)),
    seenAt: now,
  };
  const { id, owner: ownerOf, seenAt } = pushSubscriptions;
  // NULL, which the column refuses, if the session has ended since the request was let in.
  const ownerId = owner.session ? sql`iif(${isSessionOpen(owner.session)}, ${owner.id}, null)` : owner.id;
  const newest = db
    .select({ id })
    .from(pushSubscriptions)
    .where(eq(ownerOf, owner.id))
    .orderBy(sql`${seenAt} desc`, sql`rowid desc`)
    .limit(MAX_DEVICES);
  const statements = [
    // A device that moves takes nothing along that was queued for its owner before.
    db.delete(pushSubscriptions).where(and(eq(pushSubscriptions.digest, digest), sql`${ownerOf} <> ${owner.id}`)),
    db
      .insert(pushSubscriptions)
      .values({ id: crypto.randomUUID(), digest, kind: given.kind, createdAt: now, ...row, owner: ownerId })
      .onConflictDoUpdate({ target: pushSubscriptions.digest, set: row }),
    db.delete(pushSubscriptions).where(and(eq(ownerOf, owner.id), sql`${id} not in ${newest}`)),
  ] as const;
  try {
    await db.batch(statements);
  } catch (error) {
    if (violates(error, "push_subscriptions.owner")) return { ok: false, reason: "session_ended" };
    throw error;
  }
  return { ok: true };
}

/** Counts a change that the owner makes to their devices. */
export function limitChanges(db: Db, owner: Pick<Owner, "id">): Promise<LimitResult> {
  return countAttempt(db, [{ name: "push", who: owner.id, max: CHANGES_PER_HOUR, periodMs: HOUR_MS }]);
}

/** Removes a device and returns it, or null if it is not this owner's. */
export async function removeDevice(
  db: Db,
  owner: Pick<Owner, "id">,
  given: Device,
): Promise<{ serverKey: string } | null> {
  const [removed] = await db
    .delete(pushSubscriptions)
    .where(and(eq(pushSubscriptions.digest, digestOf(given)), eq(pushSubscriptions.owner, owner.id)))
    .returning({ serverKey: pushSubscriptions.serverKey });
  return removed ?? null;
}

/**
 * Returns the digests of the owner's devices, by which a browser finds out whether it is among them: for an account, of the
 * session it has now. Nothing is sent to a device that was turned on in a session that has ended since.
 */
export async function listDigests(db: Db, owner: Owner): Promise<string[]> {
  const rows = await db
    .select({ digest: pushSubscriptions.digest })
    .from(pushSubscriptions)
    .where(
      and(
        eq(pushSubscriptions.owner, owner.id),
        owner.session ? eq(pushSubscriptions.sessionId, owner.session.sessionId) : undefined,
      ),
    );
  return rows.map(({ digest }) => digest);
}

/** Moves a visitor's devices to the account that has taken over their conversation. */
export async function moveDevices(db: Db, visitorId: string, to: { userId: string; sessionId: string }): Promise<void> {
  await db
    .update(pushSubscriptions)
    .set({ owner: ownerOfAccount(to.userId), sessionId: to.sessionId })
    .where(and(eq(pushSubscriptions.owner, visitorId), isSessionOpen(to)));
}

export async function deleteDevices(db: Db, ownerId: string): Promise<void> {
  await db.delete(pushSubscriptions).where(eq(pushSubscriptions.owner, ownerId));
}

/**
 * Deletes the devices of sessions that were ended since then. Where that is cut off, or a session reaches a limit instead,
 * it is noticed before anything is sent to the device.
 */
export async function deleteDevicesOfEndedSessions(db: Db, since: number): Promise<void> {
  const ended = db.select({ id: authSessions.id }).from(authSessions).where(gte(authSessions.revokedAt, since));
  await db.delete(pushSubscriptions).where(inArray(pushSubscriptions.sessionId, ended));
}

export async function deleteUnseenDevices(db: Db, now = Date.now()): Promise<void> {
  await deleteInChunks(db, pushSubscriptions, lt(pushSubscriptions.seenAt, now - UNSEEN_MS));
}

/** Returns the digest that names a device. The browser computes the same. */
function digestOf(given: Device): string {
  return sha256(given.kind === "web" ? [given.endpoint, given.keys.p256dh, given.keys.auth].join(" ") : given.token);
}

/** Binds a sealed target to its row. */
export function targetContext(digest: string): string {
  return `push:${digest}`;
}
