import Radio from "lucide-react/icons/radio";
import { RelativeDate } from "#app/components/formats/relative-date.tsx";
import { EmptyState } from "#app/components/ui/empty-state.tsx";
import { Table, Td, Th } from "#app/components/ui/table.tsx";

type Call = { id: number; action: string; httpStatus: number | null; response: string; createdAt: number };

/** Raw responses of a provider. */
export function ProviderLog({ calls }: { calls: Call[] }) {
  if (calls.length === 0) {
    return (
      <EmptyState icon={Radio} title="No API calls yet">
        The provider's raw responses appear here.
      </EmptyState>
    );
  }
  return (
    <Table
      label="Provider log"
      head={
        <>
          <Th>Date</Th>
          <Th>Action</Th>
          <Th numeric>HTTP</Th>
          <Th>Response</Th>
        </>
      }
    >
      {calls.map((call) => (
        // On a phone, the response stands below the rest.
        <tr key={call.id} className="max-sm:flex max-sm:flex-wrap max-sm:items-baseline max-sm:py-1">
          <Td className="text-muted">
            <RelativeDate at={call.createdAt} />
          </Td>
          <Td className="font-mono">{call.action}</Td>
          <Td numeric>{call.httpStatus ?? "none"}</Td>
          <Td className="py-2 max-sm:basis-full sm:min-w-72">
            <code className="block max-h-40 overflow-y-auto font-mono text-xs break-all whitespace-pre-wrap">
              {call.response.slice(0, 2000)}
            </code>
          </Td>
        </tr>
      ))}
    </Table>
  );
}
