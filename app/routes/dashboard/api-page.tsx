import { type ActionFunctionArgs, data, type LoaderFunctionArgs, type MetaFunction } from "@remix-run/cloudflare";
import { Link, useLoaderData } from "@remix-run/react";
import { recordEvent } from "#app/accounts/events/security-events.server.ts";
import { requireViewer } from "#app/accounts/session/viewer.server.ts";
import { requireRecentProof } from "#app/accounts/step-up/recent-proof.server.ts";
import { readVisit } from "#app/accounts/visit/visit.server.ts";
import { useActionResult } from "#app/components/forms/use-action-result.ts";
import { Card } from "#app/components/ui/card.tsx";
import { respondToForm } from "#app/form-response.server.ts";
import { formText, readForm } from "#app/http/requests/read-form.ts";
import { ApiKeys } from "#app/orders/api/api-key-list.tsx";
import { listApiKeys } from "#app/orders/api/api-keys.server.ts";
import { submitApiForm } from "#app/orders/api/api-page-form.server.ts";
import { listDeliveries, listEndpoints } from "#app/orders/webhooks/webhook-endpoints.server.ts";
import { Webhooks } from "#app/orders/webhooks/webhook-list.tsx";
import { PRODUCT_NAME } from "#app/product.ts";

const DELIVERIES_SHOWN = 50;
/** Intents that need a recent proof. Revoking a key and removing a webhook need none: that has to be quick. */
const NEEDS_PROOF = new Set([
  "create-key",
  "rotate-key",
  "limit-key",
  "create-webhook",
  "enable-webhook",
  "choose-events",
  "rotate-secret",
]);

export const meta: MetaFunction = () => [{ title: `API · ${PRODUCT_NAME}` }];

export async function loader({ request, context }: LoaderFunctionArgs) {
  const { userId } = await requireViewer(request, context);
  const { searchParams } = new URL(request.url);
  const requested = searchParams.get("webhook");
  const [keys, endpoints] = await Promise.all([listApiKeys(context.db, userId), listEndpoints(context.db, userId)]);
  const shownId = endpoints.find(({ id }) => id === requested)?.id ?? null;
  const log = shownId === null ? [] : await listDeliveries(context.db, userId, shownId, DELIVERIES_SHOWN);
  const deliveries = log.map(({ delivery: { body: _, endpointId: __, ...delivery } }) => delivery);
  return { keys, shownKeyId: searchParams.get("key"), endpoints, shownId, deliveries };
}

export async function action({ request, context }: ActionFunctionArgs) {
  const form = await readForm(request);
  const viewer = await requireViewer(request, context);
  const { userId } = viewer;
  if (NEEDS_PROOF.has(formText(form, "intent"))) requireRecentProof(request, viewer);
  const visit = await readVisit(context, request);
  const outcome = await submitApiForm(context, viewer, form, (kind, detail) =>
    recordEvent(context, visit, userId, kind, detail),
  );
  if (outcome === "unknown_form") throw data(null, 400);
  if (outcome === "not_found") throw data(null, 404);
  return respondToForm(request, outcome);
}

export default function Api() {
  const { keys, shownKeyId, endpoints, shownId, deliveries } = useLoaderData<typeof loader>();
  const submitted = useActionResult<typeof action>() ?? null;
  return (
    <>
      <h1 className="text-2xl">API</h1>
      <p className="mt-1 max-w-prose text-sm text-muted">
        Place and track orders from your code.{" "}
        <Link to="/api/docs" className="underline underline-offset-4 hover:text-text">
          API docs
        </Link>
        .
      </p>
      <div className="mt-6 flex flex-col gap-8">
        <Card title="API keys" titleId="api-keys" flush>
          <ApiKeys keys={keys} shownId={shownKeyId} submitted={submitted} />
        </Card>
        <Card title="Webhooks" titleId="webhooks" flush>
          <Webhooks endpoints={endpoints} shownId={shownId} deliveries={deliveries} submitted={submitted} />
        </Card>
      </div>
    </>
  );
}
