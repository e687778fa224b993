import type { LoaderFunctionArgs, MetaFunction } from "@remix-run/cloudflare";
import { Link, useLoaderData } from "@remix-run/react";
import { requireRole } from "#app/accounts/session/viewer.server.ts";
import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { ActionForm, SubmitButton } from "#app/components/forms/action-form.tsx";
import { reloadAfterConflict } from "#app/components/forms/reload-after-conflict.ts";
import { useActionResult } from "#app/components/forms/use-action-result.ts";
import { BackLink } from "#app/components/navigation/back-link.tsx";
import { Card } from "#app/components/ui/card.tsx";
import { Notice } from "#app/components/ui/notice.tsx";
import { readActivity } from "#app/console/audit/activity.server.ts";
import { ActivityCard } from "#app/console/audit/activity-card.tsx";
import { ImportPreviewCard } from "#app/console/catalog/imports/import-preview.tsx";
import { ImportReport, LINES_SHOWN, unsoldIn } from "#app/console/catalog/imports/import-report.tsx";
import { PICKS_FORM } from "#app/console/catalog/imports/picked-keys.server.ts";
import { ruleTexts } from "#app/console/catalog/imports/price-rules.server.ts";
import { ADD_RULE, CHANGE_RULE, PriceRulesCard, REMOVE_RULE } from "#app/console/catalog/imports/price-rules-card.tsx";
import { countWaitingChanges } from "#app/console/catalog/imports/quarantine-decisions.server.ts";
import { readProvider } from "#app/console/catalog/services/provider-admin.server.ts";
import { providerTexts, submitProviderForm } from "#app/console/catalog/services/provider-admin-form.server.ts";
import { PROVIDER_INTENT, ProviderForm, ProviderState } from "#app/console/catalog/services/provider-form.tsx";
import { ProviderLog } from "#app/console/catalog/services/provider-log.tsx";
import { ProviderReconciliation } from "#app/console/catalog/services/provider-reconciliation.tsx";
import { TaughtWordsCard } from "#app/console/catalog/services/teaching/taught-words-card.tsx";
import { APPLY_WORD } from "#app/console/catalog/services/teaching/teaching-intents.ts";
import { readTeaching } from "#app/console/catalog/services/teaching/teaching-page.server.ts";
import { UnreadAnswersCard } from "#app/console/catalog/services/teaching/unread-answers-card.tsx";
import { Detail, Details } from "#app/console/detail-list.tsx";
import { staffForm } from "#app/console/staff-action.server.ts";
import { beginEdit } from "#app/http/edits/edit-input.server.ts";
import { requireId } from "#app/http/requests/id-param.ts";
import { formText } from "#app/http/requests/read-form.ts";
import { countByKind, listCatalogChanges } from "#app/orders/providers/catalog-import.server.ts";
import { listRules } from "#app/orders/providers/catalog-offers.server.ts";
import { reconcileProvider } from "#app/orders/providers/reconcile-provider.server.ts";
import { CURRENCY, PRODUCT_NAME } from "#app/product.ts";

/**
 * Intents that need a recent proof: where orders and money go, and prices. Teaching a word needs one if it would close many
 * orders or refund much. The others only ask the provider, or undo a word.
 */
const CHANGES = new Set([PROVIDER_INTENT, "import", "sync", ADD_RULE, CHANGE_RULE, REMOVE_RULE, APPLY_WORD]);

export const meta: MetaFunction<typeof loader> = ({ data: shown }) => [
  { title: `${shown?.provider.name ?? "Provider"} · ${PRODUCT_NAME}` },
];

export async function loader({ request, params, context }: LoaderFunctionArgs) {
  await requireRole(request, context, "admin");
  const providerId = requireId(params.id);
  const [found, history, changes, rules, waiting, reconciliation, teaching] = await Promise.all([
    readProvider(context.db, providerId),
    readActivity(context.db, { subject: "provider", subjectId: String(providerId) }),
    listCatalogChanges(context.db, providerId),
    listRules(context.db, providerId),
    countWaitingChanges(context.db, providerId),
    reconcileProvider(context.db, providerId, Date.now()),
    readTeaching(context.db, providerId),
  ]);
  if (!found || !teaching) throw new Response(null, { status: 404 });
  const [newest] = changes;
  const lastChanges = changes.filter(({ createdAt }) => createdAt === newest?.createdAt);
  const edit = beginEdit(found.provider.version, providerTexts(found.provider));
  return {
    ...found,
    history,
    edit,
    lastReport: lastChanges.slice(0, LINES_SHOWN),
    lastCounts: countByKind(lastChanges),
    rules: rules.map((rule) => ({ ...rule, edit: beginEdit(rule.version, ruleTexts(rule)) })),
    waiting,
    reconciliation,
    teaching,
    once: crypto.randomUUID(),
    now: Date.now(),
  };
}

export const action = staffForm(
  { large: PICKS_FORM, withoutProof: (form) => !CHANGES.has(formText(form, "intent")) },
  async ({ context, actor, params, form, requireProof }) => {
    const outcome = await submitProviderForm(context, actor, requireId(params.id), form, requireProof);
    if (!outcome) throw new Response(null, { status: 404 });
    return outcome;
  },
);

/** Reloads after a refusal: what the page shows, and the versions that its forms begin from, are then those that are saved. */
export const shouldRevalidate = reloadAfterConflict;

export default function ProviderPage() {
  const {
    provider,
    edit,
    calls,
    history,
    reconciliation,
    teaching,
    lastReport,
    lastCounts,
    rules,
    waiting,
    once,
    now,
  } = useLoaderData<typeof loader>();
  const result = useActionResult<typeof action>() ?? null;
  const { number } = useFormats();
  const preview = result?.preview;
  // One main action at a time: what was imported goes on sale next.
  const hasUnsold = unsoldIn(lastReport).length > 0;
  const hasRule = rules.some(({ category }) => category === "");
  return (
    <>
      <BackLink to="/admin/providers">Providers</BackLink>
      <div className="flex flex-wrap items-center gap-3">
        <h1 className="text-2xl">{provider.name}</h1>
        <ProviderState provider={provider} now={now} />
      </div>
      {waiting > 0 && (
        <p className="mt-4 text-sm">
          <Link
            to={`/admin/providers/quarantine?provider=${provider.id}`}
            className="font-medium underline underline-offset-4"
          >
            {number(waiting)} {waiting === 1 ? "change of its catalog waits" : "changes of its catalog wait"} for your
            decision
          </Link>
        </p>
      )}
      {teaching.unread.length > 0 && (
        <p className="mt-4 text-sm">
          <a href="#unread" className="font-medium underline underline-offset-4">
            {unreadText(teaching.unread.length, teaching.hasMoreUnread)}
          </a>
        </p>
      )}
      {!reconciliation.isComparable && (
        <div className="mt-4 max-w-prose">
          <Notice tone="bad">
            Your balance here is in {reconciliation.currency}, not in {CURRENCY}. What its orders cost you is unknown:
            they have no margin, its catalog can't be priced by a rule, and what it charges isn't counted.
          </Notice>
        </div>
      )}
      <div className="mt-6 grid items-start gap-6 lg:grid-cols-2">
        <Card title="Settings" titleId="settings">
          <ProviderForm provider={provider} edit={edit} once={once} result={result} />
        </Card>
        <div className="flex flex-col gap-6">
          <Card title="Connection" titleId="test">
            <p className="mb-4 text-sm text-muted">Checks the URL and the key by asking for your balance.</p>
            <ActionForm intent="test" result={result}>
              {result?.test && (
                <Notice tone={result.test.ok ? "good" : "bad"}>
                  {result.test.ok ? `Connected. Balance: ${result.test.balance}.` : result.test.why}
                </Notice>
              )}
              {result?.test?.ok && (
                <Details>
                  {result.test.dialect.map(({ name, says }) => (
                    <Detail key={name} name={name}>
                      {says}
                    </Detail>
                  ))}
                </Details>
              )}
              <div>
                <SubmitButton variant="secondary">Test connection</SubmitButton>
              </div>
            </ActionForm>
          </Card>
          <PriceRulesCard rules={rules} result={result} />
          <Card title="Catalog" titleId="import">
            <div className="flex flex-wrap gap-2">
              <ActionForm intent="preview" result={result} className="flex flex-col gap-4">
                <div>
                  <SubmitButton variant={preview || !hasRule || hasUnsold ? "secondary" : "primary"}>
                    Preview changes
                  </SubmitButton>
                </div>
              </ActionForm>
              {hasRule && (
                <ActionForm asksIdentity intent="sync" result={result} className="flex flex-col gap-4">
                  <div>
                    <SubmitButton variant="secondary">Run the nightly comparison</SubmitButton>
                  </div>
                </ActionForm>
              )}
            </div>
            <p className="mt-4 text-sm text-muted">
              A preview changes nothing. The comparison applies small changes, and the rest waits for your decision.
            </p>
            <p className="mt-2 text-sm">
              <Link
                to={`/admin/services?provider=${provider.id}`}
                className="inline-flex min-h-11 items-center underline underline-offset-4 sm:min-h-0"
              >
                Services of this provider
              </Link>
            </p>
          </Card>
        </div>
      </div>
      <div className="mt-6 flex flex-col gap-6">
        {preview && <ImportPreviewCard key={preview.digest} preview={preview} />}
        {!preview && lastReport.length > 0 && (
          <Card title="Last changes" titleId="report" flush>
            <ImportReport providerId={provider.id} lines={lastReport} counts={lastCounts} />
          </Card>
        )}
        <UnreadAnswersCard teaching={teaching} result={result} />
        {teaching.taught.length > 0 && <TaughtWordsCard teaching={teaching} />}
        <ProviderReconciliation reconciliation={reconciliation} />
        <Card title="Other API calls" titleId="calls" flush>
          <ProviderLog calls={calls} />
        </Card>
        <ActivityCard entries={history} />
      </div>
    </>
  );
}

function unreadText(count: number, hasMore: boolean): string {
  if (count === 1) return "1 unknown word in its answers";
  return `${count}${hasMore ? " or more" : ""} unknown words in its answers`;
}
