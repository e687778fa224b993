import { Link } from "@remix-run/react";
import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { RelativeDate } from "#app/components/formats/relative-date.tsx";
import { Badge } from "#app/components/ui/badge.tsx";
import { Table, Td, Th } from "#app/components/ui/table.tsx";
import type { listWaitingCancellations, listWaitingRefills } from "./refill-cancellation-queue.server.ts";

type Cancellation = Awaited<ReturnType<typeof listWaitingCancellations>>[number];
type Refill = Awaited<ReturnType<typeof listWaitingRefills>>[number];

/** Cancellations that wait for a decision. */
export function WaitingCancellations({ cancellations }: { cancellations: Cancellation[] }) {
  const { number } = useFormats();
  return (
    <Table
      label="Cancellations"
      head={
        <>
          <Th numeric>Order</Th>
          <Th>Service</Th>
          <Th>Status</Th>
          <Th numeric>Remains</Th>
          <Th>Requested</Th>
        </>
      }
    >
      {cancellations.map((row) => (
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
  );
}

/** Refills that wait for a decision. */
export function WaitingRefills({ refills }: { refills: Refill[] }) {
  return (
    <Table
      label="Refills"
      head={
        <>
          <Th numeric>Order</Th>
          <Th numeric>Refill</Th>
          <Th>Service</Th>
          <Th>Status</Th>
          <Th>Requested</Th>
        </>
      }
    >
      {refills.map((row) => (
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
