import type { LoaderFunctionArgs, MetaFunction } from "@remix-run/cloudflare";
import { Link, useLoaderData } from "@remix-run/react";
import Inbox from "lucide-react/icons/inbox";
import { requireRole } from "#app/accounts/session/viewer.server.ts";
import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { RelativeDate } from "#app/components/formats/relative-date.tsx";
import { BackLink } from "#app/components/navigation/back-link.tsx";
import { MoreLink, pageOf } from "#app/components/navigation/more-link.tsx";
import { Badge } from "#app/components/ui/badge.tsx";
import { Card } from "#app/components/ui/card.tsx";
import { EmptyState } from "#app/components/ui/empty-state.tsx";
import { Table, Td, Th } from "#app/components/ui/table.tsx";
import { parseId } from "#app/http/requests/id-param.ts";
import {
  listCancellationRequests,
  listRefillRequests,
} from "#app/orders/staff/orders/refill-cancellation-queue.server.ts";
import { PRODUCT_NAME } from "#app/product.ts";

const A_PAGE = 50;

export const meta: MetaFunction = () => [{ title: `Requests · ${PRODUCT_NAME}` }];

export async function loader({ request, context }: LoaderFunctionArgs) {
  await requireRole(request, context, "agent", "admin");
  const { searchParams } = new URL(request.url);
  const [refills, cancellations] = await Promise.all([
    listRefillRequests(context.db, parseId(searchParams.get("refill")), A_PAGE),
    listCancellationRequests(context.db, parseId(searchParams.get("cancel")), A_PAGE),
  ]);
  return {
    refills: pageOf(refills, A_PAGE, ({ id }) => id),
    cancellations: pageOf(cancellations, A_PAGE, ({ orderId }) => orderId),
  };
}

export default function Requests() {
  const { number } = useFormats();
  const { refills, cancellations } = useLoaderData<typeof loader>();
  return (
    <>
      <BackLink to="/admin/orders">Orders</BackLink>
      <h1 className="text-2xl">Refill and cancel requests</h1>
      <p className="mt-1 max-w-prose text-sm text-muted">
        What customers asked for and no provider answers. Open the order to decide.
      </p>
      <div className="mt-6 flex flex-col gap-6">
        <Card title="Cancellations" titleId="cancellations" flush>
          {cancellations.rows.length === 0 ? (
            <EmptyState icon={Inbox} title="No cancellation waits" />
          ) : (
            <Table
              label="Cancellations"
              head={
                <>
                  <Th numeric>Order</Th>
                  <Th>Service</Th>
                  <Th>Status</Th>
                  <Th numeric>Remains</Th>
                  <Th>Asked</Th>
                </>
              }
            >
              {cancellations.rows.map((row) => (
                <tr key={row.orderId}>
                  <OrderCell id={row.orderId} />
                  <Td>{row.service}</Td>
                  <Td>
                    <Badge>{row.orderStatus}</Badge>
                  </Td>
                  <Td numeric>
                    {number(row.remains)} / {number(row.quantity * row.runs)}
                  </Td>
                  <Td className="text-muted">
                    <RelativeDate at={row.createdAt} />
                  </Td>
                </tr>
              ))}
            </Table>
          )}
          <MoreLink name="cancel" next={cancellations.next} />
        </Card>
        <Card title="Refills" titleId="refills" flush>
          {refills.rows.length === 0 ? (
            <EmptyState icon={Inbox} title="No refill waits" />
          ) : (
            <Table
              label="Refills"
              head={
                <>
                  <Th numeric>Order</Th>
                  <Th numeric>Refill</Th>
                  <Th>Service</Th>
                  <Th>Status</Th>
                  <Th>Asked</Th>
                </>
              }
            >
              {refills.rows.map((row) => (
                <tr key={row.id}>
                  <OrderCell id={row.orderId} />
                  <Td numeric className="font-mono">
                    {row.id}
                  </Td>
                  <Td>{row.service}</Td>
                  <Td>
                    <Badge tone={row.fulfillment === "held" ? "warn" : "neutral"}>
                      {row.fulfillment === "held" ? "Held" : row.status}
                    </Badge>
                  </Td>
                  <Td className="text-muted">
                    <RelativeDate at={row.createdAt} />
                  </Td>
                </tr>
              ))}
            </Table>
          )}
          <MoreLink name="refill" next={refills.next} />
        </Card>
      </div>
    </>
  );
}

function OrderCell({ id }: { id: number }) {
  return (
    <Td numeric>
      <Link
        to={`/admin/orders/${id}`}
        className="inline-flex h-11 items-center font-mono underline underline-offset-4 sm:h-10"
      >
        {id}
      </Link>
    </Td>
  );
}
