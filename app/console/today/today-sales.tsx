import { Link } from "@remix-run/react";
import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { Card } from "#app/components/ui/card.tsx";
import { SalesTable } from "#app/console/reports/sales-table.tsx";
import { dateOf } from "#app/orders/sales/sales-period.ts";
import { CURRENCY } from "#app/product.ts";
import type { TodayFigures } from "./today-figures.server.ts";

/** Revenue, cost and margin of the last days, each compared with as many days before. */
export function TodaySales({ sales }: Pick<TodayFigures, "sales">) {
  const { number } = useFormats();
  const month = sales.at(-1)?.figures;
  return (
    <Card title="Sales" titleId="sales" flush>
      <SalesTable
        label="Sales"
        periods="Period"
        columns={[
          { figure: "revenue" },
          { figure: "cost" },
          { figure: "margin" },
          { figure: "earned", isForWide: true },
          { figure: "orders", isForWide: true },
        ]}
        rows={sales.map(({ name, period, figures, before }) => ({
          key: name,
          name: <PeriodLink name={name} period={period} />,
          figures,
          before,
        }))}
      />
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

function PeriodLink({ name, period }: Pick<TodayFigures["sales"][number], "name" | "period">) {
  const days = new URLSearchParams({ from: dateOf(period.from), to: dateOf(period.to) });
  return (
    <Link
      to={`/admin/reports?${days}`}
      className="inline-flex min-h-11 items-center whitespace-normal underline underline-offset-4 sm:min-h-8"
    >
      {name}
    </Link>
  );
}
