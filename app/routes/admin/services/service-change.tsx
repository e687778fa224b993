import type { LoaderFunctionArgs, MetaFunction } from "@remix-run/cloudflare";
import { Link, useLoaderData } from "@remix-run/react";
import { requireRole } from "#app/accounts/session/viewer.server.ts";
import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { RelativeDate } from "#app/components/formats/relative-date.tsx";
import { reloadAfterConflict } from "#app/components/forms/reload-after-conflict.ts";
import { useActionResult } from "#app/components/forms/use-action-result.ts";
import { BackLink } from "#app/components/navigation/back-link.tsx";
import { Card } from "#app/components/ui/card.tsx";
import { keptInWords } from "#app/console/audit/entry-sentence.ts";
import { ApplyBulkForm } from "#app/console/catalog/services/bulk/apply-bulk-form.tsx";
import { submitUndoForm } from "#app/console/catalog/services/bulk/bulk-form.server.ts";
import { readBulkEntryPage } from "#app/console/catalog/services/bulk/bulk-page.server.ts";
import { BulkPlanTable } from "#app/console/catalog/services/bulk/bulk-plan-table.tsx";
import { staffForm } from "#app/console/staff-action.server.ts";
import { requireId } from "#app/http/requests/id-param.ts";
import { PRODUCT_NAME } from "#app/product.ts";

export const meta: MetaFunction<typeof loader> = ({ data: shown }) => [
  { title: `Change ${shown?.id ?? ""} of services · ${PRODUCT_NAME}` },
];

export async function loader({ request, params, context }: LoaderFunctionArgs) {
  await requireRole(request, context, "admin");
  const shown = await readBulkEntryPage(context.db, requireId(params.id));
  if (!shown) throw new Response(null, { status: 404 });
  return shown;
}

export const action = staffForm({}, ({ context, actor, params, form }) =>
  submitUndoForm(context.db, actor, requireId(params.id), form),
);

/** Reloads the services after a refusal, so that the form has the digest of what is shown. */
export const shouldRevalidate = reloadAfterConflict;

export default function ServiceChangePage() {
  const { change, count, actorName, createdAt, undoes, undoneBy, plan } = useLoaderData<typeof loader>();
  const result = useActionResult<typeof action>() ?? null;
  const formats = useFormats();
  const { number } = formats;
  return (
    <>
      <BackLink to="/admin/services">Services</BackLink>
      <h1 className="text-2xl">{change}</h1>
      <p className="mt-1 text-sm text-muted">
        {count === 1 ? "1 service" : `${number(count)} services`}, by {actorName || "a deleted account"},{" "}
        <RelativeDate at={createdAt} />
        {undoes !== null && (
          <>
            {" · "}
            <Link to={`/admin/services/changes/${undoes}`} className="underline underline-offset-4">
              The change that was undone
            </Link>
          </>
        )}
      </p>
      {undoneBy ? (
        <Card title={undoneBy.kept ? "Undone in part" : "Undone"} titleId="undo" className="mt-6">
          <p className="text-sm text-muted">
            {undoneBy.actorName || "A deleted account"} undid {undoneBy.kept ? "part of this" : "this"}{" "}
            <RelativeDate at={undoneBy.createdAt} />, by{" "}
            <Link to={`/admin/services/changes/${undoneBy.id}`} className="underline underline-offset-4">
              change {undoneBy.id}
            </Link>
            . To undo that, open it.
          </p>
          {undoneBy.kept && (
            <p className="mt-3 text-sm break-words text-muted">
              This stayed as it was: {keptInWords(undoneBy.kept, formats)}.
            </p>
          )}
        </Card>
      ) : (
        <Card title={plan.count > 0 ? "What undoing it does" : "Nothing to undo"} titleId="undo" flush className="mt-6">
          {plan.count === 0 && (
            <p className="p-4 text-sm text-muted sm:px-5">
              All of these services have other values by now: the change was undone, or others followed it.
            </p>
          )}
          <BulkPlanTable plan={plan} />
          {plan.count > 0 && (
            <ApplyBulkForm
              key={plan.digest}
              plan={plan}
              labelOf={(services) => `Undo the change of ${services}`}
              result={result}
            />
          )}
        </Card>
      )}
    </>
  );
}
