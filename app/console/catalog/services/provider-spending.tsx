import { RelativeDate } from "#app/components/formats/relative-date.tsx";
import type { listProviderFunds } from "#app/orders/providers/provider-balance.server.ts";
import { type FundsColumn, fundsText, ProviderFundsTable } from "./provider-funds-table.tsx";

type Row = Awaited<ReturnType<typeof listProviderFunds>>[number];

const COLUMNS: FundsColumn<Row>[] = [
  {
    name: "daily",
    header: "Spent per day",
    numeric: true,
    cell: (provider) => (provider.balance === null ? "—" : fundsText(provider, provider.daily)),
  },
  {
    name: "read",
    header: "Read",
    cell: ({ readAt }) => (readAt === null ? "Never" : <RelativeDate at={readAt} />),
  },
];

/** The state of each provider, how long our funds there last at what is spent a day, and when it was last asked. */
export function ProviderSpending({ providers, now }: { providers: Row[]; now: number }) {
  return (
    <ProviderFundsTable
      providers={providers}
      columns={COLUMNS}
      note={(provider) => <SpendingNote provider={provider} />}
      now={now}
    />
  );
}

function SpendingNote({ provider }: { provider: Row }) {
  const { balance, daily, readAt } = provider;
  if (balance === null || readAt === null) return <>Balance not read yet</>;
  return (
    <>
      {fundsText(provider, balance)}, {fundsText(provider, daily)} a day, read <RelativeDate at={readAt} />
    </>
  );
}
