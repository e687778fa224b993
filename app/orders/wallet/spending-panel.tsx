import type { ReactNode } from "react";
import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { Money } from "#app/components/formats/money-amount.tsx";
import { Chart } from "#app/components/ui/chart.tsx";
import { MICRO } from "#app/product.ts";
import type { readSpending } from "./spending.server.ts";

/** The balance, and what was spent on each of the last days. Amounts are micro-units. */
export function SpendingPanel({
  balance,
  spending,
}: {
  balance: number;
  spending: Awaited<ReturnType<typeof readSpending>>;
}) {
  const { money, number } = useFormats();
  const days = spending.length;
  const spent = spending.reduce((sum, day) => sum + day.spent, 0);
  const orders = spending.reduce((sum, day) => sum + day.orders, 0);
  return (
    <section
      aria-label="Balance and spending"
      className="mt-6 grid overflow-clip rounded-md border border-line bg-raised lg:grid-cols-[240px_1fr_1fr]"
    >
      <dl className="grid grid-cols-2 gap-4 border-b sm:grid-cols-3 border-line p-4 text-sm sm:p-5 lg:grid-cols-1 lg:border-r lg:border-b-0">
        <Figure label="Balance" value={<Money micro={balance} />} large />
        <Figure label={`Spent in ${days} days`} value={<Money micro={spent} />} />
        <Figure label={`Orders in ${days} days`} value={number(orders)} />
      </dl>
      <div className="min-w-0 p-4 sm:p-5">
        <Chart
          title={`Spending per day, last ${days} days (UTC)`}
          kind="bars"
          points={spending.map(({ day, spent: value }) => ({ day, value: value / MICRO }))}
          format={(value) => money(value * MICRO)}
        />
      </div>
      <div className="min-w-0 border-t border-line p-4 sm:p-5 lg:border-t-0 lg:border-l">
        <Chart
          title="Balance at the end of each day"
          kind="line"
          points={spending.map(({ day, balance: value }) => ({ day, value: value / MICRO }))}
          format={(value) => money(value * MICRO)}
        />
      </div>
    </section>
  );
}

function Figure({ label, value, large = false }: { label: string; value: ReactNode; large?: boolean }) {
  return (
    <div className={`min-w-0 ${large ? "max-sm:col-span-2" : ""}`}>
      <dt className="text-muted">{label}</dt>
      <dd className={`tabular font-semibold tracking-tight ${large ? "text-xl lg:text-2xl" : "text-base lg:text-lg"}`}>
        {value}
      </dd>
    </div>
  );
}
