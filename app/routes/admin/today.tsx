import type { LoaderFunctionArgs, MetaFunction } from "@remix-run/cloudflare";
import { Link, useLoaderData } from "@remix-run/react";
import { requireRole } from "#app/accounts/session/viewer.server.ts";
import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { Card } from "#app/components/ui/card.tsx";
import { Notice } from "#app/components/ui/notice.tsx";
import { COUNTED_TO, type StaffCounts } from "#app/console/orders/list/staff-order-list.server.ts";
import { type OpenDecision, OpenDecisions } from "#app/console/today/open-decisions.tsx";
import { readToday } from "#app/console/today/today-figures.server.ts";
import { LateServices, TodayOrders } from "#app/console/today/today-orders.tsx";
import { TodayProviders } from "#app/console/today/today-providers.tsx";
import { TodaySales } from "#app/console/today/today-sales.tsx";
import { BriefAlertList } from "#app/monitoring/alerts/alert-list.tsx";
import { readOpenAlerts } from "#app/monitoring/alerts/shown-alerts.server.ts";
import { PRODUCT_NAME } from "#app/product.ts";
import { countInbox } from "#app/support/inbox/inbox.server.ts";

export const meta: MetaFunction = () => [{ title: `Today · ${PRODUCT_NAME}` }];

export async function loader({ request, context }: LoaderFunctionArgs) {
  const { userId } = await requireRole(request, context, "admin");
  const now = Date.now();
  const [figures, alerts, inbox] = await Promise.all([
    readToday(context.db, now),
    readOpenAlerts(context.db),
    countInbox(context.supportDb, userId, now),
  ]);
  const { waiting, ...shown } = figures;
  return { ...shown, alerts, decisions: decisionsOf(waiting, inbox.counts), now };
}

export default function TodayPage() {
  const { sales, open, countedAt, late, providers, ledgerFaults, alerts, decisions, now } =
    useLoaderData<typeof loader>();
  const { number } = useFormats();
  return (
    <>
      <h1 className="text-2xl">Today</h1>
      <div className="mt-6 flex flex-col gap-4">
        {ledgerFaults > 0 && (
          <Notice tone="bad">
            The ledger doesn't add up: {number(ledgerFaults)} {ledgerFaults === 1 ? "fault" : "faults"}. The figures
            below may be wrong.{" "}
            <Link to="/admin/system" className="underline underline-offset-4">
              See what to do
            </Link>
          </Notice>
        )}
        {alerts.length > 0 && (
          <Card title="Open alerts" titleId="alerts" flush>
            <BriefAlertList alerts={alerts} />
          </Card>
        )}
        <div className="grid items-start gap-4 lg:grid-cols-[2fr_1fr]">
          <div className="flex min-w-0 flex-col gap-4">
            <TodaySales sales={sales} />
            <TodayOrders open={open} countedAt={countedAt} />
          </div>
          <OpenDecisions decisions={decisions} />
        </div>
        <LateServices late={late} />
        <TodayProviders providers={providers} now={now} />
      </div>
    </>
  );
}

function decisionsOf(
  waiting: StaffCounts,
  { unassigned, open }: Awaited<ReturnType<typeof countInbox>>["counts"],
): OpenDecision[] {
  const { held, manual, refills, cancellations, catalog, unread, payments } = waiting;
  const upTo = { countedTo: COUNTED_TO };
  const exact = { countedTo: Number.POSITIVE_INFINITY };
  return [
    { name: "Held orders", count: held, to: "/admin/orders?state=held", ...upTo },
    { name: "Orders to deliver by hand", count: manual, to: "/admin/orders?state=manual", ...upTo },
    { name: "Refills", count: refills, to: "/admin/orders/requests#refills", ...upTo },
    { name: "Cancellations", count: cancellations, to: "/admin/orders/requests#cancellations", ...upTo },
    { name: "Catalog changes", count: catalog, to: "/admin/providers/quarantine", ...upTo },
    { name: "Unknown words from providers", count: unread, to: "/admin/providers", ...upTo },
    { name: "Payments to review", count: payments, to: "/admin/payments?state=review", ...upTo },
    { name: "Unassigned conversations", count: unassigned, to: "/admin?view=unassigned", ...exact },
    { name: "Open conversations", count: open, to: "/admin", ...exact },
  ];
}
