import { Rate } from "#app/components/formats/money-amount.tsx";
import type { Column } from "#app/components/table/data-table.tsx";
import { CutText, RowLink } from "#app/components/table/row-cells.tsx";
import { Badge } from "#app/components/ui/badge.tsx";
import { shareText } from "#app/orders/rules/margin.ts";
import { SERVICE_WORDS } from "#app/words/service-words.ts";
import type { TierServiceRow } from "./tier-services.server.ts";

export function tierServiceColumns(number: (count: number) => string): Column<TierServiceRow>[] {
  return [
    {
      name: "name",
      header: "Service",
      sort: "name",
      cell: ({ id, name }) => (
        <RowLink to={`/admin/services/${id}`} title={name}>
          <span className="mr-2 font-mono text-xs text-muted">{id}</span>
          {name}
        </RowLink>
      ),
    },
    {
      name: "category",
      header: SERVICE_WORDS.category,
      inCard: "line",
      sort: "category",
      cell: ({ category }) => <CutText className="max-w-32 2xl:max-w-52">{category}</CutText>,
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
      header: "Usual rate",
      inCard: "figure",
      numeric: true,
      sort: "rate",
      cell: ({ rate }) => <Rate micro={rate} />,
    },
    {
      name: "tierRate",
      header: "Tier's rate",
      inCard: "figure",
      numeric: true,
      cell: ({ rate, tierRate, hasOwnRate }) => (
        <span className={rate === tierRate ? "text-muted" : ""} title={hasOwnRate ? "This tier's own rate" : undefined}>
          <Rate micro={tierRate} />
        </span>
      ),
    },
    {
      name: "tierMargin",
      header: "Margin",
      inCard: "figure",
      numeric: true,
      cell: ({ tierMargin, enabled }) =>
        tierMargin === null ? (
          <span className="text-muted">—</span>
        ) : (
          <span
            className={tierMargin < 0 ? "text-bad" : ""}
            title={tierMargin < 0 && enabled ? "Sells below cost" : undefined}
          >
            {shareText(tierMargin)}
          </span>
        ),
    },
    {
      name: "orders",
      header: "Orders (30 days)",
      inCard: "figure",
      numeric: true,
      sort: "orders",
      cell: ({ orders }) => number(orders),
    },
    {
      name: "enabled",
      header: "Status",
      inCard: "text",
      sort: "enabled",
      cell: ({ enabled }) => <Badge tone={enabled ? "good" : "neutral"}>{enabled ? "On sale" : "Off sale"}</Badge>,
    },
  ];
}
