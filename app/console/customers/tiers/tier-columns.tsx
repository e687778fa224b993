import { Link } from "@remix-run/react";
import { Rate } from "#app/components/formats/money-amount.tsx";
import type { Column } from "#app/components/table/data-table.tsx";
import { CutText, RowLink, TimeCell } from "#app/components/table/row-cells.tsx";
import { Badge } from "#app/components/ui/badge.tsx";
import { percentText, shareText } from "#app/orders/rules/margin.ts";
import { SERVICE_WORDS } from "#app/words/service-words.ts";
import { TIER_WORDS } from "#app/words/tier-words.ts";
import type { listTiers } from "./tier-admin.server.ts";
import { customersText } from "./tier-customers.ts";
import type { TierServiceRow } from "./tier-services.server.ts";

type TierRow = Awaited<ReturnType<typeof listTiers>>[number];

export function tierColumns(number: (count: number) => string): Column<TierRow>[] {
  return [
    {
      name: "name",
      header: "Tier",
      cell: ({ id, name }) => <RowLink to={`/admin/tiers/${id}`}>{name}</RowLink>,
    },
    {
      name: "price",
      header: TIER_WORDS.kind.label,
      inCard: "text",
      cell: ({ kind, basisPoints, rates }) =>
        kind === "percent"
          ? `${percentText(basisPoints)} off`
          : `${number(rates)} own ${rates === 1 ? "rate" : "rates"}`,
    },
    {
      name: "customers",
      header: "Customers",
      inCard: "figure",
      numeric: true,
      cell: ({ id, customers }) => (
        <Link
          to={`/admin/customers?tier=${id}`}
          // A target of 44 px on a phone, without moving the number away from its name.
          className="-my-3 inline-flex min-h-11 min-w-11 items-center underline underline-offset-4 md:my-0 md:min-h-0 md:min-w-0"
        >
          {customersText(customers, number)}
        </Link>
      ),
    },
    {
      name: "updated",
      header: "Changed",
      inCard: "figure",
      className: "text-muted",
      cell: ({ updatedAt }) => <TimeCell at={updatedAt} />,
    },
  ];
}

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
