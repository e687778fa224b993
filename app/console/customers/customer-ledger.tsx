import { Link } from "@remix-run/react";
import Receipt from "lucide-react/icons/receipt";
import { Money } from "#app/components/formats/money-amount.tsx";
import { type Column, DataTable, type TableState } from "#app/components/table/data-table.tsx";
import { TimeCell } from "#app/components/table/row-cells.tsx";
import { EmptyState } from "#app/components/ui/empty-state.tsx";
import { KIND_NAMES } from "#app/orders/wallet/ledger-table.tsx";
import type { CustomerEntry } from "./customer-entries.server.ts";

const COLUMNS: Column<CustomerEntry>[] = [
  { name: "kind", header: "Type", className: "whitespace-nowrap", cell: ({ kind }) => KIND_NAMES[kind] },
  {
    name: "created",
    header: "Date",
    sort: "created",
    className: "text-muted",
    cell: ({ createdAt }) => <TimeCell at={createdAt} />,
  },
  {
    name: "note",
    header: "Note",
    cell: ({ orderId, note }) => (
      <>
        {orderId !== null && (
          <Link
            to={`/admin/orders/${orderId}`}
            data-row-link
            // A target of 44 px on a phone, without moving the text away from its name.
            className="mr-2 inline-flex items-center underline underline-offset-4 max-md:-my-3 max-md:min-h-11"
          >
            Order {orderId}
          </Link>
        )}
        {note}
      </>
    ),
  },
  {
    name: "amount",
    header: "Amount",
    numeric: true,
    cell: ({ amount }) => <Money micro={amount} direction={amount > 0 ? "in" : "out"} />,
  },
  {
    name: "balance",
    header: "Balance",
    numeric: true,
    className: "text-muted",
    cell: ({ balanceAfter }) => <Money micro={balanceAfter} />,
  },
];

/** `list`: the prefix of its parameters in the URL. */
export function CustomerLedger({
  userId,
  entries,
  state,
  list,
}: {
  userId: string;
  entries: CustomerEntry[];
  state: TableState;
  list: string;
}) {
  return (
    <DataTable
      label="Transactions"
      columns={COLUMNS}
      rows={entries}
      rowKey={({ id }) => id}
      state={state}
      list={list}
      exportTo={`/admin/exports/entries?${new URLSearchParams({ customer: userId })}`}
      empty={<EmptyState icon={Receipt} title="No transactions yet" />}
    />
  );
}
