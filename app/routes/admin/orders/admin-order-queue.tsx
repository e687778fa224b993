import type { LoaderFunctionArgs, MetaFunction } from "@remix-run/cloudflare";
import { useLoaderData } from "@remix-run/react";
import Inbox from "lucide-react/icons/inbox";
import { requireRole } from "#app/accounts/session/viewer.server.ts";
import { BackLink } from "#app/components/navigation/back-link.tsx";
import { MoreLink, pageOf } from "#app/components/navigation/more-link.tsx";
import { Card } from "#app/components/ui/card.tsx";
import { EmptyState } from "#app/components/ui/empty-state.tsx";
import { parseId } from "#app/http/requests/id-param.ts";
import {
  listWaitingCancellations,
  listWaitingRefills,
} from "#app/orders/staff/orders/refill-cancellation-queue.server.ts";
import { WaitingCancellations, WaitingRefills } from "#app/orders/staff/orders/waiting-tables.tsx";
import { PRODUCT_NAME } from "#app/product.ts";

const ROWS_PER_PAGE = 50;

export const meta: MetaFunction = () => [{ title: `Refills and cancellations · ${PRODUCT_NAME}` }];

export async function loader({ request, context }: LoaderFunctionArgs) {
  await requireRole(request, context, "agent", "admin");
  const { searchParams } = new URL(request.url);
  const [refills, cancellations] = await Promise.all([
    listWaitingRefills(context.db, parseId(searchParams.get("refill")), ROWS_PER_PAGE),
    listWaitingCancellations(context.db, parseId(searchParams.get("cancel")), ROWS_PER_PAGE),
  ]);
  return {
    refills: pageOf(refills, ROWS_PER_PAGE, ({ id }) => id),
    cancellations: pageOf(cancellations, ROWS_PER_PAGE, ({ orderId }) => orderId),
  };
}

export default function OrderQueuePage() {
  const { refills, cancellations } = useLoaderData<typeof loader>();
  return (
    <>
      <BackLink to="/admin/orders">Orders</BackLink>
      <h1 className="text-2xl">Refills and cancellations</h1>
      <p className="mt-1 max-w-prose text-sm text-muted">
        These wait for you because no provider decides them. Open an order to decide.
      </p>
      <div className="mt-6 flex flex-col gap-6">
        <Card title="Cancellations" titleId="cancellations" flush>
          {cancellations.rows.length === 0 ? (
            <EmptyState icon={Inbox} title="No cancellations waiting" />
          ) : (
            <WaitingCancellations cancellations={cancellations.rows} />
          )}
          <MoreLink name="cancel" next={cancellations.next} />
        </Card>
        <Card title="Refills" titleId="refills" flush>
          {refills.rows.length === 0 ? (
            <EmptyState icon={Inbox} title="No refills waiting" />
          ) : (
            <WaitingRefills refills={refills.rows} />
          )}
          <MoreLink name="refill" next={refills.next} />
        </Card>
      </div>
    </>
  );
}
