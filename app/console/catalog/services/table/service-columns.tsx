import { Link } from "@remix-run/react";
import { Rate } from "#app/components/formats/money-amount.tsx";
import type { Column } from "#app/components/table/data-table.tsx";
import { CutText, RowLink } from "#app/components/table/row-cells.tsx";
import { Badge } from "#app/components/ui/badge.tsx";
import { shareText } from "#app/orders/rules/margin.ts";
import { decimal } from "#app/orders/rules/money-text.ts";
import { SERVICE_WORDS } from "#app/words/service-words.ts";
import { EditCell, type SavedRows, SwitchCell } from "./edit-cell.tsx";
import type { ServiceRow } from "./service-list.server.ts";

export function serviceColumns(saved: SavedRows, number: (count: number) => string): Column<ServiceRow>[] {
  return [
    {
      name: "name",
      header: "Service",
      sort: "name",
      cell: (row) => (
        <EditCell
          row={row}
          field="name"
          label="Name"
          value={row.name}
          saved={saved}
          link={
            <RowLink to={`/admin/services/${row.id}`} title={row.name}>
              <span className="mr-2 font-mono text-xs text-muted">{row.id}</span>
              {row.name}
            </RowLink>
          }
        >
          {row.name}
        </EditCell>
      ),
    },
    {
      name: "network",
      header: SERVICE_WORDS.network,
      inCard: "text",
      sort: "network",
      cell: (row) => (
        <EditCell row={row} field="network" label="Network" value={row.network} saved={saved}>
          <CutText className="max-w-24">{row.network}</CutText>
        </EditCell>
      ),
    },
    {
      name: "category",
      header: SERVICE_WORDS.category,
      inCard: "text",
      sort: "category",
      cell: (row) => (
        <EditCell row={row} field="category" label="Category" value={row.category} saved={saved}>
          <CutText className="max-w-28">{row.category}</CutText>
        </EditCell>
      ),
    },
    {
      name: "provider",
      header: SERVICE_WORDS.providerId,
      inCard: "text",
      sort: "provider",
      cell: ({ provider }) =>
        provider === null ? (
          <span className="text-muted">Manual</span>
        ) : (
          <CutText className="max-w-24">{provider}</CutText>
        ),
    },
    {
      name: "cost",
      header: "Provider rate",
      inCard: "figure",
      numeric: true,
      sort: "cost",
      className: "text-muted",
      cell: ({ providerRate }) => (providerRate === null ? "—" : <Rate micro={providerRate} />),
    },
    {
      name: "rate",
      header: SERVICE_WORDS.rate,
      inCard: "figure",
      numeric: true,
      sort: "rate",
      cell: (row) => (
        <EditCell row={row} field="rate" label="Rate" value={decimal(row.rate, 2)} numeric saved={saved}>
          <Rate micro={row.rate} />
        </EditCell>
      ),
    },
    {
      name: "margin",
      header: "Margin",
      numeric: true,
      sort: "margin",
      inCard: "figure",
      cell: (row) => <Margin row={row} />,
    },
    {
      name: "orders",
      header: "Orders (30 days)",
      numeric: true,
      sort: "orders",
      inCard: "figure",
      cell: ({ orders }) => number(orders),
    },
    {
      name: "p50",
      header: "Half done",
      inCard: "figure",
      numeric: true,
      sort: "p50",
      className: "text-muted",
      cell: ({ p50Ms }) => (p50Ms === null ? "—" : shortDuration(p50Ms)),
    },
    {
      name: "enabled",
      header: "Status",
      inCard: "text",
      sort: "enabled",
      cell: (row) =>
        row.isBlocked && !row.enabled ? (
          <Paused row={row} />
        ) : (
          <SwitchCell row={row} field="enabled" label="Status" saved={saved}>
            <Badge tone={row.enabled ? "good" : "neutral"}>{row.enabled ? "On sale" : "Off sale"}</Badge>
          </SwitchCell>
        ),
    },
  ];
}

/** A service that goes on sale by a decision about its provider's change, and not by a click here. */
function Paused({ row: { offeredRate, providerId } }: { row: ServiceRow }) {
  return (
    <Link
      to={`/admin/providers/quarantine?provider=${providerId}`}
      title="Its provider's change waits for your decision"
      className="-mx-1 inline-flex min-h-11 items-center rounded-md px-1 hover:outline hover:outline-line-strong sm:min-h-8"
    >
      <Badge tone="bad">Paused</Badge>
      {offeredRate !== null && (
        <span className="ml-1.5 text-xs whitespace-nowrap text-muted md:max-2xl:hidden">
          costs <Rate micro={offeredRate} />
        </span>
      )}
    </Link>
  );
}

function Margin({ row: { margin, enabled } }: { row: ServiceRow }) {
  if (margin === null) return <span className="text-muted">—</span>;
  const isLoss = margin < 0;
  return (
    <span className={isLoss ? "text-bad" : ""} title={isLoss && enabled ? "Sells below cost" : undefined}>
      {shareText(margin)}
    </span>
  );
}

const UNITS = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["min", 60_000],
  ["s", 1000],
] as const;

/** Formats milliseconds in the largest unit that fits: "3 h". */
function shortDuration(ms: number): string {
  const [unit, size] = UNITS.find(([, least]) => ms >= least) ?? ["s", 1000];
  return `${Math.round(ms / size)} ${unit}`;
}
