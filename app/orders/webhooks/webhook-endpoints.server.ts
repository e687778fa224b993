import { and, desc, eq, inArray, type SQL, sql } from "drizzle-orm";
import { seal } from "#app/crypto/seal.server.ts";
import type { Db } from "#app/db/db.server.ts";
import { hasOpenSession, isSessionOpen, type SessionOwner } from "#app/db/open-session.server.ts";
import { WEBHOOK_EVENTS, wallets, webhookDeliveries, webhookEndpoints } from "#app/db/schema.server.ts";
import { hasConfirmedEmail, isEmailConfirmed } from "#app/email/confirmed-email.server.ts";
import { isPublicUrl } from "#app/http/outgoing/public-url.ts";
import { newestNews } from "#app/orders/catalog/service-changes.server.ts";
import { DAY_MS } from "#app/time.ts";
import { type EndpointWants, isWanted, WANTS_OF_NEW_ENDPOINT } from "./endpoint-wants.ts";
import { type WakeEnv, wakeEndpoints } from "./wake-endpoints.server.ts";

export type WebhookEnv = Pick<Env, "ENCRYPTION_KEYS" | "ENVIRONMENT">;

const SECRET_BYTES = 24;
const MAX_ENDPOINTS = 5;
const MAX_URL_CHARACTERS = 2000;
/** How long the previous secret keeps signing after a rotation. */
export const SECRET_OVERLAP_MS = DAY_MS;

export type EndpointRefusal = "bad_url" | "too_many" | "email_unconfirmed" | "session_ended";

/** Adds an endpoint and returns its secret ("whsec_…") in plain text, which is possible only here. */
export async function createEndpoint(
  db: Db,
  env: WebhookEnv,
  owner: SessionOwner,
  url: string,
  wants: EndpointWants = WANTS_OF_NEW_ENDPOINT,
): Promise<{ ok: true; id: string; secret: string } | { ok: false; reason: EndpointRefusal }> {
  if (url.length > MAX_URL_CHARACTERS || !isPublicUrl(url, env.ENVIRONMENT === "local")) {
    return { ok: false, reason: "bad_url" };
  }
  const { userId } = owner;
  const id = crypto.randomUUID();
  const secret = newSecret();
  const sealed = await seal(env.ENCRYPTION_KEYS, secretContext(id), secret);
  const owned = sql`(select count(*) from ${webhookEndpoints} where ${webhookEndpoints.userId} = ${userId})`;
  const inserted = await db.run(
    sql`insert into ${webhookEndpoints} (id, user_id, url, secret, created_at, wants_orders, wants_catalog, catalog_seen)
        select ${id}, ${userId}, ${url}, ${sealed}, ${Date.now()},
          ${Number(wants.wantsOrders)}, ${Number(wants.wantsCatalog)}, ${newestNews()}
        where ${owned} < ${MAX_ENDPOINTS} and ${isEmailConfirmed(userId)} and ${isSessionOpen(owner)}`,
  );
  // D1 counts what triggers write too, and a running backup has one.
  if (inserted.meta.changes > 0) return { ok: true, id, secret };
  if (!(await hasOpenSession(db, owner))) return { ok: false, reason: "session_ended" };
  return { ok: false, reason: (await hasConfirmedEmail(db, userId)) ? "too_many" : "email_unconfirmed" };
}

/**
 * Replaces the secret and returns the new one. The previous secret signs as well for `SECRET_OVERLAP_MS`. Returns null
 * if the endpoint does not exist or is another user's, or the session has ended.
 */
export async function rotateSecret(db: Db, env: WebhookEnv, owner: SessionOwner, id: string): Promise<string | null> {
  const secret = newSecret();
  const rotated = await db
    .update(webhookEndpoints)
    .set({
      secret: await seal(env.ENCRYPTION_KEYS, secretContext(id), secret),
      previousSecret: sql`${webhookEndpoints.secret}`,
      previousUntil: Date.now() + SECRET_OVERLAP_MS,
    })
    .where(and(ownEndpoint(owner.userId, id), isSessionOpen(owner)))
    .returning({ id: webhookEndpoints.id });
  return rotated.length === 1 ? secret : null;
}

export async function listEndpoints(db: Db, userId: string) {
  return db
    .select({
      id: webhookEndpoints.id,
      url: webhookEndpoints.url,
      createdAt: webhookEndpoints.createdAt,
      failingSince: webhookEndpoints.failingSince,
      disabledAt: webhookEndpoints.disabledAt,
      wantsOrders: webhookEndpoints.wantsOrders,
      wantsCatalog: webhookEndpoints.wantsCatalog,
    })
    .from(webhookEndpoints)
    .where(eq(webhookEndpoints.userId, userId))
    .orderBy(desc(webhookEndpoints.createdAt));
}

/**
 * Turns on an endpoint that is off, and returns its URL. Returns null if it does not exist or is another user's, or the
 * session has ended.
 */
export async function enableEndpoint(db: Db, owner: SessionOwner, id: string): Promise<string | null> {
  const enabled = await db
    .update(webhookEndpoints)
    .set({ disabledAt: null, failingSince: null })
    .where(and(ownEndpoint(owner.userId, id), isSessionOpen(owner)))
    .returning({ url: webhookEndpoints.url });
  return enabled[0]?.url ?? null;
}

/**
 * Sets what an endpoint gets, and returns its URL. One that begins to want catalog changes hears of those from now on; what
 * waits and isn't wanted anymore isn't sent. Returns null if it does not exist or is another user's, or the session has ended.
 */
export async function chooseEvents(
  db: Db,
  env: WakeEnv,
  owner: SessionOwner,
  { id, wants }: { id: string; wants: EndpointWants },
): Promise<string | null> {
  const own = and(ownEndpoint(owner.userId, id), isSessionOpen(owner));
  const catalogSeen = sql`iif(${webhookEndpoints.wantsCatalog} = 1, ${webhookEndpoints.catalogSeen}, ${newestNews()})`;
  const endpoint = db.select({ id: webhookEndpoints.id }).from(webhookEndpoints).where(own);
  const head = sql`(select min(id) from ${webhookDeliveries} where endpoint_id = ${endpoint} and next_attempt_at is not null)`;
  const unwanted = WEBHOOK_EVENTS.filter((event) => !isWanted(event, wants));
  const [chosen, due] = await db.batch([
    db
      .update(webhookEndpoints)
      .set({ ...wants, catalogSeen })
      .where(own)
      .returning({ url: webhookEndpoints.url }),
    // The dispatcher gives it up at once, not when its next attempt was due, and sends what waits behind it.
    db
      .update(webhookDeliveries)
      .set({ nextAttemptAt: Date.now() })
      .where(and(eq(webhookDeliveries.id, head), inArray(webhookDeliveries.event, unwanted)))
      .returning({ endpointId: webhookDeliveries.endpointId }),
  ]);
  await wakeEndpoints(env, due);
  return chosen[0]?.url ?? null;
}

/** Deletes an endpoint and its log. Returns false if it does not exist or is another user's. */
export async function deleteEndpoint(db: Db, userId: string, id: string): Promise<boolean> {
  const deleted = await db
    .delete(webhookEndpoints)
    .where(ownEndpoint(userId, id))
    .returning({ id: webhookEndpoints.id });
  return deleted.length === 1;
}

export async function listDeliveries(db: Db, userId: string, endpointId: string, limit: number) {
  return db
    .select({ delivery: webhookDeliveries })
    .from(webhookDeliveries)
    .innerJoin(webhookEndpoints, eq(webhookEndpoints.id, webhookDeliveries.endpointId))
    .where(ownEndpoint(userId, endpointId))
    .orderBy(desc(webhookDeliveries.id))
    .limit(limit);
}

/** Matches the endpoint if it is the user's. */
export function ownEndpoint(userId: string, id: string): SQL | undefined {
  return and(eq(webhookEndpoints.id, id), eq(webhookEndpoints.userId, userId));
}

/** Sets the balance (micro-units) below which `balance.low` is sent; null for never. */
export async function setLowBalanceThreshold(db: Db, userId: string, below: number | null): Promise<void> {
  await db
    .update(wallets)
    .set({ lowBalanceThreshold: below, lowBalanceNotified: false })
    .where(eq(wallets.userId, userId));
}

/** Returns the additional data of a sealed secret, which makes it readable only in its endpoint's row. */
export function secretContext(endpointId: string): string {
  return `webhook:${endpointId}`;
}

function newSecret(): string {
  return `whsec_${Buffer.from(crypto.getRandomValues(new Uint8Array(SECRET_BYTES))).toString("base64")}`;
}
