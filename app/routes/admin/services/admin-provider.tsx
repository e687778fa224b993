import type { ActionFunctionArgs, LoaderFunctionArgs, MetaFunction } from "@remix-run/cloudflare";
import { useActionData, useLoaderData } from "@remix-run/react";
import { asStaff, requireRole } from "#app/accounts/session/viewer.server.ts";
import { requireRecentProof } from "#app/accounts/step-up/recent-proof.server.ts";
import { ActionForm, SubmitButton } from "#app/components/forms/action-form.tsx";
import { FormField } from "#app/components/forms/form-field.tsx";
import { BackLink } from "#app/components/navigation/back-link.tsx";
import { Card } from "#app/components/ui/card.tsx";
import { Notice } from "#app/components/ui/notice.tsx";
import { respondToForm } from "#app/form-response.server.ts";
import { requireId } from "#app/http/requests/id-param.ts";
import { formText, readForm } from "#app/http/requests/read-form.ts";
import { countByKind, listCatalogChanges } from "#app/orders/providers/catalog-import.server.ts";
import { ActivityCard } from "#app/orders/staff/activity-card.tsx";
import { ImportPreviewCard } from "#app/orders/staff/services/import-preview.tsx";
import { ImportReport, LINES_SHOWN } from "#app/orders/staff/services/import-report.tsx";
import { readProvider } from "#app/orders/staff/services/provider-admin.server.ts";
import { submitProviderForm } from "#app/orders/staff/services/provider-admin-form.server.ts";
import { PROVIDER_INTENT, ProviderForm, ProviderState } from "#app/orders/staff/services/provider-form.tsx";
import { ProviderLog } from "#app/orders/staff/services/provider-log.tsx";
import { PRODUCT_NAME } from "#app/product.ts";

/** Intents that need a recent proof: where orders and money go, and prices. The others only ask the provider. */
const CHANGES = new Set([PROVIDER_INTENT, "import"]);

export const meta: MetaFunction<typeof loader> = ({ data: shown }) => [
  { title: `${shown?.provider.name ?? "Provider"} · ${PRODUCT_NAME}` },
];

export async function loader({ request, params, context }: LoaderFunctionArgs) {
  await requireRole(request, context, "admin");
  const providerId = requireId(params.id);
  const found = await readProvider(context.db, providerId);
  if (!found) throw new Response(null, { status: 404 });
  const changes = await listCatalogChanges(context.db, providerId);
  const [newest] = changes;
  const lastReport = changes.filter(({ createdAt }) => createdAt === newest?.createdAt).slice(0, LINES_SHOWN);
  return { ...found, lastReport, lastCounts: countByKind(lastReport), once: crypto.randomUUID(), now: Date.now() };
}

export async function action({ request, params, context }: ActionFunctionArgs) {
  const form = await readForm(request);
  const viewer = await requireRole(request, context, "admin");
  if (CHANGES.has(formText(form, "intent"))) requireRecentProof(request, viewer);
  const outcome = await asStaff(request, viewer, (actor) =>
    submitProviderForm(context, actor, requireId(params.id), form),
  );
  if (!outcome) throw new Response(null, { status: 404 });
  return respondToForm(request, outcome);
}

export default function ProviderPage() {
  const { provider, calls, history, lastReport, lastCounts, once, now } = useLoaderData<typeof loader>();
  const result = useActionData<typeof action>() ?? null;
  const preview = result?.preview;
  return (
    <>
      <BackLink to="/admin/providers">Providers</BackLink>
      <div className="flex flex-wrap items-center gap-3">
        <h1 className="text-2xl">{provider.name}</h1>
        <ProviderState provider={provider} now={now} />
      </div>
      <div className="mt-6 grid items-start gap-6 lg:grid-cols-2">
        <Card title="Settings" titleId="settings">
          <ProviderForm key={provider.name} provider={provider} once={once} result={result} />
        </Card>
        <div className="flex flex-col gap-6">
          <Card title="Connection" titleId="test">
            <p className="mb-4 text-sm text-muted">Requests your balance there. It's free.</p>
            <ActionForm intent="test" result={result}>
              {result?.test && (
                <Notice tone={result.test.ok ? "good" : "bad"}>
                  {result.test.ok ? `Connected. Balance: ${result.test.balance}.` : result.test.why}
                </Notice>
              )}
              <div>
                <SubmitButton variant="secondary">Test connection</SubmitButton>
              </div>
            </ActionForm>
          </Card>
          <Card title="Import catalog" titleId="import">
            <ActionForm intent="preview" result={result}>
              <FormField
                name="markup"
                label="Markup in percent"
                help="Added to the provider's rates. New services start off sale."
                initial={preview?.markup ?? provider.markupPercent ?? 20}
                inputMode="numeric"
              />
              <div>
                <SubmitButton variant={preview ? "secondary" : "primary"}>Preview changes</SubmitButton>
              </div>
            </ActionForm>
          </Card>
        </div>
      </div>
      <div className="mt-6 flex flex-col gap-6">
        {preview && <ImportPreviewCard preview={preview} />}
        {!preview && lastReport.length > 0 && (
          <Card title="Last import" titleId="report" flush>
            <ImportReport
              lines={lastReport.map((line) => ({
                ...line,
                name: line.kind === "added" ? line.after : "",
                ourRate: null,
              }))}
              counts={lastCounts}
            />
          </Card>
        )}
        <Card title="Other API calls" titleId="calls" flush>
          <ProviderLog calls={calls} />
        </Card>
        <ActivityCard entries={history} />
      </div>
    </>
  );
}
