import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { Money } from "#app/components/formats/money-amount.tsx";
import { Card } from "#app/components/ui/card.tsx";
import { Table, Td, Th } from "#app/components/ui/table.tsx";
import { shareText } from "#app/orders/rules/margin.ts";
import type { CustomerPeriod } from "./customer-sales.server.ts";

/** What a customer spent and what it cost, for admins. */
export function CustomerSalesCard({ periods }: { periods: CustomerPeriod[] }) {
  const { number } = useFormats();
  return (
    <Card title="Spending and margin" titleId="sales" flush>
      <div className="data-table">
        <Table
          label="Spending and margin"
          head={
            <>
              <Th>Last</Th>
              <Th numeric>Orders</Th>
              <Th numeric>Spent</Th>
              <Th numeric>Refunds</Th>
              <Th numeric>Refunded</Th>
              <Th numeric>Cost</Th>
              <Th numeric>Earned</Th>
              <Th numeric>Margin</Th>
            </>
          }
        >
          {periods.map(({ days, orders, revenue, refunds, refunded, cost, earned, margin }) => (
            <tr key={days}>
              <Td className="whitespace-nowrap">{days} days</Td>
              <Td numeric data-label="Orders">
                {number(orders)}
              </Td>
              <Td numeric data-label="Spent">
                <Money micro={revenue} />
              </Td>
              <Td numeric data-label="Refunds">
                {number(refunds)}
              </Td>
              <Td numeric data-label="Refunded">
                <Money micro={refunded} />
              </Td>
              <Td numeric data-label="Cost">
                <Money micro={cost} />
              </Td>
              <Td numeric data-label="Earned" className={earned < 0 ? "font-medium text-bad" : ""}>
                <Money micro={earned} />
              </Td>
              <Td numeric data-label="Margin" className={margin !== null && margin < 0 ? "font-medium text-bad" : ""}>
                {margin === null ? "—" : shareText(margin)}
              </Td>
            </tr>
          ))}
        </Table>
      </div>
      <p className="border-t border-line px-4 py-3 text-xs text-muted sm:px-5">
        Spent is charges less refunds, up to a minute ago. Earned and margin leave out orders without a provider. Days
        before these are not kept.
      </p>
    </Card>
  );
}
