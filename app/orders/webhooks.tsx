import { type FetcherWithComponents, useFetcher } from "@remix-run/react";
import Webhook from "lucide-react/icons/webhook";
import { type MouseEvent, useState } from "react";
import { Badge, type Tone } from "#app/components/badge.tsx";
import { Button, ButtonLink } from "#app/components/button.tsx";
import { CopyButton } from "#app/components/copy-button.tsx";
import { RelativeDate } from "#app/components/date.tsx";
import { Dialog, DialogActions } from "#app/components/dialog.tsx";
import { EmptyState } from "#app/components/empty-state.tsx";
import { Field, Input } from "#app/components/field.tsx";
import { Table, Td, Th } from "#app/components/table.tsx";
import type { listEndpoints } from "./webhooks.server.ts";

export type Endpoint = Awaited<ReturnType<typeof listEndpoints>>[number];
export type Delivery = {
  id: string;
  event: string;
  attempts: number;
  nextAttemptAt: number | null;
  deliveredAt: number | null;
  lastStatus: number | null;
  lastError: string | null;
  createdAt: number;
};
export type WebhookResult =
  | { secret: string; url: string; renewed: boolean }
  | { error: string; typed: string }
  | { resent: true }
  | null;
type Answer = { webhook: WebhookResult };

export function Webhooks({
  endpoints,
  shownId,
  deliveries,
  sentWithoutScripts,
}: {
  endpoints: Endpoint[];
  /** The endpoint whose log is shown. */
  shownId: string | null;
  deliveries: Delivery[];
  sentWithoutScripts: WebhookResult;
}) {
  const create = useFetcher<Answer>();
  const change = useFetcher<Answer>();
  const result = create.data?.webhook ?? sentWithoutScripts;
  const secret = [change.data?.webhook, result].find((one) => one && "secret" in one);
  const refused = result && "error" in result ? result : null;
  return (
    <>
      {secret && "secret" in secret && (
        <div role="status" className="animate-rise border-b border-line bg-good-wash p-4 text-sm sm:px-5">
          <p className="font-medium">
            {secret.renewed
              ? "Copy the new secret now. It is not shown again; the one before signs as well for a day."
              : "Copy the secret now. It is not shown again, and your server checks each call's signature with it."}
          </p>
          <div className="mt-3 flex flex-wrap items-center gap-3">
            <code className="min-w-0 font-mono break-all">{secret.secret}</code>
            <CopyButton text={secret.secret} />
          </div>
        </div>
      )}
      {endpoints.length === 0 ? (
        <EmptyState icon={Webhook} title="No webhooks yet">
          We call an address of yours when an order is completed, partial or canceled, and when the balance is low. The
          calls are signed as Standard Webhooks say.
        </EmptyState>
      ) : (
        <Table
          label="Webhooks"
          head={
            <>
              <Th>Address</Th>
              <Th>Since</Th>
              <Th>
                <span className="sr-only">What can be done</span>
              </Th>
            </>
          }
        >
          {endpoints.map((endpoint) => (
            <tr key={endpoint.id}>
              <Td>
                <span className="block max-w-96 truncate font-mono" title={endpoint.url}>
                  {endpoint.url}
                </span>
              </Td>
              <Td className="text-muted">
                <RelativeDate at={endpoint.createdAt} />
              </Td>
              <Td>
                <div className="flex justify-end gap-1">
                  <ButtonLink
                    to={`/dashboard/api?webhook=${endpoint.id}#webhooks`}
                    variant="quiet"
                    preventScrollReset
                    aria-current={endpoint.id === shownId ? "true" : undefined}
                    className="aria-[current=true]:bg-sunken aria-[current=true]:text-text"
                  >
                    Log
                  </ButtonLink>
                  <NewSecret endpoint={endpoint} sender={change} />
                  <Remove endpoint={endpoint} sender={change} />
                </div>
              </Td>
            </tr>
          ))}
        </Table>
      )}
      {shownId !== null && <Log deliveries={deliveries} />}
      <create.Form
        method="post"
        noValidate
        key={result && "secret" in result ? result.secret : ""}
        className="border-t border-line p-4 sm:px-5"
      >
        <input type="hidden" name="intent" value="create-webhook" />
        <Field id="webhook-url" label="Address of a new webhook" error={refused?.error} help="A public https address.">
          {(control) => (
            <div className="flex gap-2">
              <Input
                {...control}
                type="url"
                name="url"
                inputMode="url"
                autoComplete="off"
                defaultValue={refused?.typed}
                placeholder="https://"
              />
              <Button type="submit" variant="secondary" busy={create.state !== "idle"} className="sm:h-10">
                Add webhook
              </Button>
            </div>
          )}
        </Field>
      </create.Form>
    </>
  );
}

function Log({ deliveries }: { deliveries: Delivery[] }) {
  const sender = useFetcher<Answer>();
  if (deliveries.length === 0) {
    return <p className="border-t border-line p-4 text-sm text-muted sm:px-5">Nothing has been sent there yet.</p>;
  }
  return (
    <div className="border-t border-line">
      <Table
        label="Calls of this webhook"
        head={
          <>
            <Th>Event</Th>
            <Th>How it went</Th>
            <Th numeric>Tries</Th>
            <Th>When</Th>
            <Th>
              <span className="sr-only">Send again</span>
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
                <sender.Form method="post">
                  <input type="hidden" name="intent" value="resend" />
                  <input type="hidden" name="id" value={delivery.id} />
                  <Button
                    type="submit"
                    variant="quiet"
                    busy={sender.formData?.get("id") === delivery.id}
                    aria-label={`Send ${delivery.event} again`}
                  >
                    Send again
                  </Button>
                </sender.Form>
              </Td>
            </tr>
          );
        })}
      </Table>
    </div>
  );
}

function outcome({ deliveredAt, nextAttemptAt, attempts, lastStatus }: Delivery): { tone: Tone; text: string } {
  if (deliveredAt !== null) return { tone: "good", text: `Taken${lastStatus ? `, ${lastStatus}` : ""}` };
  if (nextAttemptAt === null) return { tone: "bad", text: "Given up" };
  return attempts === 0 ? { tone: "neutral", text: "Waiting" } : { tone: "warn", text: "Tried again soon" };
}

type Change = { endpoint: Endpoint; sender: FetcherWithComponents<unknown> };

function NewSecret({ endpoint, sender }: Change) {
  return (
    <sender.Form method="post">
      <input type="hidden" name="intent" value="rotate-secret" />
      <input type="hidden" name="id" value={endpoint.id} />
      <Button type="submit" variant="quiet" aria-label={`New secret for ${endpoint.url}`}>
        New secret
      </Button>
    </sender.Form>
  );
}

function Remove({ endpoint, sender }: Change) {
  const [asking, setAsking] = useState(false);
  const fields = (
    <>
      <input type="hidden" name="intent" value="delete-webhook" />
      <input type="hidden" name="id" value={endpoint.id} />
    </>
  );

  function ask(event: MouseEvent) {
    event.preventDefault();
    setAsking(true);
  }

  return (
    <>
      <sender.Form method="post">
        {fields}
        <Button type="submit" variant="quiet" onClick={ask} aria-label={`Remove the webhook ${endpoint.url}`}>
          Remove
        </Button>
      </sender.Form>
      <Dialog
        open={asking}
        onOpenChange={setAsking}
        title="Remove this webhook?"
        description={
          <>
            <span className="font-mono break-all">{endpoint.url}</span> is not called any more, and its log goes with
            it.
          </>
        }
      >
        <sender.Form method="post" onSubmit={() => setAsking(false)}>
          {fields}
          <DialogActions>
            <Button variant="secondary" onClick={() => setAsking(false)}>
              Keep it
            </Button>
            <Button type="submit" variant="danger">
              Remove webhook
            </Button>
          </DialogActions>
        </sender.Form>
      </Dialog>
    </>
  );
}
