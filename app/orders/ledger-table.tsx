import Receipt from "lucide-react/icons/receipt";
import { RelativeDate } from "#app/components/date.tsx";
import { EmptyState } from "#app/components/empty-state.tsx";
import { Money } from "#app/components/money.tsx";
import { Table, Td, Th } from "#app/components/table.tsx";
import { CURRENCY } from "#app/product.ts";
import type { listLedger } from "./ledger.server.ts";
import { formatMoney } from "./money.ts";

export type LedgerEntry = Pick<
  Awaited<ReturnType<typeof listLedger>>[number],
  "id" | "kind" | "orderId" | "amount" | "balanceAfter" | "note" | "createdAt"
>;

const KINDS: Record<LedgerEntry["kind"], string> = {
  charge: "Charge",
  refund: "Refund",
  topup: "Top-up",
  adjustment: "Adjustment",
};

export function LedgerTable({ entries }: { entries: LedgerEntry[] }) {
  if (entries.length === 0) {
    return (
      <EmptyState icon={Receipt} title="Nothing has moved your balance yet">
        Every charge, refund and top-up is listed with the balance after it. To add to your balance, write to support.
      </EmptyState>
    );
  }
  return (
    <Table
      label="Ledger"
      head={
        <>
          <Th>What</Th>
          <Th numeric>Amount</Th>
          <Th numeric>Balance</Th>
          <Th>When</Th>
        </>
      }
    >
      {entries.map((entry) => (
        <tr key={entry.id}>
          <Td>
            <span className="block max-w-52 truncate" title={entry.note || undefined}>
              {KINDS[entry.kind]}
              <span className="text-muted">{entry.orderId ? ` for order ${entry.orderId}` : ` ${entry.note}`}</span>
            </span>
          </Td>
          <Td numeric>
            <Money text={formatMoney(entry.amount, CURRENCY)} direction={entry.amount > 0 ? "in" : "out"} />
          </Td>
          <Td numeric className="text-muted">
            <Money text={formatMoney(entry.balanceAfter, CURRENCY)} />
          </Td>
          <Td className="text-muted">
            <RelativeDate at={entry.createdAt} />
          </Td>
        </tr>
      ))}
    </Table>
  );
}
