import { Link } from "@remix-run/react";
import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { Money } from "#app/components/formats/money-amount.tsx";
import { RelativeDate } from "#app/components/formats/relative-date.tsx";
import { Badge } from "#app/components/ui/badge.tsx";
import { Table, Td, Th } from "#app/components/ui/table.tsx";
import type { listBatches } from "#app/orders/top-up/code-batches.server.ts";

type Batch = Awaited<ReturnType<typeof listBatches>>[number];

/** `now` is in ms since 1970; it decides which batches have expired. */
export function CodeBatchTable({ batches, now }: { batches: Batch[]; now: number }) {
  const { number } = useFormats();
  return (
    <Table
      label="Batches of codes"
      head={
        <>
          <Th>Name</Th>
          <Th>Status</Th>
          <Th numeric>Amount</Th>
          <Th numeric>Codes</Th>
          <Th numeric>Redeemed</Th>
          <Th>Created</Th>
        </>
      }
    >
      {batches.map((batch) => (
        <tr key={batch.id}>
          <Td>
            <Link
              to={`/admin/codes/${batch.id}`}
              className="inline-flex h-11 items-center underline underline-offset-4 sm:h-10"
            >
              {batch.name}
            </Link>
          </Td>
          <Td>
            {batch.disabledAt !== null ? (
              <Badge tone="bad">Disabled</Badge>
            ) : batch.expiresAt !== null && batch.expiresAt <= now ? (
              <Badge>Expired</Badge>
            ) : (
              <Badge tone="good">Valid</Badge>
            )}
          </Td>
          <Td numeric>
            <Money micro={batch.amount} />
          </Td>
          <Td numeric>{number(batch.count)}</Td>
          <Td numeric>
            {number(batch.used)}
            <span className="text-muted"> / {number(batch.count * batch.maxUses)}</span>
          </Td>
          <Td className="text-muted">
            <RelativeDate at={batch.createdAt} />
          </Td>
        </tr>
      ))}
    </Table>
  );
}
