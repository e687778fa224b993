import { Link, useFetcher } from "@remix-run/react";
import Webhook from "lucide-react/icons/webhook";
import { ActionForm, SubmitButton } from "#app/components/forms/action-form.tsx";
import { FormField } from "#app/components/forms/form-field.tsx";
import type { FormResult } from "#app/components/forms/form-result.ts";
import { CopyButton } from "#app/components/ui/copy-button.tsx";
import { EmptyState } from "#app/components/ui/empty-state.tsx";
import { Notice } from "#app/components/ui/notice.tsx";
import { type Delivery, DeliveryLog } from "./delivery-log.tsx";
import { EndpointEventsForm, EventChoice } from "./endpoint-events-form.tsx";
import { type Endpoint, EndpointTable } from "./endpoint-table.tsx";
import { WANTS_OF_NEW_ENDPOINT } from "./endpoint-wants.ts";

/** The part of the page's result that concerns webhooks. `webhook` carries a new secret, shown once. */
type WebhookResult = FormResult & { webhook?: { secret: string; renewed: boolean } };

export function Webhooks({
  endpoints,
  shownId,
  deliveries,
  submitted,
}: {
  endpoints: Endpoint[];
  /** The endpoint whose events and log are shown. */
  shownId: string | null;
  deliveries: Delivery[];
  /** The result of a form that the browser submitted without scripts. */
  submitted: WebhookResult | null;
}) {
  const create = useFetcher<WebhookResult>();
  const change = useFetcher<WebhookResult>();
  const result = create.data ?? submitted;
  const webhook = change.data?.webhook ?? result?.webhook;
  const changed = change.data ?? submitted;
  const shown = endpoints.find(({ id }) => id === shownId);
  const tested = changed?.intent === "test-webhook" ? changed : null;
  return (
    <>
      {webhook && (
        <div role="status" className="animate-rise border-b border-line bg-good-wash p-4 text-sm sm:px-5">
          <p className="font-medium">
            {webhook.renewed
              ? "Copy the new secret now. You won't see it again. The previous secret stays valid for one day."
              : "Copy the secret now. You won't see it again. Use it to verify the signature of each request."}
          </p>
          <div className="mt-3 flex flex-wrap items-center gap-3">
            <code className="min-w-0 font-mono break-all">{webhook.secret}</code>
            <CopyButton text={webhook.secret} />
          </div>
        </div>
      )}
      {tested && (
        <div className="border-b border-line p-4 sm:px-5">
          <Notice tone={tested.ok ? "good" : "bad"}>{tested.message}</Notice>
        </div>
      )}
      {endpoints.length === 0 ? (
        <EmptyState icon={Webhook} title="No webhooks yet">
          We call your URL when an order is completed, partial or canceled, when your balance is low and, if you like,
          when the catalog changes. Requests are signed according to Standard Webhooks.
        </EmptyState>
      ) : (
        <EndpointTable endpoints={endpoints} shownId={shownId} sender={change} />
      )}
      {endpoints.length > 0 && (
        <p className="border-t border-line p-4 text-sm text-muted sm:px-5">
          Each webhook gets its events one at a time, in order. If one fails, we retry it for about three days and later
          events wait. The{" "}
          <Link to="/api/docs#webhooks" className="underline underline-offset-4 hover:text-text">
            API docs
          </Link>{" "}
          have the details.
        </p>
      )}
      {shown && <EndpointEventsForm key={shown.id} endpoint={shown} submitted={submitted} />}
      {shown && <DeliveryLog deliveries={deliveries} endpoint={shown} />}
      <ActionForm
        asksIdentity
        intent="create-webhook"
        sender={create}
        result={result}
        noValidate
        className="flex flex-col gap-4 border-t border-line p-4 sm:px-5"
      >
        <FormField
          name="url"
          label="Endpoint URL"
          help="A public https URL."
          type="url"
          inputMode="url"
          placeholder="https://"
        />
        <EventChoice legend="Events" initial={WANTS_OF_NEW_ENDPOINT} />
        <div>
          <SubmitButton variant="secondary">Add webhook</SubmitButton>
        </div>
      </ActionForm>
    </>
  );
}
