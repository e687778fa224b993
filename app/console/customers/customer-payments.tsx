import CreditCard from "lucide-react/icons/credit-card";
import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { DataTable, type TableState } from "#app/components/table/data-table.tsx";
import { EmptyState } from "#app/components/ui/empty-state.tsx";
import { ownPaymentColumns } from "./payment-columns.tsx";
import type { PaymentRow } from "./payment-list.server.ts";

/** `list`: the prefix of its parameters in the URL. */
export function CustomerPayments({
  userId,
  payments,
  state,
  list,
}: {
  userId: string;
  payments: PaymentRow[];
  state: TableState;
  list: string;
}) {
  return (
    <DataTable
      label="Card payments"
      columns={ownPaymentColumns(useFormats())}
      rows={payments}
      rowKey={({ id }) => id}
      state={state}
      list={list}
      exportTo={`/admin/exports/payments?${new URLSearchParams({ customer: userId })}`}
      empty={<EmptyState icon={CreditCard} title="No card payments yet" />}
    />
  );
}
