import { Link } from "@remix-run/react";
import { RelativeDate } from "#app/components/formats/relative-date.tsx";
import { Table, Td, Th } from "#app/components/ui/table.tsx";
import { AmountCells, KIND_NAMES } from "#app/orders/wallet/ledger-table.tsx";
import type { StaffCustomer } from "./customer-admin.server.ts";

export function CustomerLedger({ entries }: { entries: StaffCustomer["entries"] }) {
  return (
    <Table
      label="Transactions"
      head={
        <>
          <Th>Date</Th>
          <Th>Type</Th>
          <Th>Note</Th>
          <Th numeric>Amount</Th>
          <Th numeric>Balance</Th>
        </>
      }
    >
      {entries.map((entry) => (
        <tr key={entry.id}>
          <Td className="text-muted">
            <RelativeDate at={entry.createdAt} />
          </Td>
          <Td className="whitespace-nowrap">{KIND_NAMES[entry.kind]}</Td>
          <Td>
            {entry.orderId !== null && (
              <Link to={`/admin/orders/${entry.orderId}`} className="mr-2 underline underline-offset-4">
                Order {entry.orderId}
              </Link>
            )}
            {entry.note}
          </Td>
          <AmountCells entry={entry} />
        </tr>
      ))}
    </Table>
  );
}
