import { Card } from "#app/components/ui/card.tsx";
import { SalesTable } from "#app/console/reports/sales-table.tsx";
import type { CustomerPeriod } from "./customer-sales.server.ts";

/** A customer's spending, its cost and how the orders ended, for admins. */
export function CustomerSalesCard({ periods }: { periods: CustomerPeriod[] }) {
  return (
    <Card title="Spending and margin" titleId="sales" flush>
      <SalesTable
        label="Spending and margin"
        periods="Last"
        columns={[
          { figure: "orders" },
          { figure: "revenue", header: "Spent" },
          { figure: "refunds" },
          { figure: "refunded" },
          { figure: "cost" },
          { figure: "earned" },
          { figure: "margin" },
          { figure: "half" },
          { figure: "cutShort" },
        ]}
        rows={periods.map(({ days, ...figures }) => ({ key: days, name: `${days} days`, figures }))}
        isCards
      />
      <p className="border-t border-line px-4 py-3 text-xs text-muted sm:px-5">
        Spent is charges less refunds, up to a minute ago. Earned and margin leave out orders without a provider. Cut
        short are canceled and partial orders. Days before these are not kept.
      </p>
    </Card>
  );
}
