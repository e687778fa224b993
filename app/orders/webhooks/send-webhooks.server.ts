import { and, asc, eq, isNotNull, isNull, lt, lte, type SQL, sql } from "drizzle-orm";
import { Webhook } from "standardwebhooks";
import { unseal } from "#app/crypto/seal.server.ts";
import type { Db } from "#app/db/db.server.ts";
import { deleteOldest, MANY_ROWS } from "#app/db/delete-in-chunks.server.ts";
import { countAttempt } from "#app/db/rate-limit.server.ts";
import { type WebhookEvent, webhookDeliveries, webhookEndpoints } from "#app/db/schema.server.ts";
import { runLogged } from "#app/http/log.ts";
import { isPublicUrl } from "#app/http/requests/public-url.ts";
import { secretContext, type WebhookEnv } from "./webhook-endpoints.server.ts";
import { nextAttempt } from "./webhook-retry.ts";

const DELIVERIES_PER_RUN = 25;
const TIMEOUT_MS = 15_000;
/** Longer than a call may take, so that two overlapping runs never send the same delivery. */
const LEASE_MS = 60_000;
const DELIVERY_RETENTION_MS = 30 * 24 * 60 * 60 * 1000;
const MAX_ERROR_CHARACTERS = 300;
/** How long an endpoint may fail without a single success before it is turned off. */
export const MAX_FAILING_MS = 3 * 24 * 60 * 60 * 1000;
const MAX_TESTS_PER_HOUR = 20;

/** Sends the deliveries that are due, each at most once even if two runs overlap. */
export async function sendWebhooks(db: Db, env: WebhookEnv): Promise<void> {
  const now = Date.now();
  const due = await db
    .select({ id: webhookDeliveries.id, nextAttemptAt: webhookDeliveries.nextAttemptAt })
    .from(webhookDeliveries)
    .where(lte(webhookDeliveries.nextAttemptAt, now))
    .orderBy(asc(webhookDeliveries.nextAttemptAt))
    .limit(DELIVERIES_PER_RUN);
  await Promise.all(
    due.map(({ id, nextAttemptAt }) =>
      // A delivery that was claimed before the error becomes due again when its lease ends.
      runLogged("webhook not delivered", { delivery: id }, () => deliver(db, env, id, nextAttemptAt ?? now)),
    ),
  );
}

export async function deleteOldDeliveries(db: Db): Promise<void> {
  const isOld = lt(webhookDeliveries.createdAt, Date.now() - DELIVERY_RETENTION_MS);
  await deleteOldest(db, webhookDeliveries, { isOld }, MANY_ROWS);
}

async function deliver(db: Db, env: WebhookEnv, id: string, dueAt: number): Promise<void> {
  const [delivery] = await db
    .update(webhookDeliveries)
    .set({ nextAttemptAt: Date.now() + LEASE_MS, attempts: sql`${webhookDeliveries.attempts} + 1` })
    .where(and(eq(webhookDeliveries.id, id), eq(webhookDeliveries.nextAttemptAt, dueAt)))
    .returning();
  if (!delivery) return;
  const [endpoint] = await db.select().from(webhookEndpoints).where(eq(webhookEndpoints.id, delivery.endpointId));
  if (!endpoint) return;
  const outcome = await post(env, endpoint, delivery);
  const now = Date.now();
  const retryAt = isTest(delivery) ? null : nextAttempt(delivery.attempts, now, Math.random());
  const store = db
    .update(webhookDeliveries)
    .set({
      lastStatus: outcome.status,
      lastError: outcome.error?.slice(0, MAX_ERROR_CHARACTERS) ?? null,
      deliveredAt: outcome.error === null ? now : null,
      nextAttemptAt: outcome.error === null ? null : retryAt,
    })
    .where(eq(webhookDeliveries.id, id));
  if (outcome.error === null) {
    await db.batch([store, setFailing(db, endpoint.id, null)]);
    return;
  }
  const since = sql`coalesce(${webhookEndpoints.failingSince}, ${now})`;
  await db.batch([
    store,
    setFailing(db, endpoint.id, since),
    db
      .update(webhookEndpoints)
      .set({ disabledAt: now })
      .where(
        and(
          eq(webhookEndpoints.id, endpoint.id),
          isNull(webhookEndpoints.disabledAt),
          lte(webhookEndpoints.failingSince, now - MAX_FAILING_MS),
        ),
      ),
    // Cancels what is still queued for an endpoint that is off.
    db
      .update(webhookDeliveries)
      .set({ nextAttemptAt: null })
      .where(
        and(
          eq(webhookDeliveries.endpointId, endpoint.id),
          isNotNull(webhookDeliveries.nextAttemptAt),
          sql`exists (select 1 from ${webhookEndpoints} where ${webhookEndpoints.id} = ${endpoint.id} and ${webhookEndpoints.disabledAt} is not null)`,
        ),
      ),
  ]);
}

function setFailing(db: Db, endpointId: string, since: SQL | null) {
  return db.update(webhookEndpoints).set({ failingSince: since }).where(eq(webhookEndpoints.id, endpointId));
}

function isTest({ event }: { event: WebhookEvent }): boolean {
  return event === "webhook.test";
}

/**
 * Sends a test event to the endpoint at once, whether it is on or off, without retries. Returns null if the endpoint
 * does not exist or is another user's.
 */
export async function testEndpoint(
  db: Db,
  env: WebhookEnv,
  userId: string,
  endpointId: string,
): Promise<
  { ok: true; status: number | null; error: string | null } | { ok: false; retryAfterSeconds: number } | null
> {
  const own = and(eq(webhookEndpoints.id, endpointId), eq(webhookEndpoints.userId, userId));
  const [endpoint] = await db.select({ id: webhookEndpoints.id }).from(webhookEndpoints).where(own).limit(1);
  if (!endpoint) return null;
  const limit = { name: "webhook test", who: userId, max: MAX_TESTS_PER_HOUR, periodMs: 60 * 60 * 1000 };
  const attempt = await countAttempt(db, [limit]);
  if (!attempt.ok) return attempt;
  const now = Date.now();
  const id = `msg_${crypto.randomUUID().replaceAll("-", "")}`;
  const body = JSON.stringify({
    type: "webhook.test",
    timestamp: new Date(now).toISOString(),
    data: { message: "Test event" },
  });
  await db
    .insert(webhookDeliveries)
    .values({ id, endpointId, event: "webhook.test", body, nextAttemptAt: now, createdAt: now });
  await deliver(db, env, id, now);
  const [sent] = await db.select().from(webhookDeliveries).where(eq(webhookDeliveries.id, id));
  return { ok: true, status: sent?.lastStatus ?? null, error: sent?.lastError ?? null };
}

async function post(
  env: WebhookEnv,
  endpoint: typeof webhookEndpoints.$inferSelect,
  { id, body }: { id: string; body: string },
): Promise<{ status: number | null; error: string | null }> {
  // Checks again: the rules may have changed since the endpoint was added.
  if (!isPublicUrl(endpoint.url, env.ENVIRONMENT === "local")) return { status: null, error: "URL not allowed" };
  try {
    const at = new Date();
    const response = await fetch(endpoint.url, {
      method: "POST",
      body,
      headers: {
        "Content-Type": "application/json",
        "webhook-id": id,
        "webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
        "webhook-signature": (await signatures(env, endpoint, id, at, body)).join(" "),
      },
      redirect: "manual",
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    await response.body?.cancel();
    return { status: response.status, error: response.ok ? null : `HTTP ${response.status}` };
  } catch (error) {
    return { status: null, error: String(error) };
  }
}

/** Signs with the current secret and, during a rotation, with the previous one as well. */
async function signatures(
  env: WebhookEnv,
  endpoint: typeof webhookEndpoints.$inferSelect,
  id: string,
  at: Date,
  body: string,
): Promise<string[]> {
  const overlaps = (endpoint.previousUntil ?? 0) > at.getTime();
  const sealed = [endpoint.secret, ...(overlaps && endpoint.previousSecret ? [endpoint.previousSecret] : [])];
  return Promise.all(
    sealed.map(async (value) =>
      new Webhook(await unseal(env.ENCRYPTION_KEYS, secretContext(endpoint.id), value)).sign(id, at, body),
    ),
  );
}
