import { and, eq, isNull, sql } from "drizzle-orm";
import type { Db } from "#app/db/db.server.ts";
import { countAttempt } from "#app/db/rate-limit.server.ts";
import { webhookDeliveries, webhookEndpoints } from "#app/db/schema.server.ts";
import type { PostResult } from "#app/http/outgoing/signed-post.ts";
import { HOUR_MS } from "#app/time.ts";
import { noteSuccess, startFailing } from "./deliver-webhooks.server.ts";
import { isWanted } from "./endpoint-wants.ts";
import { isPending } from "./pending-deliveries.server.ts";
import { postWebhook } from "./post-webhook.server.ts";
import { type WakeEnv, wakeEndpoints } from "./wake-endpoints.server.ts";
import { ownEndpoint, type WebhookEnv } from "./webhook-endpoints.server.ts";

const MAX_TESTS_PER_HOUR = 20;

/**
 * Queues a delivery of the user again under its `webhook-id`, at its place in the order, and retries the endpoint's first
 * pending delivery at once.
 */
export async function resendDelivery(
  db: Db,
  env: WakeEnv,
  userId: string,
  deliveryId: number,
): Promise<{ ok: true } | { ok: false; reason: "not_found" | "endpoint_off" | "unwanted" }> {
  const [found] = await db
    .select({
      endpointId: webhookEndpoints.id,
      event: webhookDeliveries.event,
      wantsOrders: webhookEndpoints.wantsOrders,
      wantsCatalog: webhookEndpoints.wantsCatalog,
    })
    .from(webhookDeliveries)
    .innerJoin(webhookEndpoints, eq(webhookEndpoints.id, webhookDeliveries.endpointId))
    .where(and(eq(webhookDeliveries.id, deliveryId), eq(webhookEndpoints.userId, userId)));
  if (!found) return { ok: false, reason: "not_found" };
  if (!isWanted(found.event, found)) return { ok: false, reason: "unwanted" };
  const { endpointId } = found;
  const on = db
    .select({ id: webhookEndpoints.id })
    .from(webhookEndpoints)
    .where(and(eq(webhookEndpoints.id, endpointId), isNull(webhookEndpoints.disabledAt)));
  const [queued] = await db.batch([
    db
      .update(webhookDeliveries)
      .set({ nextAttemptAt: Date.now(), attempts: 0, deliveredAt: null })
      .where(and(eq(webhookDeliveries.id, deliveryId), eq(webhookDeliveries.endpointId, sql`${on}`)))
      .returning({ endpointId: webhookDeliveries.endpointId }),
    retryHead(db, endpointId),
  ]);
  if (queued.length === 0) return { ok: false, reason: "endpoint_off" };
  await wakeEndpoints(env, queued);
  return { ok: true };
}

/**
 * Sends a test event to the endpoint at once and outside its queue, whether it is on or off and whatever it wants, without
 * retries. A success also retries the queue. Returns null if the endpoint does not exist or is another user's.
 */
export async function testEndpoint(
  db: Db,
  env: WebhookEnv & WakeEnv,
  userId: string,
  endpointId: string,
): Promise<({ ok: true } & PostResult) | { ok: false; retryAfterSeconds: number } | null> {
  const [endpoint] = await db.select().from(webhookEndpoints).where(ownEndpoint(userId, endpointId)).limit(1);
  if (!endpoint) return null;
  const limit = { name: "webhook test", who: userId, max: MAX_TESTS_PER_HOUR, periodMs: HOUR_MS };
  const attempt = await countAttempt(db, [limit]);
  if (!attempt.ok) return attempt;
  const event = testEvent(endpointId);
  const [stored] = await db.insert(webhookDeliveries).values(event).returning({ id: webhookDeliveries.id });
  const result = await postWebhook(env, { ...endpoint, ...event });
  const now = Date.now();
  const record = db
    .update(webhookDeliveries)
    .set({
      attempts: 1,
      lastStatus: result.status,
      lastError: result.error,
      deliveredAt: result.error === null ? now : null,
    })
    .where(and(eq(webhookDeliveries.id, stored?.id ?? 0), eq(webhookDeliveries.messageId, event.messageId)));
  if (result.error === null) {
    await db.batch([record, noteSuccess(db, endpointId), retryHead(db, endpointId)]);
    await wakeEndpoints(env, [{ endpointId }]);
  } else {
    // Shows that it fails. Only deliveries turn it off.
    await db.batch([record, startFailing(db, endpointId, now)]);
  }
  return { ok: true, ...result };
}

function testEvent(endpointId: string) {
  const now = Date.now();
  const messageId = `msg_${crypto.randomUUID().replaceAll("-", "")}`;
  const timestamp = new Date(now).toISOString();
  const body = JSON.stringify({ type: "webhook.test", timestamp, data: { message: "Test event" } });
  return { messageId, endpointId, event: "webhook.test", body, createdAt: now } as const;
}

/** Returns the statement that makes an endpoint's first pending delivery due, with all its retries. */
function retryHead(db: Db, endpointId: string) {
  const head = sql`(select min(id) from ${webhookDeliveries} where endpoint_id = ${endpointId} and next_attempt_at is not null)`;
  return db
    .update(webhookDeliveries)
    .set({ nextAttemptAt: Date.now(), attempts: 0 })
    .where(and(eq(webhookDeliveries.id, head), isPending));
}
