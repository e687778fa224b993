import { Link } from "@remix-run/react";
import { useFormats } from "#app/components/formats/formats-provider.tsx";
import type { Formats } from "#app/components/formats/number-formats.ts";
import type { Column } from "#app/components/table/data-table.tsx";
import { CutText, RowLink } from "#app/components/table/row-cells.tsx";
import { PROVIDER_WORDS } from "#app/words/provider-words.ts";
import type { listProviders } from "./provider-admin.server.ts";
import { ProviderState } from "./provider-form.tsx";

type Provider = Awaited<ReturnType<typeof listProviders>>[number];

/** `now` is in ms since 1970; it decides which providers are paused. */
export function providerColumns({ number }: Formats, now: number): Column<Provider>[] {
  return [
    {
      name: "name",
      header: PROVIDER_WORDS.name,
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
      header: PROVIDER_WORDS.apiUrl,
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
      header: "Catalog changes",
      inCard: "figure",
      numeric: true,
      cell: ({ id, waiting }) => (
        <CountLink
          count={waiting}
          to={`/admin/providers/quarantine?provider=${id}`}
          of={["catalog change", "catalog changes"]}
        />
      ),
    },
    {
      name: "unread",
      header: "Unknown words",
      inCard: "figure",
      numeric: true,
      cell: ({ id, unread }) => (
        <CountLink count={unread} to={`/admin/providers/${id}#unread`} of={["unknown word", "unknown words"]} />
      ),
    },
  ];
}

/** A number of what waits, which leads there. */
function CountLink({ count, to, of: [one, many] }: { count: number; to: string; of: [string, string] }) {
  const { number } = useFormats();
  if (count === 0) return <>—</>;
  return (
    <Link to={to} className="inline-flex h-11 items-center underline underline-offset-4 sm:h-8">
      {number(count)}
      <span className="sr-only"> {count === 1 ? one : many}</span>
    </Link>
  );
}
