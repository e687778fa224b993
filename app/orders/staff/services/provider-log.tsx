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
        <tr key={call.id}>
          <Td className="text-muted">
            <RelativeDate at={call.createdAt} />
          </Td>
          <Td className="font-mono">{call.action}</Td>
          <Td numeric>{call.httpStatus ?? "none"}</Td>
          <Td className="min-w-72 py-2">
            <code className="block max-h-40 overflow-y-auto font-mono text-xs break-all whitespace-pre-wrap">
              {call.response.slice(0, 2000)}
            </code>
          </Td>
        </tr>
      ))}
    </Table>
  );
}
