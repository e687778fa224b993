import type { LoaderFunctionArgs, MetaFunction } from "@remix-run/cloudflare";
import { useLoaderData } from "@remix-run/react";
import Inbox from "lucide-react/icons/inbox";
import { requireRole } from "#app/accounts/session/viewer.server.ts";
import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { DataTable } from "#app/components/table/data-table.tsx";
import { ListFilters } from "#app/components/table/list-filters.tsx";
import { Card } from "#app/components/ui/card.tsx";
import { EmptyState } from "#app/components/ui/empty-state.tsx";
import {
  listWaitingCancellations,
  listWaitingRefills,
  readWaitingQuery,
} from "#app/console/orders/decisions/refill-cancellation-queue.server.ts";
import { cancellationColumns, REFILL_COLUMNS } from "#app/console/orders/decisions/waiting-tables.tsx";
import { CANCELLATIONS_LIST, REFILLS_LIST } from "#app/console/orders/queue/queue-lists.ts";
import { readCursor } from "#app/http/lists/list-query.ts";
import { PRODUCT_NAME } from "#app/product.ts";

const ROWS_PER_PAGE = 50;

export const meta: MetaFunction = () => [{ title: `Refills and cancellations · ${PRODUCT_NAME}` }];

export async function loader({ request, context }: LoaderFunctionArgs) {
  const { role } = await requireRole(request, context, "agent", "admin");
  const { db } = context;
  const { searchParams } = new URL(request.url);
  const { between, days, ...refills } = readWaitingQuery(searchParams, REFILLS_LIST);
  const { between: _, days: __, ...cancellations } = readWaitingQuery(searchParams, CANCELLATIONS_LIST);
  const [refillPage, cancellationPage] = await Promise.all([
    listWaitingRefills(db, { ...refills, between }, readCursor(searchParams, REFILLS_LIST), ROWS_PER_PAGE),
    listWaitingCancellations(
      db,
      { ...cancellations, between },
      readCursor(searchParams, CANCELLATIONS_LIST),
      ROWS_PER_PAGE,
    ),
  ]);
  // Agents see the queues and take no lists along.
  const canExport = role === "admin";
  return {
    canExport,
    days,
    refills: { ...refills, ...refillPage },
    cancellations: { ...cancellations, ...cancellationPage },
  };
}

export default function OrderQueuePage() {
  const { canExport, days, refills, cancellations } = useLoaderData<typeof loader>();
  const hasDays = days.from !== "" || days.to !== "";
  return (
    <>
      <h1 className="text-2xl">Refills and cancellations</h1>
      <p className="mt-1 max-w-prose text-sm text-muted">
        These wait for you because no provider decides them. Open an order to decide.
      </p>
      <div className="mt-4">
        <ListFilters id="requests" days={days} clearTo={hasDays ? "?" : null} />
      </div>
      <div className="mt-4 flex flex-col gap-6">
        <Card title="Cancellations" titleId="cancellations" flush>
          <DataTable
            label="Cancellations"
            list={CANCELLATIONS_LIST}
            columns={cancellationColumns(useFormats())}
            rows={cancellations.rows}
            rowKey={({ orderId }) => orderId}
            state={cancellations}
            {...(canExport && { exportTo: "/admin/exports/cancellations" })}
            empty={<EmptyState icon={Inbox} title="No cancellations waiting" />}
          />
        </Card>
        <Card title="Refills" titleId="refills" flush>
          <DataTable
            label="Refills"
            list={REFILLS_LIST}
            columns={REFILL_COLUMNS}
            rows={refills.rows}
            rowKey={({ id }) => id}
            state={refills}
            {...(canExport && { exportTo: "/admin/exports/refills" })}
            empty={<EmptyState icon={Inbox} title="No refills waiting" />}
          />
        </Card>
      </div>
    </>
  );
}
