import { type FetcherWithComponents, Link } from "@remix-run/react";
import { RelativeDate } from "#app/components/formats/relative-date.tsx";
import { ActionForm, SubmitButton } from "#app/components/forms/action-form.tsx";
import { Badge } from "#app/components/ui/badge.tsx";
import { ButtonLink } from "#app/components/ui/button.tsx";
import { ConfirmButton } from "#app/components/ui/confirm-button.tsx";
import { Table, Td, Th } from "#app/components/ui/table.tsx";
import { WANT_TEXTS } from "./endpoint-wants.ts";
import type { listEndpoints } from "./webhook-endpoints.server.ts";

export type Endpoint = Awaited<ReturnType<typeof listEndpoints>>[number];

export function EndpointTable({
  endpoints,
  shownId,
  sender,
}: {
  endpoints: Endpoint[];
  /** The endpoint whose events and log are shown. */
  shownId: string | null;
  sender: FetcherWithComponents<unknown>;
}) {
  return (
    <Table
      label="Webhooks"
      head={
        <>
          <Th>URL</Th>
          <Th>Status</Th>
          <Th>Events</Th>
          <Th>Added</Th>
          <Th>
            <span className="sr-only">Actions</span>
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
          <Td className="py-2">
            {WANT_TEXTS.filter(({ name }) => endpoint[name]).map(({ name, label }) => (
              <span key={name} className="block whitespace-nowrap">
                {label}
              </span>
            ))}
            <Link
              to={`/dashboard/api?webhook=${endpoint.id}#webhooks`}
              preventScrollReset
              aria-label={`Change the events of ${endpoint.url}`}
              className="text-muted underline underline-offset-4 hover:text-text"
            >
              Change
            </Link>
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
                <EndpointAction
                  asksIdentity
                  endpoint={endpoint}
                  sender={sender}
                  intent="enable-webhook"
                  button="Turn on"
                  label="Turn on"
                />
              )}
              <EndpointAction
                endpoint={endpoint}
                sender={sender}
                intent="test-webhook"
                button="Send test"
                label="Send test to"
              />
              <EndpointAction
                asksIdentity
                endpoint={endpoint}
                sender={sender}
                intent="rotate-secret"
                button="New secret"
                label="New secret for"
              />
              <RemoveEndpoint endpoint={endpoint} sender={sender} />
            </div>
          </Td>
        </tr>
      ))}
    </Table>
  );
}

type ActionProps = { endpoint: Endpoint; sender: FetcherWithComponents<unknown> };

/** A button that submits `intent` for the endpoint. */
function EndpointAction({
  asksIdentity = false,
  endpoint,
  sender,
  intent,
  button,
  label,
}: ActionProps & { asksIdentity?: boolean; intent: string; button: string; label: string }) {
  return (
    <ActionForm asksIdentity={asksIdentity} intent={intent} sender={sender} result={null} hidden={{ id: endpoint.id }}>
      <SubmitButton variant="quiet" aria-label={`${label} ${endpoint.url}`}>
        {button}
      </SubmitButton>
    </ActionForm>
  );
}

function RemoveEndpoint({ endpoint, sender }: ActionProps) {
  return (
    <ConfirmButton
      sender={sender}
      fields={{ intent: "delete-webhook", id: endpoint.id }}
      button="Remove"
      label={`Remove the webhook ${endpoint.url}`}
      question="Remove this webhook?"
      description={
        <>
          We'll stop calling <span className="font-mono break-all">{endpoint.url}</span> and delete its log.
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
          {failingSince === null ? (
            <>
              Turned off <RelativeDate at={disabledAt} /> with a change of your password or email address. Turn it on if
              you know this URL.
            </>
          ) : (
            <>
              Turned off <RelativeDate at={disabledAt} /> after failing for three days. You can resend what is in the
              log once it's on.
            </>
          )}
        </span>
      </>
    );
  }
  if (failingSince === null) return <Badge tone="good">On</Badge>;
  return (
    <>
      <Badge tone="warn">Failing</Badge>
      <span className="block text-xs text-muted">
        Since <RelativeDate at={failingSince} />. We turn it off if deliveries fail for three days.
      </span>
    </>
  );
}
