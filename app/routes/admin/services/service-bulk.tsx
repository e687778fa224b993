import type { LoaderFunctionArgs, MetaFunction } from "@remix-run/cloudflare";
import { useLoaderData } from "@remix-run/react";
import { requireRole } from "#app/accounts/session/viewer.server.ts";
import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { reloadAfterConflict } from "#app/components/forms/reload-after-conflict.ts";
import { useActionResult } from "#app/components/forms/use-action-result.ts";
import { BackLink } from "#app/components/navigation/back-link.tsx";
import { Card } from "#app/components/ui/card.tsx";
import { ApplyBulkForm } from "#app/console/catalog/services/bulk/apply-bulk-form.tsx";
import { BULK_KIND_NAMES, BULK_KINDS, type BulkKind } from "#app/console/catalog/services/bulk/bulk-change-text.ts";
import { BulkFields } from "#app/console/catalog/services/bulk/bulk-fields.tsx";
import { submitBulkForm } from "#app/console/catalog/services/bulk/bulk-form.server.ts";
import { readBulkPage } from "#app/console/catalog/services/bulk/bulk-page.server.ts";
import { BulkPlanTable } from "#app/console/catalog/services/bulk/bulk-plan-table.tsx";
import { staffForm } from "#app/console/staff-action.server.ts";
import { ViewTabs } from "#app/console/view-tabs.tsx";
import { PRODUCT_NAME } from "#app/product.ts";

export const meta: MetaFunction = () => [{ title: `Change services · ${PRODUCT_NAME}` }];

export async function loader({ request, context }: LoaderFunctionArgs) {
  await requireRole(request, context, "admin");
  return readBulkPage(context.db, new URL(request.url).searchParams);
}

export const action = staffForm({}, ({ context, request, actor, form }) =>
  submitBulkForm(context.db, actor, new URL(request.url).searchParams, form),
);

/** Reloads the preview after a refusal, so that the form has the digest of what is shown. */
export const shouldRevalidate = reloadAfterConflict;

function buttonText(kind: BulkKind | null, services: string): string {
  if (kind === "on") return `Put ${services} on sale`;
  return kind === "off" ? `Take ${services} off sale` : `Change ${services}`;
}

export default function ServiceBulkPage() {
  const { kind, values, fieldErrors, selected, most, kept, backTo, categories, plan } = useLoaderData<typeof loader>();
  const result = useActionResult<typeof action>() ?? null;
  const { number } = useFormats();
  const isPossible = selected !== null && selected > 0;
  const title =
    selected === 1 ? "Change 1 service" : `Change ${selected === null ? "" : `${number(selected)} `}services`;
  return (
    <>
      <BackLink to={backTo}>Services</BackLink>
      <h1 className="text-2xl">{title}</h1>
      {!isPossible ? (
        <p className="mt-4 max-w-prose text-sm text-muted">
          {selected === 0
            ? "No service is selected. Go back and select some."
            : `More than ${number(most)} services match. Go back and narrow the filter.`}
        </p>
      ) : (
        <div className="mt-6 flex flex-col gap-4">
          <ViewTabs
            label="Changes"
            views={BULK_KINDS.map((known) => ({
              to: `?${new URLSearchParams([...kept, ["change", known]])}`,
              label: BULK_KIND_NAMES[known],
              current: known === kind,
            }))}
          />
          {kind !== "on" && kind !== "off" && (
            <BulkFields
              key={kind}
              kind={kind}
              values={values}
              fieldErrors={fieldErrors}
              kept={kept}
              categories={categories}
            />
          )}
          {plan && (
            <Card
              title={plan.count === 1 ? "1 service changes" : `${number(plan.count)} services change`}
              titleId="plan"
              flush
            >
              <BulkPlanTable plan={plan} />
              {plan.count > 0 && (
                <ApplyBulkForm
                  key={plan.digest}
                  plan={plan}
                  labelOf={(services) => buttonText(kind, services)}
                  result={result}
                />
              )}
            </Card>
          )}
        </div>
      )}
    </>
  );
}
