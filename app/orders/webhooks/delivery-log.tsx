import { useFetcher } from "@remix-run/react";
import { RelativeDate } from "#app/components/formats/relative-date.tsx";
import { ActionForm, SubmitButton } from "#app/components/forms/action-form.tsx";
import { Badge, type Tone } from "#app/components/ui/badge.tsx";
import { Table, Td, Th } from "#app/components/ui/table.tsx";
import type { WebhookEvent } from "#app/db/schema.server.ts";
import type { Endpoint } from "./endpoint-table.tsx";
import { isWanted } from "./endpoint-wants.ts";

export type Delivery = {
  id: number;
  event: WebhookEvent;
  attempts: number;
  nextAttemptAt: number | null;
  deliveredAt: number | null;
  lastStatus: number | null;
  lastError: string | null;
  createdAt: number;
};

/** The latest deliveries of one endpoint. Those that it wants can be resent while it is on. */
export function DeliveryLog({ deliveries, endpoint }: { deliveries: Delivery[]; endpoint: Endpoint }) {
  const sender = useFetcher();
  if (deliveries.length === 0) {
    return <p className="border-t border-line p-4 text-sm text-muted sm:px-5">No deliveries yet.</p>;
  }
  return (
    <div className="border-t border-line">
      <Table
        label="Deliveries"
        head={
          <>
            <Th>Event</Th>
            <Th>Result</Th>
            <Th numeric>Attempts</Th>
            <Th>Created</Th>
            <Th>
              <span className="sr-only">Resend</span>
            </Th>
          </>
        }
      >
        {deliveries.map((delivery) => {
          const { tone, text } = outcome(delivery);
          return (
            <tr key={delivery.id}>
              <Td className="font-mono">{delivery.event}</Td>
              <Td>
                <Badge tone={tone}>{text}</Badge>
                {delivery.lastError && delivery.deliveredAt === null && (
                  <span className="block max-w-60 truncate text-xs text-muted" title={delivery.lastError}>
                    {delivery.lastError}
                  </span>
                )}
              </Td>
              <Td numeric>{delivery.attempts}</Td>
              <Td className="text-muted">
                <RelativeDate at={delivery.createdAt} />
              </Td>
              <Td className="text-right">
                {endpoint.disabledAt === null && isWanted(delivery.event, endpoint) && (
                  <ActionForm intent="resend" sender={sender} result={null} hidden={{ id: delivery.id }}>
                    <SubmitButton variant="quiet" aria-label={`Resend ${delivery.event}`}>
                      Resend
                    </SubmitButton>
                  </ActionForm>
                )}
              </Td>
            </tr>
          );
        })}
      </Table>
    </div>
  );
}

function outcome({ deliveredAt, nextAttemptAt, attempts, lastStatus }: Delivery): { tone: Tone; text: string } {
  if (deliveredAt !== null) return { tone: "good", text: `Delivered${lastStatus ? `, ${lastStatus}` : ""}` };
  if (nextAttemptAt === null) return { tone: "bad", text: attempts === 0 ? "Not sent" : "Failed" };
  return attempts === 0 ? { tone: "neutral", text: "Queued" } : { tone: "warn", text: "Retrying" };
}
