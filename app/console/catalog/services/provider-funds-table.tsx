import { Link } from "@remix-run/react";
import Server from "lucide-react/icons/server";
import type { ReactNode } from "react";
import { Badge } from "#app/components/ui/badge.tsx";
import { EmptyState } from "#app/components/ui/empty-state.tsx";
import { Table, Td, Th } from "#app/components/ui/table.tsx";
import type { ProviderFunds } from "#app/orders/providers/provider-balance.server.ts";
import { amountOf } from "#app/orders/rules/money-text.ts";
import { ProviderState } from "./provider-form.tsx";

type Funds = Pick<
  ProviderFunds,
  "id" | "name" | "balance" | "currency" | "enabled" | "failures" | "openUntil" | "pausedFor"
> & { daysLeft: number | null; isLow: boolean };

/** Columns of a page's providers besides their funds. `header` may be for screen readers alone. */
export type FundsColumn<Row> = {
  name: string;
  header: ReactNode;
  cell: (provider: Row) => ReactNode;
  numeric?: boolean;
};

const ROW_LINK = "inline-flex min-h-11 items-center wrap-anywhere underline underline-offset-4 sm:min-h-8";

/**
 * The state of each provider and how long our funds there last, and what the page adds. Amounts are in the provider's
 * currency. A phone has no room for more columns: `note` is below the row there.
 */
export function ProviderFundsTable<Row extends Funds>({
  providers,
  columns,
  note,
  now,
}: {
  providers: Row[];
  columns: FundsColumn<Row>[];
  note: (provider: Row) => ReactNode;
  now: number;
}) {
  if (providers.length === 0) {
    return (
      <EmptyState icon={Server} title="No providers yet">
        Without a provider, staff deliver every order manually.
      </EmptyState>
    );
  }
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
          <Th numeric>Lasts</Th>
          {columns.map(({ name, header, numeric }) => (
            <Th key={name} numeric={numeric} className="max-sm:hidden">
              {header}
            </Th>
          ))}
        </>
      }
    >
      {providers.map((provider) => (
        <ProviderRows key={provider.id} provider={provider} columns={columns} note={note(provider)} now={now} />
      ))}
    </Table>
  );
}

function ProviderRows<Row extends Funds>({
  provider,
  columns,
  note,
  now,
}: {
  provider: Row;
  columns: FundsColumn<Row>[];
  note: ReactNode;
  now: number;
}) {
  const { id, name, balance, daysLeft, isLow } = provider;
  return (
    <>
      <tr className="max-sm:border-b-0!">
        <Td>
          <FundsLink to={`/admin/providers/${id}`}>{name}</FundsLink>
        </Td>
        <Td>
          <ProviderState provider={provider} now={now} />
        </Td>
        <Td numeric className="max-sm:hidden">
          {balance === null ? "—" : fundsText(provider, balance)}
        </Td>
        <Td numeric>{isLow ? <Badge tone="bad">{lastingText(daysLeft)}</Badge> : lastingText(daysLeft)}</Td>
        {columns.map(({ name, cell, numeric }) => (
          <Td key={name} numeric={numeric} className="max-sm:hidden">
            {cell(provider)}
          </Td>
        ))}
      </tr>
      <tr className="sm:hidden">
        <Td colSpan={3} className="text-xs text-muted">
          {note}
        </Td>
      </tr>
    </>
  );
}

/** A link in a row, high enough for a finger. */
export function FundsLink({ to, children }: { to: string; children: ReactNode }) {
  return (
    <Link to={to} className={ROW_LINK}>
      {children}
    </Link>
  );
}

/** Returns an amount in the provider's currency. */
export function fundsText({ currency }: { currency: string | null }, micro: number): string {
  return `${amountOf(micro)} ${currency ?? ""}`;
}

function lastingText(days: number | null): string {
  if (days === null) return "—";
  return days < 10 ? `${days.toFixed(1)} days` : days > 365 ? "Over a year" : `${Math.round(days)} days`;
}
