import type { LoaderFunctionArgs, MetaFunction } from "@remix-run/cloudflare";
import { redirect } from "@remix-run/cloudflare";
import { useLoaderData } from "@remix-run/react";
import ChartNoAxesColumn from "lucide-react/icons/chart-no-axes-column";
import { requireRole } from "#app/accounts/session/viewer.server.ts";
import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { DataTable } from "#app/components/table/data-table.tsx";
import { EmptyState } from "#app/components/ui/empty-state.tsx";
import { dayFormat, reportColumns } from "#app/console/reports/report-columns.tsx";
import { ReportPeriod, ReportSubjects } from "#app/console/reports/report-filters.tsx";
import { ReportTotals } from "#app/console/reports/report-totals.tsx";
import { readReport } from "#app/orders/reports/read-report.server.ts";
import { readReportQuery } from "#app/orders/reports/report-query.ts";
import { dateOf, type Period } from "#app/orders/sales/sales-period.ts";
import { PRODUCT_NAME } from "#app/product.ts";

export const meta: MetaFunction = () => [{ title: `Order report · ${PRODUCT_NAME}` }];

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
  const formats = useFormats();
  const day = dayFormat(formats.locale);
  const hasTimes = report.rows.some(({ delivery }) => delivery !== null);
  return (
    <>
      <h1 className="text-2xl">Order report</h1>
      <ReportPeriod {...query} now={now} />
      <p className="mt-4 max-w-prose text-sm text-muted">
        {periodText(period, day)}, compared with {periodText(compared, day)}. Days are UTC. A charge, a refund and a
        cost each count on their own day.
      </p>
      <ReportTotals total={report.total} />
      <div className="mt-6">
        <ReportSubjects {...query} />
      </div>
      <section aria-label="Report" className="mt-2 min-w-0 rounded-md border border-line bg-raised">
        <DataTable
          label="Report"
          columns={reportColumns(by, hasTimes, formats)}
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

function periodText({ from, to }: Period, day: Intl.DateTimeFormat): string {
  const [first, last] = [from, to].map((one) => Date.parse(dateOf(one)));
  return day.formatRange(first ?? 0, last ?? 0);
}

const NOTES = {
  day: "Delivery times of days are shown for periods of up to 14 days, of orders placed on that day.",
  service: "Delivery times are of orders placed in the period, kept for 92 days.",
  provider: "Delivery times of providers are shown for up to 31 days, of the services that each has today.",
  customer:
    "Deleted accounts are part of the totals above, and not in this list. Delivery times are of orders placed in the period, up to ten minutes old.",
};

function footerOf(by: keyof typeof NOTES, rows: number, isCut: boolean): string {
  return `${isCut ? `The first ${rows}. The export has all. ` : ""}${NOTES[by]}`;
}
