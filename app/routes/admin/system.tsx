import type { LoaderFunctionArgs, MetaFunction } from "@remix-run/cloudflare";
import { useLoaderData } from "@remix-run/react";
import Activity from "lucide-react/icons/activity";
import ChartColumn from "lucide-react/icons/chart-column";
import CircleCheck from "lucide-react/icons/circle-check";
import CirclePause from "lucide-react/icons/circle-pause";
import { requireRole } from "#app/accounts/session/viewer.server.ts";
import { isOutgoingHeld } from "#app/backup/restore/outgoing-hold.server.ts";
import { BACKUP_LATE_MS, lastBackups } from "#app/backup/run/backup-runs.server.ts";
import { BackupSummary } from "#app/backup/run/backup-summary.tsx";
import { Badge } from "#app/components/ui/badge.tsx";
import { Card } from "#app/components/ui/card.tsx";
import { EmptyState } from "#app/components/ui/empty-state.tsx";
import { ProviderFundsCharts } from "#app/console/catalog/services/provider-funds-charts.tsx";
import { ProviderSpending } from "#app/console/catalog/services/provider-spending.tsx";
import { COUNTED_TO, countWaiting } from "#app/console/orders/list/staff-order-list.server.ts";
import { countUnsent, UNSENT_COUNTED_TO } from "#app/console/orders/list/unsent-counts.server.ts";
import { countEmails, MAX_COUNTED } from "#app/email/email-admin.server.ts";
import { AlertChannelList } from "#app/monitoring/alerts/alert-channel-list.tsx";
import { AlertList } from "#app/monitoring/alerts/alert-list.tsx";
import { readAlerts } from "#app/monitoring/alerts/shown-alerts.server.ts";
import {
  DATABASES,
  databaseLimit,
  FULL_RATIO,
  readDatabaseSizes,
} from "#app/monitoring/health/database-size.server.ts";
import { DatabaseSizes } from "#app/monitoring/health/database-sizes.tsx";
import { type Queue, QueueCounts } from "#app/monitoring/health/queue-counts.tsx";
import { reachOf, sizeOfDays } from "#app/monitoring/health/size-growth.ts";
import { readSizeHistory } from "#app/monitoring/health/size-history.server.ts";
import { listWatched } from "#app/monitoring/health/watched-list.server.ts";
import { WatchedParts } from "#app/monitoring/health/watched-parts.tsx";
import { listJobs } from "#app/monitoring/jobs/job-runs.server.ts";
import { JobTable } from "#app/monitoring/jobs/job-table.tsx";
import { RequestCharts } from "#app/monitoring/requests/request-charts.tsx";
import { readRequestTotals } from "#app/monitoring/requests/request-totals.server.ts";
import { listProviderFunds, readFundsOfDays } from "#app/orders/providers/provider-balance.server.ts";
import { PRODUCT_NAME } from "#app/product.ts";
import { countQueuedPushes, PUSHES_COUNTED_TO } from "#app/push/push-queue.server.ts";

export const meta: MetaFunction = () => [{ title: `System · ${PRODUCT_NAME}` }];

export async function loader({ request, context }: LoaderFunctionArgs) {
  await requireRole(request, context, "admin");
  const { db, env } = context;
  const now = Date.now();
  const [alerts, parts, jobs, providers, sizes, emails, waiting, unsent, pushes, requests, backups, isHeld] =
    await Promise.all([
      readAlerts(db, env),
      listWatched(db, now),
      listJobs(db, now),
      listProviderFunds(db, now),
      readDatabaseSizes(env),
      countEmails(db),
      countWaiting(db),
      countUnsent(db),
      countQueuedPushes(db),
      readRequestTotals(db, now),
      lastBackups(env.DB),
      isOutgoingHeld(env.DB),
    ]);
  const [history, funds] = await Promise.all([readSizeHistory(db, now), readFundsOfDays(db, providers, now)]);
  const isBackupLate = backups.complete !== null && now - backups.complete.cutAt > BACKUP_LATE_MS;
  const limit = databaseLimit(env);
  const databases = DATABASES.map((name) => {
    const bytes = sizes[name] ?? null;
    const full = FULL_RATIO * limit;
    return {
      name,
      bytes,
      limit,
      isFull: bytes !== null && bytes >= full,
      days: sizeOfDays(history[name], bytes, now),
      reach: bytes === null ? ({ kind: "unknown" } as const) : reachOf(history[name], bytes, full, now),
    };
  });
  return {
    alerts,
    parts,
    jobs,
    providers,
    funds,
    databases,
    fullRatio: FULL_RATIO,
    queues: queuesOf(waiting.held, unsent, pushes, emails),
    requests,
    backups,
    isBackupLate,
    isHeld,
    now,
  };
}

export default function SystemPage() {
  const { alerts, parts, jobs, providers, funds, queues, requests, backups, isBackupLate, isHeld, now, ...sizes } =
    useLoaderData<typeof loader>();
  const { open, closed, channels } = alerts;
  return (
    <>
      <h1 className="text-2xl">System</h1>
      <p className="mt-1 max-w-prose text-sm text-muted">
        What the product checks every minute. You get a message when something begins and one when it is over.
      </p>
      <div className="mt-6 flex flex-col gap-4">
        {isHeld && (
          <Card title="Restored from a backup" titleId="restored">
            <OutgoingHoldNote />
          </Card>
        )}
        <Card title="Open alerts" titleId="alerts" flush>
          {isHeld && open.length === 0 ? (
            <EmptyState icon={CirclePause} title="Alerts aren't checked">
              They are again within a minute of the release.
            </EmptyState>
          ) : open.length === 0 ? (
            <EmptyState icon={CircleCheck} title="Nothing is wrong">
              Held orders, unreachable providers, low funds, failed jobs and other faults appear here.
            </EmptyState>
          ) : (
            <AlertList alerts={open} />
          )}
          <div className="border-t border-line p-4 empty:hidden sm:p-5">
            <AlertChannelList channels={channels} />
          </div>
        </Card>
        <Card title="Queues" titleId="queues">
          <QueueCounts queues={queues} />
        </Card>
        <Card title="Components and checks" titleId="components" flush={parts.length === 0}>
          {parts.length === 0 ? (
            <EmptyState icon={Activity} title="Nothing has been checked yet">
              The first check runs within a minute, once the worker's cron triggers are on. What is up at this moment is
              at{" "}
              <a href="/readyz" className="underline underline-offset-4">
                /readyz
              </a>
              .
            </EmptyState>
          ) : (
            <WatchedParts parts={parts} />
          )}
        </Card>
        <Card title="Requests" titleId="requests" flush>
          {requests.areas.length === 0 ? (
            <EmptyState icon={ChartColumn} title="No requests counted yet">
              Counts are added at most once a minute, by the next request after it.
            </EmptyState>
          ) : (
            <RequestCharts totals={requests} />
          )}
        </Card>
        <Card title="Providers" titleId="providers" flush>
          <ProviderSpending providers={providers} now={now} />
          {funds.length > 0 && <ProviderFundsCharts funds={funds} />}
        </Card>
        <Card title="Databases" titleId="databases">
          <DatabaseSizes {...sizes} />
        </Card>
        <Card title="Backups" titleId="backups">
          <BackupSummary backups={backups} isLate={isBackupLate} />
        </Card>
        <Card title="Jobs" titleId="jobs" flush>
          <JobTable jobs={jobs} />
          <p className="border-t border-line p-4 text-sm text-muted sm:px-5">
            Of jobs that run every minute, one run in ten minutes is recorded, every run that fails, and the first that
            succeeds after it.
          </p>
        </Card>
        {closed.length > 0 && (
          <Card title="Past alerts" titleId="past-alerts" flush>
            <AlertList alerts={closed} />
          </Card>
        )}
      </div>
    </>
  );
}

function queuesOf(
  held: number,
  unsent: Awaited<ReturnType<typeof countUnsent>>,
  pushes: number,
  { waiting, lastDay }: Awaited<ReturnType<typeof countEmails>>,
): Queue[] {
  const { sent = 0, failed = 0, expired = 0 } = lastDay;
  const calls = unsent.refills + unsent.cancellations;
  return [
    { name: "Held orders", count: held, countedTo: COUNTED_TO, to: "/admin/orders?state=held" },
    { name: "Orders to submit", count: unsent.orders, countedTo: UNSENT_COUNTED_TO, to: "/admin/orders?state=Pending" },
    { name: "Refills and cancellations to submit", count: calls, countedTo: UNSENT_COUNTED_TO, to: null },
    { name: "Webhooks waiting", count: unsent.webhooks, countedTo: UNSENT_COUNTED_TO, to: null },
    { name: "Emails waiting", count: waiting, countedTo: MAX_COUNTED, to: "/admin/emails?state=waiting" },
    { name: "Emails sent in 24 hours", count: sent, countedTo: MAX_COUNTED, to: "/admin/emails" },
    {
      name: "Emails failed in 24 hours",
      count: failed + expired,
      countedTo: MAX_COUNTED,
      to: "/admin/emails?state=failed",
    },
    { name: "Notifications waiting", count: pushes, countedTo: PUSHES_COUNTED_TO, to: null },
  ];
}

/** Tells admins that a restored copy waits for its release. */
function OutgoingHoldNote() {
  return (
    <div className="flex flex-col items-start gap-2 text-sm">
      <Badge tone="bad">Nothing is sent</Badge>
      <p className="max-w-prose">
        Orders, emails, webhooks, notifications and alerts wait until you run{" "}
        <code className="font-mono whitespace-nowrap">npm run restore -- --release</code>.
      </p>
    </div>
  );
}
