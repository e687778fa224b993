import { eq, inArray, sql } from "drizzle-orm";
import type { Db } from "#app/db/db.server.ts";
import { alertDeliveries } from "#app/db/schema.server.ts";
import { firstLine, log, runLogged } from "#app/http/log.ts";
import { type PostResult, postSigned } from "#app/http/outgoing/signed-post.ts";
import { nextAttempt } from "#app/http/outgoing/webhook-retry.ts";
import { type AlertEnv, alertChannels } from "./alert-channels.ts";

const DELIVERIES_PER_RUN = 10;
/** Longer than a call may take. What a killed run has claimed is sent again after it. */
const LEASE_MS = 60_000;

type Delivery = typeof alertDeliveries.$inferSelect;

/**
 * Posts the alerts that are due to the webhook, and tries failed ones again by the schedule of customers' webhooks. Each
 * is claimed first, so that overlapping runs send it once; one that a kill cut off is sent again under the same
 * `webhook-id`. The end of an alert waits for its beginning.
 */
export async function deliverAlerts(db: Db, env: AlertEnv): Promise<void> {
  const claimed = await claim(db, Date.now());
  await Promise.all(
    claimed.map((delivery) =>
      runLogged("alert not delivered", { delivery: delivery.id }, () => deliver(db, env, delivery)),
    ),
  );
}

async function claim(db: Db, now: number): Promise<Delivery[]> {
  const due = sql`(select d.id from ${alertDeliveries} d where d.next_attempt_at <= ${now}
    and not exists (select 1 from ${alertDeliveries} e
      where e.alert_id = d.alert_id and e.created_at < d.created_at and e.next_attempt_at is not null)
    order by d.next_attempt_at limit ${DELIVERIES_PER_RUN})`;
  return db
    .update(alertDeliveries)
    .set({ attempts: sql`${alertDeliveries.attempts} + 1`, nextAttemptAt: now + LEASE_MS })
    .where(inArray(alertDeliveries.id, due))
    .returning();
}

async function deliver(db: Db, env: AlertEnv, { id, body, attempts }: Delivery): Promise<void> {
  const { status, error } = await post(env, id, body);
  const now = Date.now();
  if (error !== null) log("warn", "alert webhook failed", { delivery: id, status, attempts });
  await db
    .update(alertDeliveries)
    .set({
      lastStatus: status,
      lastError: error,
      deliveredAt: error === null ? now : null,
      nextAttemptAt: error === null ? null : nextAttempt(attempts, now, Math.random()),
    })
    .where(eq(alertDeliveries.id, id));
}

async function post(env: AlertEnv, messageId: string, body: string): Promise<PostResult> {
  const { webhook } = alertChannels(env);
  if (!webhook) return { status: null, error: "No webhook is set" };
  try {
    const { url, secret } = webhook;
    return await postSigned({ url, messageId, body, secrets: [secret] }, { local: env.ENVIRONMENT === "local" });
  } catch (error) {
    return { status: null, error: firstLine(error) };
  }
}

/** Returns the statement that reads the last attempt at the webhook. There are few deliveries: two per alert of 90 days. */
export function selectLastDelivery(db: Db) {
  return db
    .select({
      createdAt: alertDeliveries.createdAt,
      attempts: alertDeliveries.attempts,
      lastError: alertDeliveries.lastError,
      deliveredAt: alertDeliveries.deliveredAt,
    })
    .from(alertDeliveries)
    .orderBy(sql`${alertDeliveries.createdAt} desc`)
    .limit(1);
}
