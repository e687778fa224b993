import { Link } from "@remix-run/react";
import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { Money } from "#app/components/formats/money-amount.tsx";
import { Card } from "#app/components/ui/card.tsx";
import { Table, Td, Th } from "#app/components/ui/table.tsx";
import { dateOf } from "#app/orders/sales/sales-period.ts";
import { CURRENCY } from "#app/product.ts";
import { differenceOf, marginDifferenceOf } from "./difference.ts";
import type { TodayFigures } from "./today-figures.server.ts";

/** Revenue, cost and margin of the last days, each compared with as many days before. */
export function TodaySales({ sales }: Pick<TodayFigures, "sales">) {
  const { number } = useFormats();
  const month = sales.at(-1)?.figures;
  return (
    <Card title="Sales" titleId="sales" flush>
      <Table
        label="Sales"
        head={
          <>
            <Th>Period</Th>
            <Th numeric>Revenue</Th>
            <Th numeric>Cost</Th>
            <Th numeric>Margin</Th>
            <Th numeric className="max-sm:hidden">
              Earned
            </Th>
            <Th numeric className="max-sm:hidden">
              Orders
            </Th>
          </>
        }
      >
        {sales.map((row) => (
          <PeriodRow key={row.name} row={row} />
        ))}
      </Table>
      <p className="border-t border-line p-4 text-xs text-muted sm:px-5">
        Days are UTC. Revenue is charges less refunds. Margin and earned leave out what staff deliver themselves. Each
        figure is compared with as many days before.
        {month && month.costed < month.orders && (
          <>
            {" "}
            Of the {number(month.orders)} orders of the last 30 days, the cost of {number(Math.max(0, month.costed))} is
            known: the others wait, are delivered by staff, or have a provider that names no price in {CURRENCY}.
          </>
        )}
      </p>
    </Card>
  );
}

function PeriodRow({ row }: { row: TodayFigures["sales"][number] }) {
  const { name, period, figures, before } = row;
  const { number } = useFormats();
  const { revenue, cost, earned, margin, orders } = figures;
  const compared = (of: "revenue" | "cost" | "earned" | "orders") =>
    before && <Difference text={differenceOf(figures[of], before[of])} />;
  const days = new URLSearchParams({ from: dateOf(period.from), to: dateOf(period.to) });
  return (
    <tr>
      <Td>
        <Link
          to={`/admin/reports?${days}`}
          className="inline-flex min-h-11 items-center underline underline-offset-4 sm:min-h-8"
        >
          {name}
        </Link>
      </Td>
      <Td numeric className="py-1.5">
        <Money micro={revenue} />
        {compared("revenue")}
      </Td>
      <Td numeric className="py-1.5">
        <Money micro={cost} />
        {compared("cost")}
      </Td>
      <Td numeric className="py-1.5">
        <span className="tabular">{margin === null ? "—" : `${(margin / 100).toFixed(1)}%`}</span>
        {before && <Difference text={marginDifferenceOf(margin, before.margin)} />}
      </Td>
      <Td numeric className="py-1.5 max-sm:hidden">
        <Money micro={earned} />
        {compared("earned")}
      </Td>
      <Td numeric className="py-1.5 max-sm:hidden">
        <span className="tabular">{number(orders)}</span>
        {compared("orders")}
      </Td>
    </tr>
  );
}

function Difference({ text }: { text: string | null }) {
  return text && <span className="block text-xs text-muted max-sm:whitespace-normal">{text}</span>;
}
