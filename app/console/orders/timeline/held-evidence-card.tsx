import { Link } from "@remix-run/react";
import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { Card } from "#app/components/ui/card.tsx";
import { Table, Td, Th } from "#app/components/ui/table.tsx";
import type { HeldEvidence } from "./held-evidence.server.ts";

/** Evidence for or against the provider having a held order. */
export function HeldEvidenceCard({ evidence, provider }: { evidence: HeldEvidence; provider: string }) {
  const { neighbors, missing } = evidence;
  return (
    <Card title="Did the provider get it?" titleId="evidence" flush>
      <div className="p-4 text-sm sm:px-5">
        <p>
          <Conclusion missing={missing} provider={provider} />
        </p>
        <p className="mt-1 text-muted">
          This is only a hint, and nothing happens automatically. Check the order in {provider}'s panel.
        </p>
      </div>
      {neighbors.length > 0 && (
        <Table
          label="Orders sent just before and after"
          head={
            <>
              <Th>Sent before and after</Th>
              <Th>Provider order ID</Th>
            </>
          }
        >
          {neighbors.map(({ orderId, providerOrderId }) => (
            <tr key={orderId}>
              <Td>
                <Link
                  to={`/admin/orders/${orderId}`}
                  className="inline-flex h-11 items-center underline underline-offset-4 sm:h-10"
                >
                  Order {orderId}
                </Link>
              </Td>
              <Td className="font-mono">{providerOrderId}</Td>
            </tr>
          ))}
        </Table>
      )}
    </Card>
  );
}

function Conclusion({ missing, provider }: { missing: number[] | null; provider: string }) {
  const { number } = useFormats();
  const [only] = missing ?? [];
  if (missing === null) return <>The provider's order IDs around this order say nothing about it.</>;
  if (only === undefined) return <>No ID is missing around this order, so {provider} probably doesn't have it.</>;
  if (missing.length > 1) {
    return <>{number(missing.length)} IDs around this order aren't ours. They may belong to other customers there.</>;
  }
  return (
    <>
      One ID around this order isn't ours: <code className="font-mono">{only}</code>. {provider} may have given it to
      this order.
    </>
  );
}
