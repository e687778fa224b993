import { and, asc, eq, isNull, lte, type SQL, sql } from "drizzle-orm";
import type { Db } from "#app/db/db.server.ts";
import { webhookDeliveries, webhookEndpoints } from "#app/db/schema.server.ts";
import { isPending } from "./pending-deliveries.server.ts";
import { type PostResult, postWebhook } from "./post-webhook.server.ts";
import type { WebhookEnv } from "./webhook-endpoints.server.ts";
import { nextAttempt } from "./webhook-retry.ts";

/** A round ends after this many deliveries or this long, so that it stays below the platform's limits per alarm. */
const DELIVERIES_PER_ROUND = 200;
const ROUND_MS = 60_000;
/** How long an endpoint may fail without a single success before it is turned off. */
export const MAX_FAILING_MS = 3 * 24 * 60 * 60 * 1000;

type Head = Awaited<ReturnType<typeof selectHead>>[number];

/**
 * Sends the pending deliveries of an endpoint one after the other, oldest first. One that fails is tried again later, and
 * the ones behind it wait. Returns in how many ms the next attempt is due, or null if nothing is pending.
 *
 * Only the endpoint's dispatcher runs this, so no delivery is claimed: one that was sent but not recorded, because of a
 * kill, is sent again under the same `webhook-id`.
 */
export async function deliverQueue(db: Db, env: WebhookEnv, endpointId: string): Promise<number | null> {
  const until = Date.now() + ROUND_MS;
  let [head] = await selectHead(db, endpointId);
  for (let sent = 0; head; sent++) {
    const wait = (head.nextAttemptAt ?? 0) - Date.now();
    if (wait > 0) return wait;
    if (sent === DELIVERIES_PER_ROUND || Date.now() > until) return 0;
    head = await recordAttempt(db, head, await postWebhook(env, head));
  }
  return null;
}

/** Selects the first pending delivery of an endpoint, unless the endpoint is off. */
function selectHead(db: Db, endpointId: string) {
  return db
    .select({
      // Flat, because a batch returns rows by the names of their columns.
      id: webhookDeliveries.id,
      messageId: webhookDeliveries.messageId,
      endpointId: webhookDeliveries.endpointId,
      event: webhookDeliveries.event,
      body: webhookDeliveries.body,
      attempts: webhookDeliveries.attempts,
      nextAttemptAt: webhookDeliveries.nextAttemptAt,
      url: webhookEndpoints.url,
      secret: webhookEndpoints.secret,
      previousSecret: webhookEndpoints.previousSecret,
      previousUntil: webhookEndpoints.previousUntil,
      failingSince: webhookEndpoints.failingSince,
    })
    .from(webhookDeliveries)
    .innerJoin(webhookEndpoints, eq(webhookEndpoints.id, webhookDeliveries.endpointId))
    .where(and(eq(webhookDeliveries.endpointId, endpointId), isPending, isNull(webhookEndpoints.disabledAt)))
    .orderBy(asc(webhookDeliveries.id))
    .limit(1);
}

/** Stores the result of an attempt and returns the endpoint's next delivery. */
async function recordAttempt(db: Db, head: Head, result: PostResult): Promise<Head | undefined> {
  const { id, endpointId, failingSince } = head;
  const now = Date.now();
  const attempts = head.attempts + 1;
  const update = (next: SQL | null, deliveredAt: number | null) =>
    db
      .update(webhookDeliveries)
      .set({ attempts, lastStatus: result.status, lastError: result.error, nextAttemptAt: next, deliveredAt })
      .where(eq(webhookDeliveries.id, id));
  if (result.error === null) {
    // The endpoint is written only when it changes.
    const recovery = failingSince === null ? [] : [noteSuccess(db, endpointId)];
    const [, heads] = await db.batch([update(null, now), selectHead(db, endpointId), ...recovery]);
    return heads[0];
  }
  const isTest = head.event === "webhook.test";
  const retryAt = isTest ? null : nextAttempt(attempts, now, Math.random());
  await db.batch([
    // A test event may have turned the endpoint off meanwhile.
    update(sql`iif(${isOff(endpointId)}, null, cast(${retryAt} as integer))`, null),
    ...noteFailure(db, { endpointId, failingSince }, now, { isLast: retryAt === null && !isTest }),
  ]);
  const [next] = await selectHead(db, endpointId);
  return next;
}

/** Returns the statement that ends an endpoint's run of failures. */
export function noteSuccess(db: Db, endpointId: string) {
  return db.update(webhookEndpoints).set({ failingSince: null }).where(eq(webhookEndpoints.id, endpointId));
}

/**
 * Returns the statements that record a failed attempt. The endpoint is turned off after its last retry, and after failing
 * for MAX_FAILING_MS; what is pending then stays in its log as not sent.
 */
export function noteFailure(
  db: Db,
  { endpointId, failingSince }: Pick<Head, "endpointId" | "failingSince">,
  now: number,
  { isLast }: { isLast: boolean },
) {
  const byId = eq(webhookEndpoints.id, endpointId);
  const start = db
    .update(webhookEndpoints)
    .set({ failingSince: now })
    .where(and(byId, isNull(webhookEndpoints.failingSince)));
  if (!isLast && (failingSince ?? now) > now - MAX_FAILING_MS) return [start];
  const failedTooLong = isLast ? undefined : lte(webhookEndpoints.failingSince, now - MAX_FAILING_MS);
  return [
    start,
    db
      .update(webhookEndpoints)
      .set({ disabledAt: now })
      .where(and(byId, isNull(webhookEndpoints.disabledAt), failedTooLong)),
    db
      .update(webhookDeliveries)
      .set({ nextAttemptAt: null })
      .where(and(eq(webhookDeliveries.endpointId, endpointId), isPending, isOff(endpointId))),
  ];
}

function isOff(endpointId: string): SQL {
  return sql`(select ${webhookEndpoints.disabledAt} from ${webhookEndpoints} where ${webhookEndpoints.id} = ${endpointId}) is not null`;
}
