import { Link } from "@remix-run/react";
import Server from "lucide-react/icons/server";
import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { Badge } from "#app/components/ui/badge.tsx";
import { Card } from "#app/components/ui/card.tsx";
import { EmptyState } from "#app/components/ui/empty-state.tsx";
import { Table, Td, Th } from "#app/components/ui/table.tsx";
import { amountOf } from "#app/orders/rules/money-text.ts";
import { ProviderState } from "#app/orders/staff/services/provider-form.tsx";
import { lastingText } from "#app/orders/staff/services/provider-funds-table.tsx";
import { percentOf } from "./difference.ts";
import type { TodayFigures } from "./today-figures.server.ts";

const ROW_LINK = "inline-flex min-h-11 items-center wrap-anywhere underline underline-offset-4 sm:min-h-8";

/** The state of each provider, how long our funds there last, and the part of its calls that fails. */
export function TodayProviders({ providers, now }: Pick<TodayFigures, "providers"> & { now: number }) {
  return (
    <Card title="Providers" titleId="providers" flush>
      {providers.length === 0 ? (
        <EmptyState icon={Server} title="No providers yet">
          Without a provider, staff deliver every order manually.
        </EmptyState>
      ) : (
        <Table
          label="Providers"
          head={
            <>
              <Th>Provider</Th>
              <Th>State</Th>
              <Th numeric className="max-sm:hidden">
                Balance
              </Th>
              <Th numeric>Lasts</Th>
              <Th numeric className="max-sm:hidden">
                Failed calls today
              </Th>
              <Th numeric className="max-sm:hidden">
                Yesterday
              </Th>
              <Th className="max-sm:hidden">
                <span className="sr-only">Its orders</span>
              </Th>
            </>
          }
        >
          {providers.map((provider) => (
            <ProviderRow key={provider.id} provider={provider} now={now} />
          ))}
        </Table>
      )}
    </Card>
  );
}

function ProviderRow({ provider, now }: { provider: TodayFigures["providers"][number]; now: number }) {
  const { id, name, balance, currency, daysLeft, isLow, use } = provider;
  const money = balance === null ? "—" : `${amountOf(balance)} ${currency ?? ""}`;
  return (
    <>
      <tr className="max-sm:border-b-0!">
        <Td>
          <Link to={`/admin/providers/${id}`} className={ROW_LINK}>
            {name}
          </Link>
        </Td>
        <Td>
          <ProviderState provider={provider} now={now} />
        </Td>
        <Td numeric className="max-sm:hidden">
          {money}
        </Td>
        <Td numeric>{isLow ? <Badge tone="bad">{lastingText(daysLeft)}</Badge> : lastingText(daysLeft)}</Td>
        <Td numeric className="max-sm:hidden">
          <Failed errors={use.errors} calls={use.calls} />
        </Td>
        <Td numeric className="max-sm:hidden">
          <Failed errors={use.errorsYesterday} calls={use.callsYesterday} />
        </Td>
        <Td className="max-sm:hidden">
          <Link to={`/admin/orders?provider=${id}`} className={ROW_LINK}>
            Orders<span className="sr-only"> at {name}</span>
          </Link>
        </Td>
      </tr>
      {/* A phone has no room for more columns. */}
      <tr className="sm:hidden">
        <Td colSpan={3} className="text-xs text-muted">
          Balance: {money}. Failed calls: <Failed errors={use.errors} calls={use.calls} /> today,{" "}
          <Failed errors={use.errorsYesterday} calls={use.callsYesterday} /> yesterday.{" "}
          <Link to={`/admin/orders?provider=${id}`} className="flex min-h-11 w-fit items-center underline">
            Orders
          </Link>
        </Td>
      </tr>
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
