import { Link } from "@remix-run/react";
import { RelativeDate } from "#app/components/formats/relative-date.tsx";
import { Badge } from "#app/components/ui/badge.tsx";
import { Table, Td, Th } from "#app/components/ui/table.tsx";
import type { listProviderFunds } from "#app/orders/providers/provider-balance.server.ts";
import { amountOf } from "#app/orders/rules/money-text.ts";
import { ProviderState } from "./provider-form.tsx";

type Row = Awaited<ReturnType<typeof listProviderFunds>>[number];

/** The state of each provider and how long our funds there last. Amounts are in the provider's currency. */
export function ProviderFundsTable({ providers, now }: { providers: Row[]; now: number }) {
  return (
    <Table
      label="Providers"
      head={
        <>
          <Th>Provider</Th>
          <Th>State</Th>
          <Th numeric>Balance</Th>
          <Th numeric>Spent per day</Th>
          <Th numeric>Lasts</Th>
          <Th>Read</Th>
        </>
      }
    >
      {providers.map((provider) => {
        const { id, name, balance, currency, readAt, daily, daysLeft, isLow } = provider;
        return (
          <tr key={id}>
            <Td>
              <Link
                to={`/admin/providers/${id}`}
                className="inline-flex h-11 items-center underline underline-offset-4 sm:h-10"
              >
                {name}
              </Link>
            </Td>
            <Td>
              <ProviderState provider={provider} now={now} />
            </Td>
            <Td numeric>{balance === null ? "—" : `${amountOf(balance)} ${currency ?? ""}`}</Td>
            <Td numeric>{balance === null ? "—" : `${amountOf(daily)} ${currency ?? ""}`}</Td>
            <Td numeric>{isLow ? <Badge tone="bad">{daysText(daysLeft)}</Badge> : daysText(daysLeft)}</Td>
            <Td>{readAt === null ? "Never" : <RelativeDate at={readAt} />}</Td>
          </tr>
        );
      })}
    </Table>
  );
}

function daysText(days: number | null): string {
  if (days === null) return "—";
  return days < 10 ? `${days.toFixed(1)} days` : days > 365 ? "Over a year" : `${Math.round(days)} days`;
}
