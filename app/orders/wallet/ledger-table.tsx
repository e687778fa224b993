import { Link } from "@remix-run/react";
import { Money } from "#app/components/formats/money-amount.tsx";
import { RelativeDate } from "#app/components/formats/relative-date.tsx";
import { Table, Td, Th } from "#app/components/ui/table.tsx";
import type { listTransactions } from "./transactions.server.ts";

export type LedgerEntry = Awaited<ReturnType<typeof listTransactions>>["rows"][number];

export const KIND_NAMES: Record<LedgerEntry["kind"], string> = {
  charge: "Charge",
  refund: "Refund",
  topup: "Top-up",
  adjustment: "Adjustment",
  reversal: "Card reversal",
};

export function LedgerTable({ entries }: { entries: LedgerEntry[] }) {
  return (
    <Table
      label="Transactions"
      head={
        <>
          <Th>Description</Th>
          <Th numeric>Amount</Th>
          <Th numeric>Balance after</Th>
          <Th>Date</Th>
          <Th>
            <span className="sr-only">Receipt</span>
          </Th>
        </>
      }
    >
      {entries.map((entry) => (
        <tr key={entry.id}>
          <Td>
            <span className="block max-w-72 truncate" title={entry.note || undefined}>
              {KIND_NAMES[entry.kind]}
              {entry.orderId ? (
                <>
                  {" for order "}
                  <Link
                    to={`/dashboard/orders/${entry.orderId}`}
                    className="inline-flex h-11 items-center font-mono underline decoration-line-strong underline-offset-4 hover:decoration-current sm:h-10"
                  >
                    {entry.orderId}
                  </Link>
                </>
              ) : (
                <span className="text-muted"> {entry.note}</span>
              )}
            </span>
          </Td>
          <AmountCells entry={entry} />
          <Td className="text-muted">
            <RelativeDate at={entry.createdAt} />
          </Td>
          <Td className="text-right">
            <Link
              to={`/dashboard/transactions/${entry.id}`}
              aria-label={`Receipt ${entry.id}`}
              className="inline-flex h-11 items-center underline decoration-line-strong underline-offset-4 hover:decoration-current sm:h-10"
            >
              Receipt
            </Link>
          </Td>
        </tr>
      ))}
    </Table>
  );
}

/** Two table cells: the amount of a ledger entry, and the balance after it. */
export function AmountCells({ entry }: { entry: { amount: number; balanceAfter: number } }) {
  return (
    <>
      <Td numeric>
        <Money micro={entry.amount} direction={entry.amount > 0 ? "in" : "out"} />
      </Td>
      <Td numeric className="text-muted">
        <Money micro={entry.balanceAfter} />
      </Td>
    </>
  );
}
