import { Link } from "@remix-run/react";
import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { Table, Td, Th } from "#app/components/ui/table.tsx";
import type { listProviders } from "./provider-admin.server.ts";
import { ProviderState } from "./provider-form.tsx";

type Row = Awaited<ReturnType<typeof listProviders>>[number];

/** `now` is in ms since 1970; it decides which providers are paused. */
export function ProviderTable({ providers, now }: { providers: Row[]; now: number }) {
  const { number } = useFormats();
  return (
    <Table
      label="Providers"
      head={
        <>
          <Th>Name</Th>
          <Th>Status</Th>
          <Th>API URL</Th>
          <Th numeric>Services</Th>
          <Th numeric>Markup</Th>
        </>
      }
    >
      {providers.map((provider) => (
        <tr key={provider.id}>
          <Td>
            <Link
              to={`/admin/providers/${provider.id}`}
              className="inline-flex h-11 items-center underline underline-offset-4 sm:h-10"
            >
              {provider.name}
            </Link>
          </Td>
          <Td>
            <ProviderState provider={provider} now={now} />
          </Td>
          <Td className="font-mono text-xs">{provider.apiUrl}</Td>
          <Td numeric>{number(provider.services)}</Td>
          <Td numeric>{provider.markupPercent === null ? "—" : `${provider.markupPercent}%`}</Td>
        </tr>
      ))}
    </Table>
  );
}
