import { Chart } from "#app/components/ui/chart.tsx";
import type { FundsOfDays } from "#app/orders/providers/provider-balance.server.ts";
import { amountOf } from "#app/orders/rules/money-text.ts";

/** Our funds at each provider over the last days, in its currency. */
export function ProviderFundsCharts({ funds }: { funds: FundsOfDays[] }) {
  return (
    <div className="grid gap-6 border-t border-line p-4 sm:grid-cols-2 sm:p-5 lg:grid-cols-3">
      {funds.map(({ id, name, currency, days }) => (
        <Chart
          key={id}
          title={`Funds at ${name}${currency && `, ${currency}`}`}
          kind="line"
          points={days.map(({ day, balance }) => ({ day, value: balance }))}
          format={amountOf}
        />
      ))}
    </div>
  );
}
