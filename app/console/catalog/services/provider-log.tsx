import Radio from "lucide-react/icons/radio";
import { Fragment } from "react";
import { RelativeDate } from "#app/components/formats/relative-date.tsx";
import { EmptyState } from "#app/components/ui/empty-state.tsx";
import { Table, Td, Th } from "#app/components/ui/table.tsx";
import { cutText } from "#app/cut-text.ts";

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
          <Th className="max-sm:hidden">Response</Th>
        </>
      }
    >
      {calls.map((call) => (
        <Fragment key={call.id}>
          <tr className="max-sm:border-b-0 sm:nth-last-2:border-b-0">
            <Td className="text-muted">
              <RelativeDate at={call.createdAt} />
            </Td>
            <Td className="font-mono">{call.action}</Td>
            <Td numeric>{call.httpStatus ?? "none"}</Td>
            <Td className="py-2 max-sm:hidden sm:min-w-72">
              <Response text={call.response} />
            </Td>
          </tr>
          {/* On a phone, the response stands below the rest. */}
          <tr className="sm:hidden">
            <Td colSpan={3} className="h-auto pt-0 pb-3">
              <Response text={call.response} />
            </Td>
          </tr>
        </Fragment>
      ))}
    </Table>
  );
}

function Response({ text }: { text: string }) {
  return (
    <code className="block max-h-40 overflow-y-auto font-mono text-xs break-all whitespace-pre-wrap">
      {cutText(text, 2000)}
    </code>
  );
}
