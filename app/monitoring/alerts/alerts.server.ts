import { and, desc, eq, getTableColumns, isNull, lt, sql } from "drizzle-orm";
import { type Db, violates } from "#app/db/db.server.ts";
import { deleteInChunks } from "#app/db/delete-in-chunks.server.ts";
import { alerts } from "#app/db/schema.server.ts";
import { log, logError } from "#app/http/log.ts";
import { DAY_MS } from "#app/time.ts";
import { type AlertChange, alertChanges, type Check, type OpenAlert } from "./alert-changes.ts";
import type { AlertEnv } from "./alert-channels.ts";
import { queueMessages } from "./alert-messages.server.ts";
import type { AlertReading } from "./alert-reading.ts";

export const ALERT_DAYS = 90;

type Stored = typeof alerts.$inferSelect;
export type AlertRow<Row extends Stored = Stored> = Omit<Row, "condition" | "subject" | "facts"> & AlertReading;

/** Literal, so that SQLite uses the partial index. */
const isOpen = sql`${alerts.closedAt} is null`;

/**
 * Opens, updates and closes alerts by what the checks found. The messages are queued in the batch that opens or closes
 * one, so a kill loses none; overlapping runs send one. Returns whether messages were queued. Throws after the others if an
 * alert could not be stored; the next run finds it again.
 */
export async function applyChecks(
  db: Db,
  env: AlertEnv & Pick<Env, "ENCRYPTION_KEYS">,
  open: OpenAlert[],
  checks: Check[],
  now: number,
): Promise<boolean> {
  let hasQueued = false;
  const failures: unknown[] = [];
  for (const change of alertChanges(open, checks, now)) {
    try {
      if (await apply(db, env, change, now)) hasQueued = true;
    } catch (error) {
      logError("alert not stored", error, { kind: change.kind });
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
  return hasQueued;
}

async function apply(
  db: Db,
  env: AlertEnv & Pick<Env, "ENCRYPTION_KEYS">,
  change: AlertChange,
  now: number,
): Promise<boolean> {
  switch (change.kind) {
    case "open":
      return open(db, env, change.reading, now);
    case "update": {
      const { id } = change.alert;
      await db
        .update(alerts)
        .set({ facts: change.reading.facts, factsAt: now, clearSince: null })
        .where(and(eq(alerts.id, id), isOpen));
      return false;
    }
    case "clear": {
      const { id } = change.alert;
      await db
        .update(alerts)
        .set({ clearSince: now })
        .where(and(eq(alerts.id, id), isOpen, isNull(alerts.clearSince)));
      return false;
    }
    case "close":
      return close(db, env, change, now);
    default:
      return change satisfies never;
  }
}

async function open(
  db: Db,
  env: AlertEnv & Pick<Env, "ENCRYPTION_KEYS">,
  reading: AlertReading,
  now: number,
): Promise<boolean> {
  const alertId = crypto.randomUUID();
  const { condition, subject, facts } = reading;
  const messages = await queueMessages(db, env, { alertId, reading, openedAt: now, clearSince: null }, now);
  const insert = db.insert(alerts).values({ id: alertId, condition, subject, facts, openedAt: now, factsAt: now });
  try {
    await db.batch([insert, ...messages]);
  } catch (error) {
    // An overlapping run has opened it.
    if (violates(error, "alerts.condition")) return false;
    throw error;
  }
  log("warn", "alert opened", { alert: alertId, condition, subject });
  return messages.length > 0;
}

async function close(
  db: Db,
  env: AlertEnv & Pick<Env, "ENCRYPTION_KEYS">,
  { alert, clearSince }: Extract<AlertChange, { kind: "close" }>,
  now: number,
): Promise<boolean> {
  const { id, openedAt } = alert;
  const messages = await queueMessages(db, env, { alertId: id, reading: alert, openedAt, clearSince }, now);
  // NULL, which the column refuses and which stops the batch, if an overlapping run has closed or revived it.
  const stillClear = sql`${isOpen} and ${alerts.clearSince} = ${clearSince}`;
  const update = db
    .update(alerts)
    .set({ closedAt: now, openedAt: sql`iif(${stillClear}, ${alerts.openedAt}, null)` })
    .where(eq(alerts.id, id));
  try {
    await db.batch([update, ...messages]);
  } catch (error) {
    if (violates(error, "alerts.opened_at")) return false;
    throw error;
  }
  log("info", "alert closed", { alert: id, condition: alert.condition, subject: alert.subject });
  return messages.length > 0;
}

/**
 * Returns the statement that lists the open alerts, the newest first. `endedLately`: how many alerts of the same condition
 * and subject ended in the last day.
 */
export function selectOpenAlerts(db: Db, now: number) {
  // Written out: drizzle names a selected column without its table, which would be the inner one.
  const endedLately = sql<number>`(
    select count(*) from alerts as earlier where earlier.closed_at > ${now - DAY_MS}
      and earlier.condition = alerts.condition and earlier.subject = alerts.subject
  )`;
  return db
    .select({ ...getTableColumns(alerts), endedLately: endedLately.as("ended_lately") })
    .from(alerts)
    .where(isOpen)
    .orderBy(desc(alerts.openedAt));
}

/** Returns the statement that lists the alerts that ended last. */
export function selectClosedAlerts(db: Db, limit: number) {
  return db
    .select()
    .from(alerts)
    .where(sql`${alerts.closedAt} is not null`)
    .orderBy(desc(alerts.closedAt))
    .limit(limit);
}

/** Returns alerts as this release wrote them: the facts belong to the condition. */
export function alertRows<Row extends Stored>(rows: Row[]): AlertRow<Row>[] {
  return rows as unknown as AlertRow<Row>[];
}

/** Deletes alerts that ended 90 days ago, with their deliveries. */
export async function deleteOldAlerts(db: Db, now = Date.now()): Promise<void> {
  await deleteInChunks(db, alerts, lt(alerts.closedAt, now - ALERT_DAYS * DAY_MS));
}
