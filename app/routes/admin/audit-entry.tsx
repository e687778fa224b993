import type { AppLoadContext, LoaderFunctionArgs, MetaFunction } from "@remix-run/cloudflare";
import { Link, useLoaderData } from "@remix-run/react";
import { requireRole } from "#app/accounts/session/viewer.server.ts";
import { ExactDate } from "#app/components/formats/exact-date.tsx";
import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { reloadAfterConflict } from "#app/components/forms/reload-after-conflict.ts";
import { useActionResult } from "#app/components/forms/use-action-result.ts";
import { BackLink } from "#app/components/navigation/back-link.tsx";
import { Card } from "#app/components/ui/card.tsx";
import { describeEntry, readAuditEntry } from "#app/console/audit/audit-entry.server.ts";
import { Sentence } from "#app/console/audit/audit-list.tsx";
import { entryPath } from "#app/console/audit/audit-row.ts";
import { EntryDetails, EntrySubjects } from "#app/console/audit/entry-details.tsx";
import { keptInWords, putInWords } from "#app/console/audit/entry-sentence.ts";
import { prepareResourceUndo } from "#app/console/resource/resource-undo.server.ts";
import { resourceOf } from "#app/console/resources/all-resources.ts";
import { prepareSettingUndo } from "#app/console/settings/undo-settings.server.ts";
import { staffForm } from "#app/console/staff-action.server.ts";
import { storeOf } from "#app/console/stores/all-stores.server.ts";
import { prepareCatalogUndo } from "#app/console/undo/prepare-undo.server.ts";
import { UndoCard } from "#app/console/undo/undo-card.tsx";
import { notUndone, shownUndo, submitEntryUndo } from "#app/console/undo/undo-form.server.ts";
import { requireId } from "#app/http/requests/id-param.ts";
import { PRODUCT_NAME } from "#app/product.ts";

type Entry = NonNullable<Awaited<ReturnType<typeof readAuditEntry>>>;

export const meta: MetaFunction<typeof loader> = ({ data: shown }) => [
  { title: `Entry ${shown?.entry.id ?? ""} · ${PRODUCT_NAME}` },
];

export async function loader({ request, params, context }: LoaderFunctionArgs) {
  await requireRole(request, context, "admin");
  const entry = await requireEntry(context, params.id);
  const [described, prepared] = await Promise.all([describeEntry(context.db, entry), prepareUndo(context, entry)]);
  return { ...described, undo: shownUndo(prepared) };
}

export const action = staffForm({}, async ({ context, actor, params, form }) => {
  const entry = await requireEntry(context, params.id);
  const prepared = await prepareUndo(context, entry);
  const outcome = await submitEntryUndo(actor, entry, prepared, form);
  if (outcome) context.forgetSiteState();
  return outcome;
});

async function requireEntry(context: AppLoadContext, id: string | undefined): Promise<Entry> {
  const entry = await readAuditEntry(context.db, requireId(id));
  if (!entry) throw new Response(null, { status: 404 });
  return entry;
}

/** Each domain undoes what is its own. */
async function prepareUndo(context: AppLoadContext, entry: Entry) {
  return (
    (await prepareCatalogUndo(context.db, context.env, entry)) ??
    (await prepareSettingUndo(context, entry)) ??
    (await prepareRecordUndo(context, entry)) ??
    notUndone(entry)
  );
}

async function prepareRecordUndo({ db }: AppLoadContext, entry: Entry) {
  const resource = resourceOf(entry.action);
  return resource && prepareResourceUndo(db, entry, storeOf(resource.type));
}

/** Reloads after a refusal, so that the form has the digest of what undoing does now. */
export const shouldRevalidate = reloadAfterConflict;

export default function AuditEntryPage() {
  const { entry, subjects, subjectCount, undoneBy, undo } = useLoaderData<typeof loader>();
  const result = useActionResult<typeof action>() ?? null;
  const formats = useFormats();
  const { parts } = putInWords(entry, formats);
  return (
    <>
      <BackLink to="/admin/audit">Audit log</BackLink>
      <h1 className="max-w-prose text-2xl break-words">
        <Sentence parts={parts} />
      </h1>
      <div className="mt-6 flex flex-col gap-6">
        <EntryDetails entry={entry} />
        {subjectCount > 0 && <EntrySubjects subjects={subjects} count={subjectCount} />}
        {undoneBy ? (
          <Card title={undoneBy.kept ? "Undone in part" : "Undone"} titleId="undo">
            {result?.ok === false && <p className="mb-3 text-sm">{result.message}</p>}
            <p className="text-sm text-muted">
              {undoneBy.actorName || "A deleted account"} undid {undoneBy.kept ? "part of this" : "this"} on{" "}
              <ExactDate at={undoneBy.createdAt} />, in{" "}
              <Link to={entryPath(undoneBy.id)} className="underline underline-offset-4">
                entry {undoneBy.id}
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
          <UndoCard key={undo.digest} undo={undo} result={result} />
        )}
      </div>
    </>
  );
}
