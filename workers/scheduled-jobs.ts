import { deleteExpiredRows } from "#app/accounts/deletion/expired-rows.server.ts";
import { deleteExpiredDevices } from "#app/accounts/devices/known-devices.server.ts";
import { deleteOldEvents } from "#app/accounts/events/security-events.server.ts";
import { continueBackup, startNightlyBackup } from "#app/backup/nightly-backup.server.ts";
import { deleteOldConversationEntries } from "#app/db/audit-retention.server.ts";
import { connect, connectSupport, type Db } from "#app/db/db.server.ts";
import { deleteEndedWindows } from "#app/db/rate-limit.server.ts";
import type { JobSchedule } from "#app/db/schema.server.ts";
import { resumeDeletions } from "#app/delete-account.server.ts";
import { deleteOldEmails, wakeForDueEmails } from "#app/email/email-queue.server.ts";
import { queueMention, queueUnreadReplies } from "#app/email/queue-email.server.ts";
import { deleteLiftedSuppressions } from "#app/email/suppressions.server.ts";
import { deleteExpiredConnections } from "#app/gmail/connect/gmail-connection.server.ts";
import { wakeForDueMailboxes } from "#app/gmail/sync/wake-gmail-dispatcher.server.ts";
import { deleteOldAlerts } from "#app/monitoring/alerts/alerts.server.ts";
import { deleteOldStatusChanges, StatusRecorder } from "#app/monitoring/health/status-changes.server.ts";
import { type JobRun, readJobRuns, recordStarts } from "#app/monitoring/jobs/job-runs.server.ts";
import { deleteOldHours } from "#app/monitoring/requests/request-hours.server.ts";
import { deleteOldServiceChanges } from "#app/orders/catalog/service-changes.server.ts";
import { resolveCancellations } from "#app/orders/fulfillment/cancellations.server.ts";
import { holdLostRefills } from "#app/orders/fulfillment/refills.server.ts";
import { holdLostSubmissions } from "#app/orders/fulfillment/submission-claims.server.ts";
import { wakeDispatchers } from "#app/orders/fulfillment/wake-dispatchers.server.ts";
import { importCatalogs } from "#app/orders/providers/catalog-import.server.ts";
import { deleteOldProviderUse, readBalances } from "#app/orders/providers/provider-balance.server.ts";
import { deleteOldCatalogChanges, deleteOldProviderLog } from "#app/orders/providers/provider-log-retention.server.ts";
import { deleteOldServiceDays, refreshServiceTimes } from "#app/orders/terms/service-times.server.ts";
import { deleteUnpaidCheckouts } from "#app/orders/top-up/unpaid-checkouts.server.ts";
import { checkLedgerNightly } from "#app/orders/wallet/nightly-ledger-check.server.ts";
import { rollUpSpending } from "#app/orders/wallet/spending.server.ts";
import { deleteOldDeliveries } from "#app/orders/webhooks/old-deliveries.server.ts";
import { queueCatalogWebhooks } from "#app/orders/webhooks/queue-catalog-webhooks.server.ts";
import { queueLowBalanceWebhooks } from "#app/orders/webhooks/queue-webhooks.server.ts";
import { wakeDueEndpoints } from "#app/orders/webhooks/wake-endpoints.server.ts";
import { deleteOldPushes, wakeForDuePushes } from "#app/push/push-queue.server.ts";
import { deleteUnseenDevices } from "#app/push/subscriptions.server.ts";
import { emailMentions } from "#app/support/email/mention-mailer.server.ts";
import { emailUnreadReplies } from "#app/support/email/unread-reply-mailer.server.ts";
import { deleteClosedConversations, keptDaysOf } from "#app/support/inbox/closed-conversations.server.ts";
import { rebuildRooms } from "#app/support/inbox/rebuilt-rooms.server.ts";
import { deleteAbandonedUploads } from "#app/uploads/multipart-upload.server.ts";
import { checkAlerts } from "#workers/monitoring/check-alerts.ts";
import { recordStates } from "#workers/monitoring/component-health.ts";
import { closeEndedSessions } from "#workers/support/ended-sessions.ts";
import { EVERY_MINUTE, NIGHTLY } from "./cron-triggers.ts";
import { type Jobs, runJobs } from "./run-jobs.ts";

/** One per isolate. */
const recorder = new StatusRecorder();

/** Runs the jobs of a cron trigger. One that fails or hangs does not stop the others, but makes the run throw at its end. */
export async function runScheduledJobs(cron: string, env: Env): Promise<void> {
  const db = connect(env.DB);
  const schedule = scheduleOf(cron);
  const runs = await readJobRuns(db);
  const jobs = schedule === "minute" ? minuteJobs(db, env, runs) : nightlyJobs(db, env);
  const failed = await runJobs(
    jobs,
    await recordStarts(db, schedule, Object.keys(jobs), runs, Date.now()),
    env.METRICS,
  );
  // The platform must count the run as failed.
  if (failed.length > 0) throw new Error(`scheduled jobs failed: ${failed.join(", ")}`);
}

function scheduleOf(cron: string): JobSchedule {
  if (cron === EVERY_MINUTE) return "minute";
  if (cron === NIGHTLY) return "night";
  throw new Error(`no jobs for the cron ${cron}`);
}

function nightlyJobs(db: Db, env: Env): Jobs {
  return {
    "remove ended sessions": () => deleteExpiredRows(db),
    "remove expired devices": () => deleteExpiredDevices(db),
    "remove old security events": () => deleteOldEvents(db),
    "remove ended rate limits": () => deleteEndedWindows(db),
    "remove old webhook deliveries": () => deleteOldDeliveries(db),
    "remove old emails": () => deleteOldEmails(db),
    "remove old notifications": () => deleteOldPushes(db),
    "remove unseen devices": () => deleteUnseenDevices(db),
    "remove old delivery times": () => deleteOldServiceDays(db),
    "remove old provider responses": () => deleteOldProviderLog(db),
    "remove old request counts": () => deleteOldHours(db),
    "remove old status changes": () => deleteOldStatusChanges(db),
    "remove old catalog changes": () => deleteOldCatalogChanges(db),
    "remove old service changes": () => deleteOldServiceChanges(db),
    "remove old audit entries of conversations": () => deleteOldConversationEntries(db),
    "remove unpaid checkouts": () => deleteUnpaidCheckouts(db),
    "remove old alerts": () => deleteOldAlerts(db),
    "remove old provider use": () => deleteOldProviderUse(db),
    "remove lifted email suppressions": () => deleteLiftedSuppressions(db),
    "remove unfinished Gmail connections": () => deleteExpiredConnections(db),
    "remove abandoned uploads": () => deleteAbandonedUploads(db, env.UPLOADS),
    "remove old closed conversations": async () =>
      deleteClosedConversations(
        connectSupport(env.DB_SUPPORT),
        env.SUPPORT_ROOM,
        keptDaysOf(env.CONVERSATIONS_KEPT_DAYS),
      ),
    "import catalogs": () => importCatalogs(db, env),
    "check the ledger": () => checkLedgerNightly(db),
    "start the backup": () => startNightlyBackup(env, Date.now()),
  };
}

function minuteJobs(db: Db, env: Env, runs: JobRun[] | null): Jobs {
  return {
    "close chat sockets of ended sessions": () => closeEndedSessions(db, env),
    "resume account deletions": () => resumeDeletions(db, env),
    "hold lost submissions": () => holdLostSubmissions(db),
    "hold lost refills": () => holdLostRefills(db),
    "resolve cancellations": () => resolveCancellations(db),
    "wake dispatchers": () => wakeDispatchers(db, env.PROVIDER_DISPATCHER),
    "sum up spending": () => rollUpSpending(db),
    "refresh delivery times": () => refreshServiceTimes(db, Date.now()),
    "queue low balance webhooks": () => queueLowBalanceWebhooks(db, env),
    "queue catalog webhooks": () => queueCatalogWebhooks(db, env),
    "wake webhook dispatchers": () => wakeDueEndpoints(db, env),
    "email unread replies": () =>
      emailUnreadReplies(
        connectSupport(env.DB_SUPPORT),
        env.SUPPORT_ROOM,
        (email, of) => queueUnreadReplies(db, env, email, of),
        Date.now(),
        env.REPLY_DOMAIN ? { domain: env.REPLY_DOMAIN, secrets: env.SESSION_SECRET } : null,
      ),
    "email unread mentions": () =>
      emailMentions(connectSupport(env.DB_SUPPORT), (email, of) => queueMention(db, env, email, of), {
        now: Date.now(),
        origin: env.PUBLIC_ORIGIN ?? "",
      }),
    "read provider balances": () => readBalances(db, env),
    "check alerts": () => checkAlerts(db, env, runs),
    "go on with the backup": () => continueBackup(env),
    "rebuild chats after a restore": () => rebuildRooms(db, connectSupport(env.DB_SUPPORT), env.SUPPORT_ROOM),
    "wake the email dispatcher": () => wakeForDueEmails(db, env),
    "wake the push dispatcher": () => wakeForDuePushes(db, env),
    "record component states": () => recordStates(db, env, recorder),
    "wake the Gmail dispatcher": () => wakeForDueMailboxes(db, env),
  };
}
