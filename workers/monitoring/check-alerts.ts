import { BACKUP_LATE_MS, lastBackups, type NewestRun } from "#app/backup/run/backup-runs.server.ts";
import type { Db } from "#app/db/db.server.ts";
import { selectEmailTrouble } from "#app/email/email-admin.server.ts";
import { wakeEmailDispatcher } from "#app/email/queue-email.server.ts";
import { runLogged } from "#app/http/log.ts";
import { alertRows, applyChecks, selectOpenAlerts } from "#app/monitoring/alerts/alerts.server.ts";
import { deliverAlerts } from "#app/monitoring/alerts/deliver-alerts.server.ts";
import { databaseLimit, readDatabaseSizes } from "#app/monitoring/health/database-size.server.ts";
import type { JobRun } from "#app/monitoring/jobs/job-runs.server.ts";
import { selectHeld } from "#app/orders/fulfillment/held-orders.server.ts";
import { selectWaitingChanges } from "#app/orders/providers/catalog-offers.server.ts";
import type { ProviderFunds } from "#app/orders/providers/provider-balance.server.ts";
import { selectFaultCount } from "#app/orders/wallet/nightly-ledger-check.server.ts";
import { checksOf, type SystemFigures } from "./alert-checks.ts";

/** Counting more would cost more and say no more. */
const COUNTED_TO = 1000;

/** What the minute has read for all of its jobs: recorded runs, newest backup and providers. Null if it can't be read. */
export type MinuteFigures = {
  jobs: JobRun[] | null;
  newestBackup: NewestRun | "none" | null;
  providers: ProviderFunds[] | null;
};

/** Checks every condition, tells people what began and what ended, and sends what an earlier run could not send. */
export async function checkAlerts(db: Db, env: Env, { jobs, newestBackup, providers }: MinuteFigures): Promise<void> {
  const now = Date.now();
  const [{ open, ...figures }, backups] = await Promise.all([
    readFigures(db, env, now),
    readBackups(env, newestBackup, now),
  ]);
  try {
    const hasQueued = await applyChecks(db, env, open, checksOf({ ...figures, providers, jobs, backups }, now), now);
    // Cron wakes it again in a minute.
    if (hasQueued) await runLogged("email dispatcher not woken", {}, () => wakeEmailDispatcher(env));
  } finally {
    await deliverAlerts(db, env);
  }
}

/** Reads the figures of both databases, in one batch and one statement each. */
async function readFigures(db: Db, env: Env, now: number) {
  const emails = selectEmailTrouble(db, now);
  const [[open, [held], [waiting], [ledger], [stuck], [failed]], sizes] = await Promise.all([
    db.batch([
      selectOpenAlerts(db, now),
      selectHeld(db, COUNTED_TO),
      selectWaitingChanges(db, COUNTED_TO),
      selectFaultCount(db, COUNTED_TO),
      emails.stuck,
      emails.failed,
    ]),
    readDatabaseSizes(env),
  ]);
  return {
    open: alertRows(open),
    held: held ?? { orders: 0, since: null },
    waitingChanges: waiting?.changes ?? 0,
    ledger: ledger ?? { faults: 0, since: null },
    stuckEmails: stuck ?? { count: 0, since: null, error: null },
    failedEmails: failed ?? { count: 0, error: null },
    sizes,
    databaseLimit: databaseLimit(env),
  };
}

/** Asks for more only if the newest backup, which each minute reads, is not a complete one of last night. */
async function readBackups(
  env: Env,
  newest: NewestRun | "none" | null,
  now: number,
): Promise<SystemFigures["backups"]> {
  if (newest === null) return null;
  const isRecent = newest !== "none" && newest.cutAt !== null && now - newest.cutAt <= BACKUP_LATE_MS;
  if (isRecent) return "recent";
  const backups = await lastBackups(env.DB);
  return { ...backups, hasKeys: Boolean(env.BACKUP_KEYS) };
}
