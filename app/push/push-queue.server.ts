import { createHash } from "node:crypto";
import { and, asc, eq, lte, type SQL, sql } from "drizzle-orm";
import { unseal } from "#app/crypto/seal.server.ts";
import { namedTable } from "#app/db/column-names.server.ts";
import type { Db } from "#app/db/db.server.ts";
import { deleteOldest, MANY_ROWS } from "#app/db/delete-in-chunks.server.ts";
import { authSessions, type PushStatus, pushDeliveries, pushSubscriptions } from "#app/db/schema.server.ts";
import { log, logError } from "#app/http/log.ts";
import { WEEK_MS } from "#app/time.ts";
import { type PushContent, shortened } from "./push-content.ts";
import { backOff, type PushOutcome } from "./push-outcome.ts";
import { type PushWakeEnv, wakePushDispatcher } from "./queue-push.server.ts";
import { type PushEnv, sendPush, type Target } from "./send-push.server.ts";
import { targetContext } from "./subscriptions.server.ts";

/** A worker may wait for six responses at once. */
const SENDS_AT_ONCE = 5;
/** Orders of one device that are due together are read together, because they share a notification. */
const ROWS_PER_GROUP = 500;
const NOTIFICATIONS_PER_GROUP = 50;
/** An alarm may send 1,000 requests and queries, and a notification takes up to four. */
const GROUPS_PER_ROUND = 4;
const ROUND_MS = 60_000;
/** Ended rows are kept against a second notification of the same event. */
const RETENTION_MS = WEEK_MS;

type Row = {
  delivery: typeof pushDeliveries.$inferSelect;
  subscription: typeof pushSubscriptions.$inferSelect;
  isOpen: number;
};

/** Literal, because SQLite uses a partial index only if the query repeats its condition. */
const isQueued = sql`${pushDeliveries.status} = 'queued'`;

/**
 * Sends the notifications that are due, and returns in how many ms the next one is, or null if none is queued.
 * `isRunning`: the condition that a session has not ended.
 *
 * Nothing is claimed before the call: only one dispatcher exists. One whose result was lost in a crash is sent again; it
 * replaces the first at the push service by its topic, and a device that has shown the event does not show it again.
 */
export async function runPushQueue(db: Db, env: PushEnv, isRunning: SQL | undefined): Promise<number | null> {
  const end = Date.now() + ROUND_MS;
  for (let group = 0; group < GROUPS_PER_ROUND && Date.now() < end; group++) {
    const due = await listDue(db, isRunning);
    if (due.length === 0) break;
    const notifications = [
      ...Map.groupBy(due, ({ delivery }) => `${delivery.subscriptionId} ${delivery.kind}`).values(),
    ].slice(0, NOTIFICATIONS_PER_GROUP);
    for (let at = 0; at < notifications.length; at += SENDS_AT_ONCE) {
      await Promise.all(notifications.slice(at, at + SENDS_AT_ONCE).map((rows) => work(db, env, rows)));
    }
  }
  const [next] = await db
    .select({ at: sql<number | null>`min(${pushDeliveries.nextAttemptAt})` })
    .from(pushDeliveries)
    .where(isQueued);
  return next?.at == null ? null : Math.max(0, next.at - Date.now());
}

/** Wakes the dispatcher if a notification is due: one that was killed, or never woken, sleeps until then. Returns what its rounds fail with. */
export async function wakeForDuePushes(db: Db, env: PushWakeEnv): Promise<string | null> {
  const [due] = await db
    .select({ id: pushDeliveries.id })
    .from(pushDeliveries)
    .where(and(isQueued, lte(pushDeliveries.nextAttemptAt, Date.now())))
    .limit(1);
  return due ? wakePushDispatcher(env) : null;
}

/** Counting reads at most this many rows. */
export const PUSHES_COUNTED_TO = 1000;

export async function countQueuedPushes(db: Db): Promise<number> {
  const queued = db.select({ one: sql`1` }).from(pushDeliveries).where(isQueued).limit(PUSHES_COUNTED_TO);
  const [counted] = await db.select({ count: sql<number>`count(*)` }).from(sql`(${queued})`);
  return counted?.count ?? 0;
}

export async function deleteOldPushes(db: Db): Promise<void> {
  const isOld = sql`${pushDeliveries.createdAt} < ${Date.now() - RETENTION_MS}`;
  await deleteOldest(db, pushDeliveries, { isOld }, MANY_ROWS);
}

function listDue(db: Db, isRunning: SQL | undefined): Promise<Row[]> {
  const isOpen = sql<number>`${pushSubscriptions.sessionId} is null or exists (select 1 from ${authSessions} where ${authSessions.id} = ${pushSubscriptions.sessionId} and ${isRunning})`;
  return db
    .select({ delivery: pushDeliveries, subscription: namedTable(pushSubscriptions, "device"), isOpen })
    .from(pushDeliveries)
    .innerJoin(pushSubscriptions, eq(pushSubscriptions.id, pushDeliveries.subscriptionId))
    .where(and(isQueued, lte(pushDeliveries.nextAttemptAt, Date.now())))
    .orderBy(asc(pushDeliveries.nextAttemptAt), asc(pushDeliveries.id))
    .limit(ROWS_PER_GROUP);
}

/** Sends what is due to one device as one notification, and stores the outcome. */
async function work(db: Db, env: PushEnv, rows: Row[]): Promise<void> {
  const [first] = rows;
  if (!first) return;
  const { subscription, isOpen } = first;
  const removeDevice = () => db.delete(pushSubscriptions).where(eq(pushSubscriptions.id, subscription.id));
  if (!isOpen) {
    await removeDevice();
    return;
  }
  const now = Date.now();
  const [expired, live] = [true, false].map((is) => rows.filter(({ delivery }) => delivery.expiresAt <= now === is));
  if (expired?.length) await finish(db, expired, "expired", null);
  const last = live?.at(-1);
  if (!live || !last) return;
  const outcome = await send(env, live, last);
  switch (outcome.kind) {
    case "sent":
      return finish(db, live, "sent", null);
    case "gone":
      await removeDevice();
      return;
    case "refused":
      log("warn", "notification refused", { service: subscription.service, error: outcome.error });
      return finish(db, live, "failed", outcome.error);
    case "retry":
      return postpone(db, live, outcome);
    default:
      return outcome satisfies never;
  }
}

async function send(env: PushEnv, rows: Row[], { delivery, subscription }: Row): Promise<PushOutcome> {
  const { kind, serverKey, digest, sealedTarget } = subscription;
  let target: Target;
  try {
    target = JSON.parse(await unseal(env.ENCRYPTION_KEYS, targetContext(digest), sealedTarget)) as Target;
  } catch (error) {
    // A missing key is our fault and may come back.
    logError("push target not readable", error, { subscription: subscription.id });
    return { kind: "retry", error: "The target can't be decrypted", waitMs: 0 };
  }
  const content = contentOf(rows.map((row) => row.delivery));
  const ttlSeconds = Math.ceil((delivery.expiresAt - Date.now()) / 1000);
  return sendPush(
    env,
    { kind, target, serverKey },
    // Not the row's number: SQLite gives that of a deleted last row again.
    { ...content, id: delivery.event },
    { ttlSeconds, topic: topicOf(content.tag), urgent: delivery.kind === "reply" },
  );
}

/** Returns what one notification shows for all of them: of replies the last one, of several orders their number. */
function contentOf(deliveries: Row["delivery"][]): PushContent {
  const contents = deliveries.map(({ content }) => JSON.parse(content ?? "{}") as PushContent);
  const [last] = contents.slice(-1);
  if (!last) throw new Error("no notification");
  if (deliveries[0]?.kind === "reply" || contents.length === 1) return last;
  return shortened({
    title: `${contents.length} orders ended`,
    body: contents.map(({ title }) => title).join(", "),
    path: "/dashboard/orders",
    tag: "orders",
  });
}

/** Ends the rows and deletes their contents. */
async function finish(db: Db, rows: Row[], status: PushStatus, lastError: string | null): Promise<void> {
  await db
    .update(pushDeliveries)
    .set({
      status,
      lastError,
      content: null,
      nextAttemptAt: null,
      ...(status !== "expired" && { attempts: sql`${pushDeliveries.attempts} + 1` }),
    })
    .where(areStillQueued(rows));
}

/** Tries again later. One that expires first comes due then, to be given up. */
async function postpone(db: Db, rows: Row[], { error, waitMs }: { error: string; waitMs: number }): Promise<void> {
  const attempts = Math.max(...rows.map(({ delivery }) => delivery.attempts)) + 1;
  const at = Date.now() + Math.max(waitMs, backOff(attempts, Math.random()));
  await db
    .update(pushDeliveries)
    .set({ attempts, lastError: error, nextAttemptAt: sql`min(${at}, ${pushDeliveries.expiresAt})` })
    .where(areStillQueued(rows));
}

function areStillQueued(rows: Row[]): SQL | undefined {
  // As JSON, because D1 takes only 100 parameters.
  const ids = JSON.stringify(rows.map(({ delivery }) => delivery.id));
  return and(sql`${pushDeliveries.id} in (select value from json_each(${ids}))`, isQueued);
}

/** Push services take 32 characters of base64url. */
const TOPIC_CHARACTERS = 32;

/** Returns the topic of a tag: a newer message replaces an older one of the same topic that is not delivered yet. */
function topicOf(tag: string): string {
  return createHash("sha256").update(tag).digest("base64url").slice(0, TOPIC_CHARACTERS);
}
