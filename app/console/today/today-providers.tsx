import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { Card } from "#app/components/ui/card.tsx";
import {
  type FundsColumn,
  FundsLink,
  fundsText,
  ProviderFundsTable,
} from "#app/console/catalog/services/provider-funds-table.tsx";
import { percentOf } from "#app/console/reports/difference.ts";
import type { TodayFigures } from "./today-figures.server.ts";

type Row = TodayFigures["providers"][number];

const COLUMNS: FundsColumn<Row>[] = [
  {
    name: "failed-today",
    header: "Failed calls today",
    numeric: true,
    cell: ({ use }) => <Failed errors={use.errors} calls={use.calls} />,
  },
  {
    name: "failed-yesterday",
    header: "Yesterday",
    numeric: true,
    cell: ({ use }) => <Failed errors={use.errorsYesterday} calls={use.callsYesterday} />,
  },
  {
    name: "orders",
    header: <span className="sr-only">Its orders</span>,
    cell: ({ id, name }) => (
      <FundsLink to={`/admin/orders?provider=${id}`}>
        Orders<span className="sr-only"> at {name}</span>
      </FundsLink>
    ),
  },
];

/** The state of each provider, how long our funds there last, and the part of its calls that fails. */
export function TodayProviders({ providers, now }: Pick<TodayFigures, "providers"> & { now: number }) {
  return (
    <Card title="Providers" titleId="providers" flush>
      <ProviderFundsTable
        providers={providers}
        columns={COLUMNS}
        note={(provider) => <CallsNote provider={provider} />}
        now={now}
      />
    </Card>
  );
}

function CallsNote({ provider }: { provider: Row }) {
  const { id, balance, use } = provider;
  return (
    <>
      Balance: {balance === null ? "—" : fundsText(provider, balance)}. Failed calls:{" "}
      <Failed errors={use.errors} calls={use.calls} /> today,{" "}
      <Failed errors={use.errorsYesterday} calls={use.callsYesterday} /> yesterday.{" "}
      <span className="block">
        <FundsLink to={`/admin/orders?provider=${id}`}>Orders</FundsLink>
      </span>
    </>
  );
}

/** The part of the calls that got no response that says anything, with both counts. */
function Failed({ errors, calls }: { errors: number; calls: number }) {
  const { number } = useFormats();
  if (calls === 0) return <>no calls</>;
  return (
    <span title={`${number(errors)} of ${number(calls)} calls`} className="tabular">
      {percentOf(errors, calls)} of {number(calls)}
    </span>
  );
}
