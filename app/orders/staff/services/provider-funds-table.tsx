import { Link } from "@remix-run/react";
import { RelativeDate } from "#app/components/formats/relative-date.tsx";
import { Badge } from "#app/components/ui/badge.tsx";
import { Table, Td, Th } from "#app/components/ui/table.tsx";
import type { listProviderFunds } from "#app/orders/providers/provider-balance.server.ts";
import { amountOf } from "#app/orders/rules/money-text.ts";
import { ProviderState } from "./provider-form.tsx";

type Row = Awaited<ReturnType<typeof listProviderFunds>>[number];

/**
 * The state of each provider and how long our funds there last. Amounts are in the provider's currency. On a phone they
 * stand under its name.
 */
export function ProviderFundsTable({ providers, now }: { providers: Row[]; now: number }) {
  return (
    <Table
      label="Providers"
      head={
        <>
          <Th>Provider</Th>
          <Th>State</Th>
          <Th numeric className="max-sm:hidden">
            Balance
          </Th>
          <Th numeric className="max-sm:hidden">
            Spent per day
          </Th>
          <Th numeric>Lasts</Th>
          <Th className="max-sm:hidden">Read</Th>
        </>
      }
    >
      {providers.map((provider) => {
        const { id, name, balance, currency, readAt, daily, daysLeft, isLow } = provider;
        const amounts = (micro: number) => `${amountOf(micro)} ${currency ?? ""}`;
        return (
          <tr key={id}>
            <Td className="max-sm:py-2">
              <Link
                to={`/admin/providers/${id}`}
                className="inline-flex min-h-11 items-center wrap-anywhere underline underline-offset-4 sm:min-h-10"
              >
                {name}
              </Link>
              <p className="text-xs text-muted sm:hidden">
                {balance === null || readAt === null ? (
                  "Balance not read yet"
                ) : (
                  <>
                    {amounts(balance)}, {amounts(daily)} a day, read <RelativeDate at={readAt} />
                  </>
                )}
              </p>
            </Td>
            <Td>
              <ProviderState provider={provider} now={now} />
            </Td>
            <Td numeric className="max-sm:hidden">
              {balance === null ? "—" : amounts(balance)}
            </Td>
            <Td numeric className="max-sm:hidden">
              {balance === null ? "—" : amounts(daily)}
            </Td>
            <Td numeric>{isLow ? <Badge tone="bad">{lastingText(daysLeft)}</Badge> : lastingText(daysLeft)}</Td>
            <Td className="max-sm:hidden">{readAt === null ? "Never" : <RelativeDate at={readAt} />}</Td>
          </tr>
        );
      })}
    </Table>
  );
}

/** Returns how long funds last, in words. */
export function lastingText(days: number | null): string {
  if (days === null) return "—";
  return days < 10 ? `${days.toFixed(1)} days` : days > 365 ? "Over a year" : `${Math.round(days)} days`;
}
