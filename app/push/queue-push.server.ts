import { and, eq, lte, sql } from "drizzle-orm";
import type { Db } from "#app/db/db.server.ts";
import { type PushKind, type PushStatus, pushDeliveries, pushSubscriptions } from "#app/db/schema.server.ts";
import { runLogged } from "#app/http/log.ts";
import { DAY_MS } from "#app/time.ts";
import { type PushContent, shortened } from "./push-content.ts";

/** How long a notification is worth showing. */
const USEFUL_MS = DAY_MS;
/** Orders that end within this time share a notification, after the first. */
const ORDERS_TOGETHER_MS = 60_000;

export type PushWakeEnv = Pick<Env, "PUSH_DISPATCHER">;

/**
 * Returns the statements that queue a notification for each device of its owner, for the batch of what causes it, once per
 * `event`. The first returns the rows it queued.
 */
export function queuePush(
  db: Db,
  owner: string,
  { event, kind, content, now }: { event: string; kind: PushKind; content: PushContent; now: number },
) {
  const { ordersFrom } = pushSubscriptions;
  const rows = db
    .select({
      id: sql<number>`null`.as("id"),
      subscriptionId: pushSubscriptions.id,
      event: sql<string>`${event}`.as("event"),
      kind: sql<PushKind>`${kind}`.as("kind"),
      content: sql<string>`${JSON.stringify(shortened(content))}`.as("content"),
      status: sql<PushStatus>`'queued'`.as("status"),
      attempts: sql<number>`0`.as("attempts"),
      nextAttemptAt: (kind === "order" ? sql<number>`max(${now}, ${ordersFrom})` : sql<number>`${now}`).as(
        "next_attempt_at",
      ),
      expiresAt: sql<number>`${now + USEFUL_MS}`.as("expires_at"),
      lastError: sql<null>`null`.as("last_error"),
      createdAt: sql<number>`${now}`.as("created_at"),
    })
    .from(pushSubscriptions)
    .where(eq(pushSubscriptions.owner, owner));
  const queue = db.insert(pushDeliveries).select(rows).onConflictDoNothing().returning({ id: pushDeliveries.id });
  const later = db
    .update(pushSubscriptions)
    .set({ ordersFrom: now + ORDERS_TOGETHER_MS })
    .where(and(eq(pushSubscriptions.owner, owner), lte(ordersFrom, now)));
  return { queue, later };
}

/**
 * Wakes the dispatcher. Logs a failure: cron wakes it within a minute. Returns why it can't be woken, or what its rounds
 * fail with, or null.
 */
export async function wakePushDispatcher(env: PushWakeEnv): Promise<string | null> {
  let failure: string | null = null;
  // One object, because one row is sent by one sender.
  const isWoken = await runLogged("dispatcher not woken", { dispatcher: "push" }, async () => {
    failure = await env.PUSH_DISPATCHER.getByName("push").wake("push");
  });
  return isWoken ? failure : "it can't be woken";
}
