import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { Money } from "#app/components/formats/money-amount.tsx";
import { Badge } from "#app/components/ui/badge.tsx";
import { Card } from "#app/components/ui/card.tsx";
import { Table, Td, Th } from "#app/components/ui/table.tsx";
import type { Reconciliation } from "#app/orders/providers/reconcile-provider.server.ts";
import type { DayVerdict, ReconciledDay } from "#app/orders/providers/reconciled-day.ts";
import { amountOf } from "#app/orders/rules/money-text.ts";
import { dateOf } from "#app/orders/sales/sales-period.ts";
import { CURRENCY } from "#app/product.ts";

/** Shows the cost of our orders at a provider by day, beside the amount that our balance there fell by. */
export function ProviderReconciliation({ reconciliation }: { reconciliation: Reconciliation }) {
  const { days, currency, isComparable } = reconciliation;
  return (
    <Card title="Costs and balance" titleId="costs" flush>
      <div className="flex flex-col gap-2 px-4 py-3 text-sm text-muted sm:px-5">
        {isComparable ? (
          <p>
            What your orders cost here each day, beside what your balance here fell by. Both should be nearly the same.
            The balance is read every 15 minutes, and days are UTC.
          </p>
        ) : (
          <p>
            Your balance here is in {currency} and your costs are in {CURRENCY}, so they aren't compared.
          </p>
        )}
        {days.length === 0 && <p>No orders and no changes of the balance in the last 30 days.</p>}
      </div>
      {days.length > 0 && (
        <Table
          label="Costs and balance"
          head={
            <>
              <Th>Day</Th>
              <Th numeric>Cost</Th>
              <Th numeric>Balance fell</Th>
              <Th numeric className="max-sm:hidden">
                Balance rose
              </Th>
              <Th numeric className="max-sm:hidden">
                Difference
              </Th>
              <Th className="max-lg:hidden">What it means</Th>
            </>
          }
        >
          {days.map((row) => (
            <DayRow key={row.day} row={row} currency={isComparable ? null : currency} />
          ))}
        </Table>
      )}
    </Card>
  );
}

/** `currency` is that of the balance, if it isn't ours. */
function DayRow({ row, currency }: { row: ReconciledDay; currency: string | null }) {
  const { day, cost, fell, rose, difference } = row;
  const amount = (micro: number) =>
    currency === null ? <Money micro={micro} /> : <span className="tabular">{`${amountOf(micro)} ${currency}`}</span>;
  return (
    <>
      <tr className="align-top max-lg:border-b-0 lg:nth-last-2:border-b-0">
        <Td className="py-2.5 whitespace-nowrap">{dateOf(day)}</Td>
        <Td numeric className="py-2.5">
          <Money micro={cost} />
        </Td>
        <Td numeric className="py-2.5">
          {amount(fell)}
        </Td>
        <Td numeric className="py-2.5 max-sm:hidden">
          {rose === 0 ? "—" : amount(rose)}
        </Td>
        <Td numeric className="py-2.5 max-sm:hidden">
          {difference === null ? "—" : <Money micro={difference} />}
        </Td>
        <Td className="py-2.5 max-lg:hidden">
          <Meaning row={row} />
        </Td>
      </tr>
      {/* A sentence needs the width of the screen. */}
      <tr className="lg:hidden">
        <Td colSpan={5} className="pb-3">
          <Meaning row={row} />
        </Td>
      </tr>
    </>
  );
}

const TONES: Partial<Record<DayVerdict, "good" | "bad" | "warn">> = {
  matches: "good",
  took_more: "bad",
  took_less: "warn",
};
const NAMES: Record<DayVerdict, string> = {
  matches: "Matches",
  took_more: "Took more",
  took_less: "Took less",
  rose: "Can't be compared",
  today: "Not over yet",
  unread: "Balance not read all day",
  other_currency: "Other currency",
};

function Meaning({ row: { verdict, difference } }: { row: ReconciledDay }) {
  const { money } = useFormats();
  const by = money(Math.abs(difference ?? 0));
  const texts: Record<DayVerdict, string | null> = {
    matches: null,
    took_more: `The provider took ${by} more than your orders account for. Compare its orders of this day with yours, and its rates with those of the last import.`,
    took_less: `The provider took ${by} less. It may have charged on another day, or asked less than its catalog says.`,
    rose: "The balance rose, by a top-up or a refund. What was spent in the same 15 minutes hides in it.",
    today: null,
    unread: null,
    other_currency: null,
  };
  return (
    <>
      <Badge tone={TONES[verdict]}>{NAMES[verdict]}</Badge>
      {texts[verdict] && <p className="mt-1 max-w-prose text-xs text-muted">{texts[verdict]}</p>}
    </>
  );
}
