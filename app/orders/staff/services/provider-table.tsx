import { Link } from "@remix-run/react";
import type { Formats } from "#app/components/formats/number-formats.ts";
import type { Column } from "#app/components/table/data-table.tsx";
import { CutText, RowLink } from "#app/components/table/row-cells.tsx";
import type { listProviders } from "./provider-admin.server.ts";
import { ProviderState } from "./provider-form.tsx";

type Provider = Awaited<ReturnType<typeof listProviders>>[number];

/** `now` is in ms since 1970; it decides which providers are paused. */
export function providerColumns({ number }: Formats, now: number): Column<Provider>[] {
  return [
    {
      name: "name",
      header: "Name",
      sort: "name",
      cell: ({ id, name }) => (
        <RowLink to={`/admin/providers/${id}`} title={name}>
          {name}
        </RowLink>
      ),
    },
    {
      name: "status",
      header: "Status",
      inCard: "line",
      cell: (provider) => <ProviderState provider={provider} now={now} />,
    },
    {
      name: "url",
      header: "API URL",
      inCard: "line",
      className: "font-mono text-xs",
      cell: ({ apiUrl }) => <CutText className="max-w-80">{apiUrl}</CutText>,
    },
    {
      name: "services",
      header: "Services",
      sort: "services",
      inCard: "figure",
      numeric: true,
      cell: ({ services }) => number(services),
    },
    {
      name: "margin",
      header: "Margin",
      inCard: "figure",
      numeric: true,
      cell: ({ margin }) => (margin === null ? "—" : `${number(margin / 100)}%`),
    },
    {
      name: "waiting",
      header: "To decide",
      inCard: "figure",
      numeric: true,
      cell: ({ id, waiting }) =>
        waiting === 0 ? (
          "—"
        ) : (
          <Link
            to={`/admin/providers/quarantine?provider=${id}`}
            className="inline-flex h-11 items-center underline underline-offset-4 sm:h-8"
          >
            {number(waiting)}
          </Link>
        ),
    },
  ];
}
