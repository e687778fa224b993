import type { LoaderFunctionArgs, MetaFunction } from "@remix-run/cloudflare";
import { redirect } from "@remix-run/cloudflare";
import { useLoaderData } from "@remix-run/react";
import ChartNoAxesColumn from "lucide-react/icons/chart-no-axes-column";
import { requireRole } from "#app/accounts/session/viewer.server.ts";
import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { reportTabs } from "#app/components/navigation/console-nav.tsx";
import { DataTable } from "#app/components/table/data-table.tsx";
import { EmptyState } from "#app/components/ui/empty-state.tsx";
import { readReport } from "#app/orders/reports/read-report.server.ts";
import { readReportQuery } from "#app/orders/reports/report-query.ts";
import { dateOf, type Period } from "#app/orders/sales/sales-period.ts";
import { reportColumns } from "#app/orders/staff/reports/report-columns.tsx";
import { ReportPeriod, ReportSubjects } from "#app/orders/staff/reports/report-filters.tsx";
import { ReportTotals } from "#app/orders/staff/reports/report-totals.tsx";
import { ViewTabs } from "#app/orders/staff/view-tabs.tsx";
import { PRODUCT_NAME } from "#app/product.ts";

export const meta: MetaFunction = () => [{ title: `Reports · ${PRODUCT_NAME}` }];

export async function loader({ request, context }: LoaderFunctionArgs) {
  await requireRole(request, context, "admin");
  const { searchParams } = new URL(request.url);
  // The report of support had this address.
  const days = searchParams.get("days");
  if (days !== null) throw redirect(`/admin/reports/support?${new URLSearchParams({ days })}`);
  const now = Date.now();
  const query = readReportQuery(searchParams, now);
  return { query, now, report: await readReport(context.db, query, now) };
}

export default function OrderReports() {
  const { query, now, report } = useLoaderData<typeof loader>();
  const { by, period, compared, sort, sorts } = query;
  const hasTimes = report.rows.some(({ delivery }) => delivery !== null);
  return (
    <>
      <div className="flex flex-wrap items-center justify-between gap-3">
        <h1 className="text-2xl">Reports</h1>
        <ViewTabs label="Reports" views={reportTabs("orders")} />
      </div>
      <ReportPeriod {...query} now={now} />
      <p className="mt-4 max-w-prose text-sm text-muted">
        {periodText(period)}, compared with {periodText(compared)}. Days are UTC. A charge, a refund and a cost each
        count on their own day. At most 92 days by service, provider or customer, and 400 by day.
      </p>
      <ReportTotals total={report.total} />
      <div className="mt-6">
        <ReportSubjects {...query} />
      </div>
      <section aria-label="Report" className="mt-2 min-w-0 rounded-md border border-line bg-raised">
        <DataTable
          label="Report"
          columns={reportColumns(by, hasTimes, useFormats())}
          rows={report.rows}
          rowKey={({ key }) => key}
          state={{ sort, sorts, next: null }}
          exportTo="/admin/exports/reports"
          footer={footerOf(by, report.rows.length, report.isCut)}
          empty={
            <EmptyState icon={ChartNoAxesColumn} title="Nothing was sold in these days">
              Choose a longer period, or other days.
            </EmptyState>
          }
        />
      </section>
    </>
  );
}

function periodText({ from, to }: Period): string {
  return from === to ? dateOf(from) : `${dateOf(from)} to ${dateOf(to)}`;
}

const NOTES = {
  day: "Delivery times of days are shown for periods of up to 14 days, of orders placed on that day.",
  service: "Delivery times are of orders placed in the period, kept for 92 days.",
  provider: "Delivery times of providers are shown for up to 31 days, of the services that each has today.",
  customer: "Deleted accounts are part of the totals above, and not in this list. Delivery is not kept by customer.",
};

function footerOf(by: keyof typeof NOTES, rows: number, isCut: boolean): string {
  return `${isCut ? `The first ${rows}. The export has all. ` : ""}${NOTES[by]}`;
}
