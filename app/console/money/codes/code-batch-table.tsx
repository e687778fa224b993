import { Money } from "#app/components/formats/money-amount.tsx";
import type { Formats } from "#app/components/formats/number-formats.ts";
import type { Column } from "#app/components/table/data-table.tsx";
import { RowLink, TimeCell } from "#app/components/table/row-cells.tsx";
import { Badge } from "#app/components/ui/badge.tsx";
import type { CodeBatch } from "#app/orders/top-up/code-batches.server.ts";
import { CODE_WORDS } from "#app/words/code-words.ts";

/** `now` is in ms since 1970; it decides which batches have expired. */
export function codeBatchColumns({ number }: Formats, now: number): Column<CodeBatch>[] {
  return [
    {
      name: "name",
      header: CODE_WORDS.name,
      cell: ({ id, name }) => (
        <RowLink to={`/admin/codes/${id}`} title={name}>
          {name}
        </RowLink>
      ),
    },
    { name: "status", header: "Status", inCard: "text", cell: (batch) => <BatchState {...batch} now={now} /> },
    {
      name: "amount",
      header: CODE_WORDS.amount,
      inCard: "figure",
      numeric: true,
      cell: ({ amount }) => <Money micro={amount} />,
    },
    { name: "codes", header: "Codes", inCard: "figure", numeric: true, cell: ({ count }) => number(count) },
    {
      name: "redeemed",
      header: "Redeemed",
      inCard: "figure",
      numeric: true,
      cell: ({ used, count, maxUses }) => (
        <>
          {number(used)}
          <span className="text-muted"> / {number(count * maxUses)}</span>
        </>
      ),
    },
    {
      name: "created",
      header: "Created",
      inCard: "figure",
      sort: "created",
      className: "text-muted",
      cell: ({ createdAt }) => <TimeCell at={createdAt} />,
    },
  ];
}

function BatchState({
  disabledAt,
  expiresAt,
  now,
}: {
  disabledAt: number | null;
  expiresAt: number | null;
  now: number;
}) {
  if (disabledAt !== null) return <Badge tone="bad">Disabled</Badge>;
  return expiresAt !== null && expiresAt <= now ? <Badge>Expired</Badge> : <Badge tone="good">Valid</Badge>;
}
