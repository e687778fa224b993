import type { LoaderFunctionArgs, MetaFunction } from "@remix-run/cloudflare";
import { Link, useLoaderData } from "@remix-run/react";
import CircleCheck from "lucide-react/icons/circle-check";
import Clock from "lucide-react/icons/clock";
import Server from "lucide-react/icons/server";
import { requireRole } from "#app/accounts/session/viewer.server.ts";
import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { Card } from "#app/components/ui/card.tsx";
import { EmptyState } from "#app/components/ui/empty-state.tsx";
import { countEmails } from "#app/email/email-admin.server.ts";
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
import { listJobs } from "#app/monitoring/jobs/job-runs.server.ts";
import { JobTable } from "#app/monitoring/jobs/job-table.tsx";
import { RequestCharts } from "#app/monitoring/requests/request-charts.tsx";
import { readRequestTotals } from "#app/monitoring/requests/request-totals.server.ts";
import { listProviderFunds } from "#app/orders/providers/provider-balance.server.ts";
import { countWaiting } from "#app/orders/staff/orders/staff-order-list.server.ts";
import { ProviderFundsTable } from "#app/orders/staff/services/provider-funds-table.tsx";
import { PRODUCT_NAME } from "#app/product.ts";

export const meta: MetaFunction = () => [{ title: `System · ${PRODUCT_NAME}` }];

export async function loader({ request, context }: LoaderFunctionArgs) {
  await requireRole(request, context, "admin");
  const { db, env } = context;
  const now = Date.now();
  const [alerts, jobs, providers, sizes, emails, waiting, requests] = await Promise.all([
    readAlerts(db, env),
    listJobs(db, now),
    listProviderFunds(db, now),
    readDatabaseSizes(env),
    countEmails(db),
    countWaiting(db),
    readRequestTotals(db, now),
  ]);
  const limit = databaseLimit(env);
  const databases = DATABASES.map((name) => {
    const bytes = sizes[name] ?? null;
    return { name, bytes, limit, isFull: bytes !== null && bytes >= FULL_RATIO * limit };
  });
  return { alerts, jobs, providers, databases, emails, held: waiting.held, requests, now };
}

export default function SystemPage() {
  const { alerts, jobs, providers, databases, emails, held, requests, now } = useLoaderData<typeof loader>();
  const { open, closed, channels } = alerts;
  return (
    <>
      <h1 className="text-2xl">System</h1>
      <p className="mt-1 max-w-prose text-sm text-muted">
        What the product checks every minute. You get a message when something begins and one when it is over.
      </p>
      <div className="mt-6 flex flex-col gap-4">
        <Card title="Open alerts" titleId="alerts" flush>
          {open.length === 0 ? (
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
        <Queues held={held} waiting={emails.waiting} lastDay={emails.lastDay} />
        <Card title="Requests" titleId="requests" flush>
          <RequestCharts totals={requests} />
        </Card>
        <Card title="Providers" titleId="providers" flush>
          {providers.length === 0 ? (
            <EmptyState icon={Server} title="No providers yet">
              Without a provider, staff deliver every order manually.
            </EmptyState>
          ) : (
            <ProviderFundsTable providers={providers} now={now} />
          )}
        </Card>
        <Card title="Databases" titleId="databases">
          <DatabaseSizes databases={databases} />
        </Card>
        <Card title="Jobs" titleId="jobs" flush>
          {jobs.length === 0 ? (
            <EmptyState icon={Clock} title="No job has run yet">
              Jobs run every minute and every night, once the worker's cron triggers are on.
            </EmptyState>
          ) : (
            <JobTable jobs={jobs} />
          )}
          <p className="border-t border-line p-4 text-sm text-muted sm:px-5">
            For jobs that run every minute, one run in ten minutes is recorded, plus every change between success and
            failure.
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

type Emails = Awaited<ReturnType<typeof countEmails>>;

function Queues({ held, waiting, lastDay }: { held: number } & Emails) {
  const { number } = useFormats();
  const { sent = 0, failed = 0, expired = 0 } = lastDay;
  const figures: [string, number, string][] = [
    ["Held orders", held, "/admin/orders?state=held"],
    ["Emails waiting", waiting, "/admin/emails?state=waiting"],
    ["Sent in 24 hours", sent, "/admin/emails"],
    ["Failed in 24 hours", failed + expired, "/admin/emails?state=failed"],
  ];
  return (
    <Card title="Orders and emails" titleId="queues">
      <dl className="grid grid-cols-2 gap-x-6 gap-y-3 sm:grid-cols-4">
        {figures.map(([name, count, to]) => (
          <div key={name} className="flex flex-col">
            <dt className="text-sm text-muted">
              <Link to={to} className="underline underline-offset-4">
                {name}
              </Link>
            </dt>
            <dd className="tabular mt-1 text-xl font-semibold">{number(count)}</dd>
          </div>
        ))}
      </dl>
    </Card>
  );
}
