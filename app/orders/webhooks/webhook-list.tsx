import { type FetcherWithComponents, useFetcher } from "@remix-run/react";
import Webhook from "lucide-react/icons/webhook";
import { RelativeDate } from "#app/components/formats/relative-date.tsx";
import { Field, Input } from "#app/components/forms/field.tsx";
import { Badge, type Tone } from "#app/components/ui/badge.tsx";
import { Button, ButtonLink } from "#app/components/ui/button.tsx";
import { AskBefore } from "#app/components/ui/confirm-dialog.tsx";
import { CopyButton } from "#app/components/ui/copy-button.tsx";
import { EmptyState } from "#app/components/ui/empty-state.tsx";
import { Notice } from "#app/components/ui/notice.tsx";
import { Table, Td, Th } from "#app/components/ui/table.tsx";
import type { listEndpoints } from "./webhook-endpoints.server.ts";

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
  | { enabled: true }
  /** What became of a test call. */
  | { tested: true; taken: boolean; text: string }
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
  const answered = change.data?.webhook ?? sentWithoutScripts;
  const tested = answered && "tested" in answered ? answered : null;
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
      {tested && (
        <div className="border-b border-line p-4 sm:px-5">
          <Notice tone={tested.taken ? "good" : "bad"}>{tested.text}</Notice>
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
              <Th>State</Th>
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
              <Td className="py-2">
                <EndpointState endpoint={endpoint} />
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
                  {endpoint.disabledAt !== null && (
                    <Act endpoint={endpoint} sender={change} intent="enable-webhook" button="Turn on" label="Turn on" />
                  )}
                  <Act
                    endpoint={endpoint}
                    sender={change}
                    intent="test-webhook"
                    button="Send a test"
                    label="Send a test to"
                  />
                  <Act
                    endpoint={endpoint}
                    sender={change}
                    intent="rotate-secret"
                    button="New secret"
                    label="New secret for"
                  />
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

/** One button that does `intent` to the endpoint. */
function Act({ endpoint, sender, intent, button, label }: Change & { intent: string; button: string; label: string }) {
  const { formData } = sender;
  return (
    <sender.Form method="post">
      <input type="hidden" name="intent" value={intent} />
      <input type="hidden" name="id" value={endpoint.id} />
      <Button
        type="submit"
        variant="quiet"
        busy={formData?.get("id") === endpoint.id && formData.get("intent") === intent}
        aria-label={`${label} ${endpoint.url}`}
      >
        {button}
      </Button>
    </sender.Form>
  );
}

function Remove({ endpoint, sender }: Change) {
  return (
    <AskBefore
      sender={sender}
      fields={{ intent: "delete-webhook", id: endpoint.id }}
      button="Remove"
      label={`Remove the webhook ${endpoint.url}`}
      title="Remove this webhook?"
      description={
        <>
          <span className="font-mono break-all">{endpoint.url}</span> is not called any more, and its log goes with it.
        </>
      }
      confirm="Remove webhook"
    />
  );
}

function EndpointState({ endpoint: { disabledAt, failingSince } }: { endpoint: Endpoint }) {
  if (disabledAt !== null) {
    return (
      <>
        <Badge tone="bad">Off</Badge>
        <span className="block text-xs text-muted">
          It failed for three days, until <RelativeDate at={disabledAt} />.
        </span>
      </>
    );
  }
  if (failingSince === null) return <Badge tone="good">On</Badge>;
  return (
    <>
      <Badge tone="warn">Failing</Badge>
      <span className="block text-xs text-muted">
        Since <RelativeDate at={failingSince} />. Turned off after three days of it.
      </span>
    </>
  );
}
