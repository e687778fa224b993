import { deleteExpiredRows } from "#app/accounts/deletion/expired-rows.server.ts";
import { deleteExpiredDevices } from "#app/accounts/devices/known-devices.server.ts";
import { deleteOldEvents } from "#app/accounts/events/security-events.server.ts";
import { continueBackup, startNightlyBackup } from "#app/backup/nightly-backup.server.ts";
import { isOutgoingHeld } from "#app/backup/restore/outgoing-hold.server.ts";
import { readNewestRun } from "#app/backup/run/backup-runs.server.ts";
import { boundedDatabase, databaseWaitMs, waitForEach, waitOfNight } from "#app/db/bounded-database.server.ts";
import { connect, connectSupport, type Db, type SupportDb } from "#app/db/db.server.ts";
import { deleteEndedWindows } from "#app/db/rate-limit.server.ts";
import type { JobSchedule } from "#app/db/schema.server.ts";
import { resumeDeletions } from "#app/delete-account.server.ts";
import { deleteOldEmails, wakeForDueEmails } from "#app/email/email-queue.server.ts";
import { queueMention, queueUnreadReplies } from "#app/email/queue-email.server.ts";
import { deleteLiftedSuppressions } from "#app/email/suppressions.server.ts";
import { deleteExpiredConnections } from "#app/gmail/connect/gmail-connection.server.ts";
import { wakeForDueMailboxes } from "#app/gmail/sync/wake-gmail-dispatcher.server.ts";
import { firstLine, logError } from "#app/http/log.ts";
import { within } from "#app/http/within.ts";
import { deleteOldAlerts } from "#app/monitoring/alerts/alerts.server.ts";
import { recordDatabaseSizes } from "#app/monitoring/health/size-history.server.ts";
import { deleteOldStatusChanges, StatusRecorder } from "#app/monitoring/health/status-changes.server.ts";
import { readJobRuns, recordNewJobs, recordStarts } from "#app/monitoring/jobs/job-runs.server.ts";
import { deleteOldHours } from "#app/monitoring/requests/request-hours.server.ts";
import { deleteEndedKeys } from "#app/orders/api/ended-keys.server.ts";
import { deleteOldServiceChanges } from "#app/orders/catalog/service-changes.server.ts";
import { deleteOldServiceDays, refreshServiceTimes } from "#app/orders/delivery/service-times.server.ts";
import { resolveCancellations } from "#app/orders/fulfillment/cancellations.server.ts";
import { holdLostRefills } from "#app/orders/fulfillment/refills.server.ts";
import { holdLostSubmissions } from "#app/orders/fulfillment/submission-claims.server.ts";
import { wakeDispatchers } from "#app/orders/fulfillment/wake-dispatchers.server.ts";
import { syncCatalogs } from "#app/orders/providers/catalog-sync.server.ts";
import {
  deleteOldProviderUse,
  readBalances,
  readProviderFunds,
} from "#app/orders/providers/provider-balance.server.ts";
import { deleteOldCatalogChanges, deleteOldProviderLog } from "#app/orders/providers/provider-log-retention.server.ts";
import { queueWeeklyReport } from "#app/orders/reports/weekly-report.server.ts";
import { deleteOldCosts, deleteOldSales } from "#app/orders/sales/old-sales.server.ts";
import { deleteUnpaidCheckouts } from "#app/orders/top-up/unpaid-checkouts.server.ts";
import { checkLedgerNightly } from "#app/orders/wallet/nightly-ledger-check.server.ts";
import { rollUpSpending } from "#app/orders/wallet/spending.server.ts";
import { deleteOldDeliveries } from "#app/orders/webhooks/old-deliveries.server.ts";
import { queueCatalogWebhooks } from "#app/orders/webhooks/queue-catalog-webhooks.server.ts";
import { queueLowBalanceWebhooks } from "#app/orders/webhooks/queue-webhooks.server.ts";
import { wakeDueEndpoints } from "#app/orders/webhooks/wake-endpoints.server.ts";
import { deleteOldPushes, wakeForDuePushes } from "#app/push/push-queue.server.ts";
import { deleteUnseenDevices } from "#app/push/subscriptions.server.ts";
import { readSiteSettings } from "#app/settings/settings-store.server.ts";
import { emailMentions } from "#app/support/email/mention-mailer.server.ts";
import { emailUnreadReplies } from "#app/support/email/unread-reply-mailer.server.ts";
import { deleteClosedConversations, keptDaysOf } from "#app/support/inbox/closed-conversations.server.ts";
import { deleteOldConversationEntries } from "#app/support/inbox/conversation-entries.server.ts";
import { rebuildRooms } from "#app/support/inbox/rebuilt-rooms.server.ts";
import { MINUTE_MS } from "#app/time.ts";
import { deleteAbandonedUploads } from "#app/uploads/multipart-upload.server.ts";
import { checkAlerts, type MinuteFigures } from "#workers/monitoring/check-alerts.ts";
import { recordStates } from "#workers/monitoring/component-health.ts";
import { closeEndedSessions } from "#workers/support/ended-sessions.ts";
import { EVERY_MINUTE, NIGHTLY } from "./cron-triggers.ts";
import { type Jobs, runJobs } from "./run-jobs.ts";

/** One per isolate. */
const recorder = new StatusRecorder();

/** Runs the jobs of a cron trigger. One that fails or hangs does not stop the others, but makes the run throw at its end. */
export async function runScheduledJobs(cron: string, env: Env): Promise<void> {
  const schedule = scheduleOf(cron);
  const isMinute = schedule === "minute";
  const { bounded, db, supportDb } = connectJobs(env, isMinute);
  const [runs, newestBackup, providers, isHeld] = await Promise.all([
    readJobRuns(db),
    isMinute ? readNewestRun(bounded.DB) : null,
    isMinute ? readProviderFunds(db, Date.now()) : null,
    readHold(bounded.DB),
  ]);
  const all = isMinute
    ? minuteJobs(db, supportDb, bounded, { jobs: runs, newestBackup, providers })
    : nightlyJobs(db, supportDb, bounded);
  const jobs = isHeld === false ? all : withoutCalls(all, isHeld);
  // A night that never comes must be missed.
  if (isMinute) await recordNewJobs(db, "night", Object.keys(nightlyJobs(db, supportDb, bounded)), runs, Date.now());
  const failed = await runJobs(
    jobs,
    await recordStarts(db, schedule, Object.keys(jobs), runs, Date.now()),
    env.METRICS,
  );
  // The platform must count the run as failed.
  if (failed.length > 0) throw new Error(`scheduled jobs failed: ${failed.join(", ")}`);
}

/**
 * Connects the jobs of a trigger. While a database stands still, a minute's jobs have failed before the next minute starts
 * them again. A night's may take as long as D1 lets a statement run. `bounded`: the environment, for jobs that connect
 * themselves.
 */
function connectJobs(env: Env, isMinute: boolean): { bounded: Env; db: Db; supportDb: SupportDb } {
  const wait = isMinute ? waitForEach(databaseWaitMs(env)) : waitOfNight();
  const DB = boundedDatabase(env.DB, wait);
  const DB_SUPPORT = boundedDatabase(env.DB_SUPPORT, wait);
  return { bounded: { ...env, DB, DB_SUPPORT }, db: connect(DB), supportDb: connectSupport(DB_SUPPORT) };
}

/** The jobs that call others themselves. What dispatchers do is held by them. */
const CALLING_JOBS = new Set(["read provider balances", "check alerts", "import catalogs"]);

/** Returns whether this copy calls nobody, or why the database did not say. */
async function readHold(database: D1Database): Promise<boolean | { unread: string }> {
  try {
    return await isOutgoingHeld(database);
  } catch (error) {
    logError("hold of a restored copy not read", error);
    return { unread: firstLine(error) };
  }
}

/**
 * Returns the jobs with those that call others left out. In a held copy their runs count, so that none is late when it is
 * released. If it isn't known whether it is held, they fail.
 */
function withoutCalls(jobs: Jobs, isHeld: true | { unread: string }): Jobs {
  const leftOut = async () => {
    if (isHeld === true) return;
    throw new Error(`it could not be read whether this copy is held, so nobody was called: ${isHeld.unread}`);
  };
  return Object.fromEntries(Object.entries(jobs).map(([name, job]) => [name, CALLING_JOBS.has(name) ? leftOut : job]));
}

function scheduleOf(cron: string): JobSchedule {
  if (cron === EVERY_MINUTE) return "minute";
  if (cron === NIGHTLY) return "night";
  throw new Error(`no jobs for the cron ${cron}`);
}

type KeptDays = "emails_kept_days" | "webhook_deliveries_kept_days" | "provider_log_kept_days";

/** The backup of the night waits for the ledger check, which says whether it is sound, but not for one that hangs. */
const LEDGER_CHECK_MS = 5 * MINUTE_MS;

function nightlyJobs(db: Db, supportDb: SupportDb, env: Env): Jobs {
  let ledgerCheck: Promise<unknown> | undefined;
  const checkLedger = () => {
    ledgerCheck ??= checkLedgerNightly(db);
    return ledgerCheck;
  };
  const days = async (name: KeptDays) => (await readSiteSettings(db, env))[name];
  return {
    "remove ended sessions": () => deleteExpiredRows(db),
    "remove expired devices": () => deleteExpiredDevices(db),
    "remove old security events": () => deleteOldEvents(db),
    "remove old webhook deliveries": async () => deleteOldDeliveries(db, await days("webhook_deliveries_kept_days")),
    "remove old emails": async () => deleteOldEmails(db, await days("emails_kept_days")),
    "remove old notifications": () => deleteOldPushes(db),
    "remove unseen devices": () => deleteUnseenDevices(db),
    "remove ended API keys": () => deleteEndedKeys(db),
    // One job for all: each job is a row that every minute reads.
    "keep figures of days": () =>
      Promise.all([
        recordDatabaseSizes(db, env, Date.now()),
        deleteOldServiceDays(db),
        deleteOldProviderUse(db),
        deleteOldSales(db),
        deleteOldCosts(db),
      ]),
    "remove old provider responses": async () => deleteOldProviderLog(db, await days("provider_log_kept_days")),
    "remove old request counts": () => deleteOldHours(db),
    "remove old status changes": () => deleteOldStatusChanges(db),
    "remove old catalog changes": () => deleteOldCatalogChanges(db),
    "remove old service changes": () => deleteOldServiceChanges(db),
    "remove old audit entries of conversations": () => deleteOldConversationEntries(db),
    "remove unpaid checkouts": () => deleteUnpaidCheckouts(db),
    "remove old alerts": () => deleteOldAlerts(db),
    "remove lifted email suppressions": () => deleteLiftedSuppressions(db),
    "remove unfinished Gmail connections": () => deleteExpiredConnections(db),
    "remove abandoned uploads": () => deleteAbandonedUploads(db, env.UPLOADS),
    "remove old closed conversations": async () => {
      // Throws for a typing error, which must not delete.
      keptDaysOf(env.CONVERSATIONS_KEPT_DAYS);
      const { conversations_kept_days } = await readSiteSettings(db, env);
      await deleteClosedConversations(supportDb, env.SUPPORT_ROOM, conversations_kept_days);
    },
    "import catalogs": () => syncCatalogs(db, env),
    "check the ledger": checkLedger,
    "queue the weekly report": () => queueWeeklyReport(db, env, Date.now()),
    "start the backup": async () => {
      const checked = checkLedger().catch(() => null);
      await within(LEDGER_CHECK_MS, checked);
      await startNightlyBackup(env, Date.now());
    },
  };
}

function minuteJobs(db: Db, supportDb: SupportDb, env: Env, figures: MinuteFigures): Jobs {
  const { newestBackup, providers } = figures;
  return {
    "close chat sockets of ended sessions": () => closeEndedSessions(db, env),
    "resume account deletions": () => resumeDeletions(db, env),
    "hold lost submissions": () => holdLostSubmissions(db),
    "hold lost refills": () => holdLostRefills(db),
    "resolve cancellations": () => resolveCancellations(db),
    "wake dispatchers": async () => throwFailures(await wakeDispatchers(db, env.PROVIDER_DISPATCHER)),
    "sum up spending": () => rollUpSpending(db),
    "refresh delivery times": () => refreshServiceTimes(db, Date.now()),
    "queue low balance webhooks": () => queueLowBalanceWebhooks(db, env),
    "queue catalog webhooks": () => queueCatalogWebhooks(db, env),
    "wake webhook dispatchers": async () => throwFailures(await wakeDueEndpoints(db, env)),
    "email unread replies": () =>
      emailUnreadReplies(
        supportDb,
        env.SUPPORT_ROOM,
        (email, of) => queueUnreadReplies(db, env, email, of),
        Date.now(),
        env.REPLY_DOMAIN ? { domain: env.REPLY_DOMAIN, secrets: env.SESSION_SECRET } : null,
      ),
    "email unread mentions": () =>
      emailMentions(supportDb, (email, of) => queueMention(db, env, email, of), {
        now: Date.now(),
        origin: env.PUBLIC_ORIGIN ?? "",
      }),
    // Windows end within the hour, and strangers can open millions a day: a night would be too late.
    "remove ended rate limits": () => deleteEndedWindows(db),
    "read provider balances": () => readBalances(db, env, providers),
    "check alerts": () => checkAlerts(db, env, figures),
    "go on with the backup": () => continueBackup(env, newestBackup),
    "rebuild chats after a restore": () => rebuildRooms(db, supportDb, env.SUPPORT_ROOM),
    "wake the email dispatcher": async () => throwFailures([await wakeForDueEmails(db, env)]),
    "wake the push dispatcher": async () => throwFailures([await wakeForDuePushes(db, env)]),
    "record component states": () => recordStates(db, env, recorder, providers),
    "wake the Gmail dispatcher": async () => throwFailures([await wakeForDueMailboxes(db, env)]),
  };
}

/** Throws what dispatchers fail with: their rounds are no jobs, and nobody else would be told of them. */
function throwFailures(failures: (string | null)[]): void {
  const [first, ...others] = failures.filter((failure) => !!failure);
  if (!first) return;
  throw new Error(`a dispatcher fails: ${first}${others.length > 0 ? `, and ${others.length} others` : ""}`);
}
