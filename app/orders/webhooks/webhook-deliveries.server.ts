import { and, asc, eq, isNotNull, isNull, lt, lte, type SQL, sql } from "drizzle-orm";
import { Webhook } from "standardwebhooks";
import { unseal } from "#app/crypto/seal.server.ts";
import type { Db } from "#app/db/db.server.ts";
import { countAttempt } from "#app/db/rate-limit.server.ts";
import { type Order, type WebhookEvent, wallets, webhookDeliveries, webhookEndpoints } from "#app/db/schema.server.ts";
import { runLogged } from "#app/http/log.ts";
import { isPublicUrl } from "#app/http/requests/public-url.ts";
import { decimal } from "#app/orders/rules/money.ts";
import type { FinalStatus } from "#app/orders/rules/order-status.ts";
import { CURRENCY } from "#app/product.ts";
import { secretContext, type WebhookEnv } from "./webhook-endpoints.server.ts";
import { nextAttempt } from "./webhook-retry.ts";

const SEND_AT_ONCE = 25;
const TIMEOUT_MS = 15_000;
/** Longer than a call may take, so that two turns do not send the same. */
const LEASE_MS = 60_000;
const KEPT_MS = 30 * 24 * 60 * 60 * 1000;
const MAX_ERROR_CHARACTERS = 300;
/** How long an endpoint may fail, without one call taken, before it is told nothing more. */
export const MAX_FAILING_MS = 3 * 24 * 60 * 60 * 1000;
const MAX_TESTS_AN_HOUR = 20;

type ClosedOrder = Pick<Order, "id" | "serviceId" | "userId" | "charge"> & {
  status: FinalStatus;
  remains: number;
  refunded: number;
};

const ORDER_EVENTS: Record<ClosedOrder["status"], WebhookEvent> = {
  Completed: "order.completed",
  Partial: "order.partial",
  Canceled: "order.canceled",
};

/** A statement for the batch that closes the order: one delivery for each of its owner's endpoints. */
export function queueOrderWebhook(db: Db, order: ClosedOrder) {
  const data = {
    order: order.id,
    service: order.serviceId,
    status: order.status,
    charge: decimal(order.charge - order.refunded, 2),
    remains: order.remains,
    currency: CURRENCY,
  };
  return tell(db, order.userId, ORDER_EVENTS[order.status], data);
}

/** Tells of balances that fell below what their owner asked to be told of, once until they are above it again. */
export async function queueLowBalanceWebhooks(db: Db): Promise<void> {
  const asked = and(isNotNull(wallets.lowBalanceThreshold), eq(wallets.lowBalanceNotified, false));
  const low = await db
    .select()
    .from(wallets)
    .where(and(asked, lt(wallets.balance, wallets.lowBalanceThreshold)))
    .limit(SEND_AT_ONCE);
  for (const { userId, balance, lowBalanceThreshold } of low) {
    const data = { balance: decimal(balance, 2), below: decimal(lowBalanceThreshold ?? 0, 2), currency: CURRENCY };
    await runLogged("low balance not announced", {}, () =>
      db.batch([
        tell(db, userId, "balance.low", data),
        db.update(wallets).set({ lowBalanceNotified: true }).where(eq(wallets.userId, userId)),
      ]),
    );
  }
  await db
    .update(wallets)
    .set({ lowBalanceNotified: false })
    .where(and(eq(wallets.lowBalanceNotified, true), sql`${wallets.balance} >= ${wallets.lowBalanceThreshold}`));
}

/** Sends what is due. Called by the cron trigger; two turns at once send nothing twice. */
export async function sendWebhooks(db: Db, env: WebhookEnv): Promise<void> {
  const now = Date.now();
  const due = await db
    .select({ id: webhookDeliveries.id, nextAttemptAt: webhookDeliveries.nextAttemptAt })
    .from(webhookDeliveries)
    .where(lte(webhookDeliveries.nextAttemptAt, now))
    .orderBy(asc(webhookDeliveries.nextAttemptAt))
    .limit(SEND_AT_ONCE);
  await Promise.all(
    due.map(({ id, nextAttemptAt }) =>
      // Its lease brings it back when it was claimed before it threw.
      runLogged("webhook not delivered", { delivery: id }, () => sendOne(db, env, id, nextAttemptAt ?? now)),
    ),
  );
}

/** The log is kept for 30 days. */
export async function deleteOldDeliveries(db: Db): Promise<void> {
  await db.delete(webhookDeliveries).where(lt(webhookDeliveries.createdAt, Date.now() - KEPT_MS));
}

async function sendOne(db: Db, env: WebhookEnv, id: string, dueAt: number): Promise<void> {
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
  const again = isTest(delivery) ? null : nextAttempt(delivery.attempts, now, Math.random());
  const written = db
    .update(webhookDeliveries)
    .set({
      lastStatus: outcome.status,
      lastError: outcome.error?.slice(0, MAX_ERROR_CHARACTERS) ?? null,
      deliveredAt: outcome.error === null ? now : null,
      nextAttemptAt: outcome.error === null ? null : again,
    })
    .where(eq(webhookDeliveries.id, id));
  if (outcome.error === null) {
    await db.batch([written, setFailing(db, endpoint.id, null)]);
    return;
  }
  const since = sql`coalesce(${webhookEndpoints.failingSince}, ${now})`;
  await db.batch([
    written,
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
    // What waits for an endpoint that is off is given up.
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
 * Calls the endpoint now with an event that means nothing, on or off, and answers what it said. Tried once. Null when
 * the endpoint is not the user's.
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
  const limit = { name: "webhook test", who: userId, max: MAX_TESTS_AN_HOUR, periodMs: 60 * 60 * 1000 };
  const turn = await countAttempt(db, [limit]);
  if (!turn.ok) return turn;
  const now = Date.now();
  const id = `msg_${crypto.randomUUID().replaceAll("-", "")}`;
  const body = JSON.stringify({
    type: "webhook.test",
    timestamp: new Date(now).toISOString(),
    data: { message: "A test that you asked for" },
  });
  await db
    .insert(webhookDeliveries)
    .values({ id, endpointId, event: "webhook.test", body, nextAttemptAt: now, createdAt: now });
  await sendOne(db, env, id, now);
  const [sent] = await db.select().from(webhookDeliveries).where(eq(webhookDeliveries.id, id));
  return { ok: true, status: sent?.lastStatus ?? null, error: sent?.lastError ?? null };
}

async function post(
  env: WebhookEnv,
  endpoint: typeof webhookEndpoints.$inferSelect,
  { id, body }: { id: string; body: string },
): Promise<{ status: number | null; error: string | null }> {
  // The rules may have changed since the address was taken.
  if (!isPublicUrl(endpoint.url, env.ENVIRONMENT === "local")) return { status: null, error: "address not allowed" };
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

function tell(db: Db, userId: string, event: WebhookEvent, data: object) {
  const now = Date.now();
  const body = JSON.stringify({ type: event, timestamp: new Date(now).toISOString(), data });
  return db.insert(webhookDeliveries).select(
    db
      .select({
        id: sql<string>`'msg_' || lower(hex(randomblob(16)))`.as("id"),
        endpointId: webhookEndpoints.id,
        event: sql<WebhookEvent>`${event}`.as("event"),
        body: sql<string>`${body}`.as("body"),
        attempts: sql<number>`0`.as("attempts"),
        nextAttemptAt: sql<number>`${now}`.as("next_attempt_at"),
        deliveredAt: sql<null>`null`.as("delivered_at"),
        lastStatus: sql<null>`null`.as("last_status"),
        lastError: sql<null>`null`.as("last_error"),
        createdAt: sql<number>`${now}`.as("created_at"),
      })
      .from(webhookEndpoints)
      .where(and(eq(webhookEndpoints.userId, userId), isNull(webhookEndpoints.disabledAt))),
  );
}
