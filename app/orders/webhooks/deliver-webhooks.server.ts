import { and, asc, eq, inArray, isNotNull, isNull, lte, or, sql } from "drizzle-orm";
import type { Db } from "#app/db/db.server.ts";
import { webhookDeliveries, webhookEndpoints } from "#app/db/schema.server.ts";
import { insertSecurityEvent } from "#app/db/security-event-insert.server.ts";
import type { PostResult } from "#app/http/outgoing/signed-post.ts";
import { nextAttempt } from "#app/http/outgoing/webhook-retry.ts";
import { DAY_MS } from "#app/time.ts";
import { isPending, isUnwanted } from "./pending-deliveries.server.ts";
import { postWebhook } from "./post-webhook.server.ts";
import type { WebhookEnv } from "./webhook-endpoints.server.ts";

/** A round ends after this many deliveries or this long, so that it stays below the platform's limits per alarm. */
const DELIVERIES_PER_ROUND = 200;
const ROUND_MS = 60_000;
/** Rows of one statement, which blocks every other one in the database while it runs. */
const GIVEN_UP_PER_ROUND = 1000;
/** How long an endpoint may fail without a single success before it is turned off. */
export const MAX_FAILING_MS = 3 * DAY_MS;

type Head = Awaited<ReturnType<typeof selectHead>>[number];

/**
 * Sends the pending deliveries of an endpoint one after the other, oldest first. One that fails is tried again later, and
 * the ones behind it wait. What is pending when the endpoint is off, or doesn't want it anymore, stays in its log as not
 * sent. Returns in how many ms the next round is due, or null if nothing is pending.
 *
 * Only the endpoint's dispatcher runs this, so no delivery is claimed: one that was sent but not recorded, because of a
 * kill, is sent again under the same `webhook-id`.
 */
export async function deliverQueue(db: Db, env: WebhookEnv, endpointId: string): Promise<number | null> {
  const until = Date.now() + ROUND_MS;
  let [head] = await selectHead(db, endpointId);
  for (let sent = 0; head; sent++) {
    if (head.isUnwanted) {
      if (await giveUpPending(db, endpointId)) return 0;
      [head] = await selectHead(db, endpointId);
      continue;
    }
    const wait = (head.nextAttemptAt ?? 0) - Date.now();
    if (wait > 0) return wait;
    if (sent === DELIVERIES_PER_ROUND || Date.now() > until) return 0;
    head = await recordAttempt(db, head, await postWebhook(env, head));
  }
  return (await giveUpPending(db, endpointId)) ? 0 : null;
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
      isUnwanted: sql<number>`${isUnwanted}`.as("is_unwanted"),
    })
    .from(webhookDeliveries)
    .innerJoin(webhookEndpoints, eq(webhookEndpoints.id, webhookDeliveries.endpointId))
    .where(and(eq(webhookDeliveries.endpointId, endpointId), isPending, isNull(webhookEndpoints.disabledAt)))
    .orderBy(asc(webhookDeliveries.id))
    .limit(1);
}

/** Stores the result of an attempt and returns the endpoint's next delivery. */
async function recordAttempt(db: Db, head: Head, result: PostResult): Promise<Head | undefined> {
  const { id, messageId, endpointId, failingSince } = head;
  const now = Date.now();
  const attempts = head.attempts + 1;
  const isTest = head.event === "webhook.test";
  const delivered = result.error === null;
  const retryAt = delivered || isTest ? null : nextAttempt(attempts, now, Math.random());
  const outcome = { attempts, lastStatus: result.status, lastError: result.error, nextAttemptAt: retryAt };
  const update = db
    .update(webhookDeliveries)
    .set({ ...outcome, deliveredAt: delivered ? now : null })
    // Its endpoint may have been deleted meanwhile, and then another delivery may have got its id.
    .where(and(eq(webhookDeliveries.id, id), eq(webhookDeliveries.messageId, messageId)));
  if (delivered) {
    // The endpoint is written only when it changes.
    const recovery = failingSince === null ? [] : [noteSuccess(db, endpointId)];
    const [, heads] = await db.batch([update, selectHead(db, endpointId), ...recovery]);
    return heads[0];
  }
  await db.batch([update, ...(isTest ? [startFailing(db, endpointId, now)] : noteFailure(db, head, now, retryAt))]);
  const [next] = await selectHead(db, endpointId);
  return next;
}

/** Returns the statement that ends an endpoint's run of failures. */
export function noteSuccess(db: Db, endpointId: string) {
  return db.update(webhookEndpoints).set({ failingSince: null }).where(eq(webhookEndpoints.id, endpointId));
}

/** Returns the statement that starts an endpoint's run of failures, if it is not failing yet. */
export function startFailing(db: Db, endpointId: string, now: number) {
  return db
    .update(webhookEndpoints)
    .set({ failingSince: now })
    .where(and(eq(webhookEndpoints.id, endpointId), isNull(webhookEndpoints.failingSince)));
}

/**
 * Returns the statements that record a failed attempt. They turn the endpoint off after its last retry, and after failing
 * for MAX_FAILING_MS.
 */
function noteFailure(db: Db, { endpointId, url, attempts, failingSince }: Head, now: number, retryAt: number | null) {
  const byId = eq(webhookEndpoints.id, endpointId);
  // The queue was not failing before: what is stored is the time of a failed test.
  if (attempts === 0) return [db.update(webhookEndpoints).set({ failingSince: now }).where(byId)];
  const start = startFailing(db, endpointId, now);
  const isLast = retryAt === null;
  if (!isLast && (failingSince ?? now) > now - MAX_FAILING_MS) return [start];
  const failedTooLong = isLast ? undefined : lte(webhookEndpoints.failingSince, now - MAX_FAILING_MS);
  const disable = db
    .update(webhookEndpoints)
    .set({ disabledAt: now })
    .where(and(byId, isNull(webhookEndpoints.disabledAt), failedTooLong));
  const owner = db
    .select({ userId: webhookEndpoints.userId })
    .from(webhookEndpoints)
    .where(and(byId, eq(webhookEndpoints.disabledAt, now)));
  const detail = { url, change: "failing" } as const;
  return [start, disable, insertSecurityEvent(db, owner, { kind: "webhook_changed", detail })];
}

/**
 * Marks pending deliveries of an endpoint as not sent, oldest first: all if it is off, otherwise those that it doesn't want
 * anymore. Returns whether there may be more.
 */
async function giveUpPending(db: Db, endpointId: string): Promise<boolean> {
  const unsent = db
    .select({ id: webhookDeliveries.id })
    .from(webhookDeliveries)
    .innerJoin(webhookEndpoints, eq(webhookEndpoints.id, webhookDeliveries.endpointId))
    .where(
      and(
        eq(webhookDeliveries.endpointId, endpointId),
        isPending,
        or(isNotNull(webhookEndpoints.disabledAt), isUnwanted),
      ),
    )
    .orderBy(asc(webhookDeliveries.id))
    .limit(GIVEN_UP_PER_ROUND);
  const given = await db
    .update(webhookDeliveries)
    .set({ nextAttemptAt: null })
    .where(inArray(webhookDeliveries.id, unsent))
    .returning({ id: webhookDeliveries.id });
  return given.length === GIVEN_UP_PER_ROUND;
}
