import type { ActionFunctionArgs, LoaderFunctionArgs, MetaFunction } from "@remix-run/cloudflare";
import { type ShouldRevalidateFunction, useActionData, useLoaderData } from "@remix-run/react";
import ShieldCheck from "lucide-react/icons/shield-check";
import { asStaff, requireRole } from "#app/accounts/session/viewer.server.ts";
import { requireRecentProof } from "#app/accounts/step-up/recent-proof.server.ts";
import { BackLink } from "#app/components/navigation/back-link.tsx";
import { EmptyState } from "#app/components/ui/empty-state.tsx";
import { respondToForm } from "#app/form-response.server.ts";
import { parseId } from "#app/http/requests/id-param.ts";
import { readForm } from "#app/http/requests/read-form.ts";
import { pathOf } from "#app/http/requests/safe-path.ts";
import { PICKS_FORM } from "#app/orders/staff/imports/picked-keys.server.ts";
import { listWaiting } from "#app/orders/staff/imports/quarantine-decisions.server.ts";
import { submitQuarantineForm } from "#app/orders/staff/imports/quarantine-form.server.ts";
import { QuarantineList } from "#app/orders/staff/imports/quarantine-list.tsx";
import { PRODUCT_NAME } from "#app/product.ts";

export const meta: MetaFunction = () => [{ title: `Quarantine · ${PRODUCT_NAME}` }];

export async function loader({ request, context }: LoaderFunctionArgs) {
  await requireRole(request, context, "admin");
  const providerId = parseId(new URL(request.url).searchParams.get("provider"));
  return { providerId, rows: await listWaiting(context.db, providerId) };
}

export async function action({ request, context }: ActionFunctionArgs) {
  const form = await readForm(request, PICKS_FORM);
  const viewer = await requireRole(request, context, "admin");
  requireRecentProof(request, viewer);
  const outcome = await asStaff(request, viewer, (actor) =>
    submitQuarantineForm(context.db, actor, form, pathOf(request.url)),
  );
  return respondToForm(request, outcome);
}

/** Reloads after a refusal: what the page shows, and the versions that its forms begin from, are then those that are saved. */
export const shouldRevalidate: ShouldRevalidateFunction = ({ actionStatus, defaultShouldRevalidate }) =>
  defaultShouldRevalidate || actionStatus === 409;

export default function QuarantinePage() {
  const { providerId, rows } = useLoaderData<typeof loader>();
  const result = useActionData<typeof action>() ?? null;
  return (
    <>
      {providerId === null ? (
        <BackLink to="/admin/providers">Providers</BackLink>
      ) : (
        <BackLink to={`/admin/providers/${providerId}`}>{rows[0]?.provider ?? "Provider"}</BackLink>
      )}
      <h1 className="text-2xl">Quarantine</h1>
      <p className="mt-2 max-w-prose text-sm text-muted">
        Changes of providers' catalogs that nobody should find out about afterwards. Until you decide, a service is sold
        as before, unless each order would cost more than it brings or the service is gone: then it is paused.
      </p>
      <section aria-label="Waiting changes" className="mt-6 rounded-md border border-line bg-raised">
        {rows.length === 0 ? (
          <EmptyState icon={ShieldCheck} title="Nothing waits for you">
            Small changes are applied at night. What moves too far, is gone or would sell below cost appears here.
          </EmptyState>
        ) : (
          <QuarantineList rows={rows} error={result?.message} />
        )}
      </section>
    </>
  );
}
