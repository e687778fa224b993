import type { LoaderFunctionArgs, MetaFunction } from "@remix-run/cloudflare";
import { useLoaderData, useSearchParams } from "@remix-run/react";
import { requireRole } from "#app/accounts/session/viewer.server.ts";
import { reloadAfterConflict } from "#app/components/forms/reload-after-conflict.ts";
import { useActionResult } from "#app/components/forms/use-action-result.ts";
import { BackLink } from "#app/components/navigation/back-link.tsx";
import { ALL_PARAM } from "#app/console/catalog/imports/pick-list.tsx";
import { PICKS_FORM } from "#app/console/catalog/imports/picked-keys.server.ts";
import { submitQuarantineForm } from "#app/console/catalog/imports/quarantine-form.server.ts";
import { QuarantineList } from "#app/console/catalog/imports/quarantine-list.tsx";
import { readQuarantinePage, readQuarantineQuery } from "#app/console/catalog/imports/quarantine-page.server.ts";
import { staffForm } from "#app/console/staff-action.server.ts";
import { readCursor } from "#app/http/lists/list-query.ts";
import { PRODUCT_NAME } from "#app/product.ts";

const CHANGES_PER_PAGE = 100;

export const meta: MetaFunction = () => [{ title: `Quarantine · ${PRODUCT_NAME}` }];

export async function loader({ request, context }: LoaderFunctionArgs) {
  await requireRole(request, context, "admin");
  const { searchParams } = new URL(request.url);
  const query = readQuarantineQuery(searchParams);
  const asksForAll = searchParams.get(ALL_PARAM) === "1";
  const page = await readQuarantinePage(context.db, query, readCursor(searchParams), CHANGES_PER_PAGE, asksForAll);
  return { ...page, query };
}

export const action = staffForm({ large: PICKS_FORM }, ({ context, request, actor, form }) =>
  submitQuarantineForm(context.db, actor, form, request.url),
);

/** Reloads after a refusal: what the page shows, and the versions that its forms begin from, are then those that are saved. */
export const shouldRevalidate = reloadAfterConflict;

export default function QuarantinePage() {
  const { query, ...page } = useLoaderData<typeof loader>();
  const result = useActionResult<typeof action>() ?? null;
  const [params] = useSearchParams();
  const { providerId } = query;
  const provider = page.groups.find((group) => group.providerId === providerId)?.provider;
  return (
    <>
      {providerId !== null && <BackLink to={`/admin/providers/${providerId}`}>{provider ?? "Provider"}</BackLink>}
      <h1 className="text-2xl">Quarantine</h1>
      <p className="mt-2 max-w-prose text-sm text-muted">
        Catalog changes too big to apply on their own. Until you decide, the service sells as before. It's paused if it
        would sell below cost, or if the provider no longer lists it.
      </p>
      <section aria-label="Waiting changes" className="mt-6 rounded-md border border-line bg-raised">
        {/* Keyed by page, so that the selection starts empty on each. */}
        <QuarantineList key={params.toString()} {...page} query={query} result={result} />
      </section>
    </>
  );
}
