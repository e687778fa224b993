import type { LoaderFunctionArgs, MetaFunction } from "@remix-run/cloudflare";
import { Link, useLoaderData } from "@remix-run/react";
import ChartNoAxesColumn from "lucide-react/icons/chart-no-axes-column";
import { requireRole } from "#app/accounts/session/viewer.server.ts";
import { EmptyState } from "#app/components/ui/empty-state.tsx";
import { PRODUCT_NAME } from "#app/product.ts";
import { AgentTable, ReportCharts, ReportFigures } from "#app/support/console/reports/report-charts.tsx";
import { readReport } from "#app/support/inbox/reports.server.ts";
import { readSettings } from "#app/support/team/support-settings.server.ts";

const SPANS = [7, 30, 90];

export const meta: MetaFunction = () => [{ title: `Support report · ${PRODUCT_NAME}` }];

export async function loader({ request, context }: LoaderFunctionArgs) {
  await requireRole(request, context, "admin");
  const requested = Number(new URL(request.url).searchParams.get("days"));
  const span = SPANS.find((days) => days === requested) ?? 30;
  const { timeZone } = await readSettings(context.db);
  return { span, timeZone, report: await readReport(context.supportDb, span, Date.now(), timeZone) };
}

export default function SupportReports() {
  const { span, timeZone, report } = useLoaderData<typeof loader>();
  const { days, agents, all } = report;
  return (
    <>
      <div className="flex flex-wrap items-center justify-between gap-3">
        <h1 className="text-2xl">Support report</h1>
        <nav aria-label="Period">
          <ul className="flex gap-1">
            {SPANS.map((one) => (
              <li key={one}>
                <Link
                  to={`?days=${one}`}
                  aria-current={one === span ? "page" : undefined}
                  className="inline-flex h-11 items-center rounded-md px-3 text-sm text-muted transition-colors hover:text-text aria-[current=page]:bg-sunken aria-[current=page]:text-text sm:h-9"
                >
                  {one} days
                </Link>
              </li>
            ))}
          </ul>
        </nav>
      </div>
      <p className="mt-2 max-w-prose text-sm text-muted">
        A conversation counts on the day it started ({timeZone}), and again each time a visitor reopens it. Times are
        medians.
      </p>
      <ReportFigures all={all} />
      {all.cases === 0 ? (
        <div className="mt-6 rounded-md border border-line bg-raised">
          <EmptyState icon={ChartNoAxesColumn} title={`No conversations in the last ${span} days`}>
            A conversation counts from its visitor's first message. Try a longer period.
          </EmptyState>
        </div>
      ) : (
        <>
          <ReportCharts days={days} all={all} />
          <AgentTable agents={agents} />
        </>
      )}
    </>
  );
}
