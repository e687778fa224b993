import { useFetcher } from "@remix-run/react";
import Webhook from "lucide-react/icons/webhook";
import { Field, Input } from "#app/components/forms/field.tsx";
import { Button } from "#app/components/ui/button.tsx";
import { CopyButton } from "#app/components/ui/copy-button.tsx";
import { EmptyState } from "#app/components/ui/empty-state.tsx";
import { Notice } from "#app/components/ui/notice.tsx";
import { type Delivery, DeliveryLog } from "./delivery-log.tsx";
import { type Endpoint, EndpointTable } from "./endpoint-table.tsx";

export type WebhookResult =
  | { secret: string; url: string; renewed: boolean }
  | { error: string; typed: string }
  | { resent: true }
  | { enabled: true }
  /** The result of a test event. */
  | { tested: true; delivered: boolean; text: string }
  | null;
type Response = { webhook: WebhookResult };

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
  /** The result of a form submitted without JavaScript. */
  sentWithoutScripts: WebhookResult;
}) {
  const create = useFetcher<Response>();
  const change = useFetcher<Response>();
  const result = create.data?.webhook ?? sentWithoutScripts;
  const secret = [change.data?.webhook, result].find((one) => one && "secret" in one);
  const changed = change.data?.webhook ?? sentWithoutScripts;
  const tested = changed && "tested" in changed ? changed : null;
  const refused = result && "error" in result ? result : null;
  return (
    <>
      {secret && "secret" in secret && (
        <div role="status" className="animate-rise border-b border-line bg-good-wash p-4 text-sm sm:px-5">
          <p className="font-medium">
            {secret.renewed
              ? "Copy the new secret now. You won’t see it again. The previous secret stays valid for one day."
              : "Copy the secret now. You won’t see it again. Use it to verify the signature of each request."}
          </p>
          <div className="mt-3 flex flex-wrap items-center gap-3">
            <code className="min-w-0 font-mono break-all">{secret.secret}</code>
            <CopyButton text={secret.secret} />
          </div>
        </div>
      )}
      {tested && (
        <div className="border-b border-line p-4 sm:px-5">
          <Notice tone={tested.delivered ? "good" : "bad"}>{tested.text}</Notice>
        </div>
      )}
      {endpoints.length === 0 ? (
        <EmptyState icon={Webhook} title="No webhooks yet">
          We call your URL when an order is completed, partial or canceled, and when your balance is low. Requests are
          signed according to Standard Webhooks.
        </EmptyState>
      ) : (
        <EndpointTable endpoints={endpoints} shownId={shownId} sender={change} />
      )}
      {shownId !== null && <DeliveryLog deliveries={deliveries} />}
      <create.Form
        method="post"
        noValidate
        key={result && "secret" in result ? result.secret : ""}
        className="border-t border-line p-4 sm:px-5"
      >
        <input type="hidden" name="intent" value="create-webhook" />
        <Field id="webhook-url" label="Endpoint URL" error={refused?.error} help="A public https URL.">
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
