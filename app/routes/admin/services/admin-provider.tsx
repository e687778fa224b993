import {
  type ActionFunctionArgs,
  data,
  type LoaderFunctionArgs,
  type MetaFunction,
  redirect,
} from "@remix-run/cloudflare";
import { useActionData, useLoaderData } from "@remix-run/react";
import { actorOf, requireRole } from "#app/accounts/session/viewer.server.ts";
import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { BackLink } from "#app/components/navigation/back-link.tsx";
import { flashCookie } from "#app/components/toast/flash-cookie.ts";
import { Card } from "#app/components/ui/card.tsx";
import { Notice } from "#app/components/ui/notice.tsx";
import { requireId } from "#app/http/requests/id-param.ts";
import { readForm } from "#app/http/requests/read-form.ts";
import { listCatalogChanges } from "#app/orders/providers/catalog-import.server.ts";
import { AuditList } from "#app/orders/staff/audit-list.tsx";
import { ImportReport, LINES_SHOWN } from "#app/orders/staff/services/import-report.tsx";
import { readProvider } from "#app/orders/staff/services/provider-admin.server.ts";
import { type ShownPreview, submitProviderForm } from "#app/orders/staff/services/provider-admin-form.server.ts";
import { ProviderForm, ProviderState } from "#app/orders/staff/services/provider-form.tsx";
import { ProviderLog } from "#app/orders/staff/services/provider-log.tsx";
import { StaffField, StaffForm } from "#app/orders/staff/staff-form.tsx";
import { PRODUCT_NAME } from "#app/product.ts";

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
  return { ...found, lastReport, once: crypto.randomUUID(), now: Date.now() };
}

export async function action({ request, params, context }: ActionFunctionArgs) {
  const viewer = await requireRole(request, context, "admin");
  const actor = actorOf(viewer);
  const done = await submitProviderForm(context, actor, requireId(params.id), await readForm(request));
  if (!done) throw new Response(null, { status: 404 });
  if (done.kind === "shown") return data(done.answer, { status: done.status });
  return redirect(new URL(request.url).pathname, { headers: { "Set-Cookie": flashCookie(done.said) } });
}

export default function ProviderPage() {
  const { provider, calls, history, lastReport, once, now } = useLoaderData<typeof loader>();
  const answer = useActionData<typeof action>() ?? null;
  const preview = answer?.preview;
  return (
    <>
      <BackLink to="/admin/providers">Providers</BackLink>
      <div className="flex flex-wrap items-center gap-3">
        <h1 className="text-2xl">{provider.name}</h1>
        <ProviderState provider={provider} now={now} />
      </div>
      <div className="mt-6 grid items-start gap-6 lg:grid-cols-2">
        <Card title="Settings" titleId="settings">
          <ProviderForm key={provider.name} provider={provider} once={once} answer={answer} />
        </Card>
        <div className="flex flex-col gap-6">
          <Card title="Test" titleId="test">
            <p className="mb-4 text-sm text-muted">Asks for the balance there. It costs nothing.</p>
            <StaffForm intent="test" answer={answer} button="Test the connection" variant="secondary">
              {answer?.test && (
                <Notice tone={answer.test.ok ? "good" : "bad"}>
                  {answer.test.ok ? `It answers. The balance there is ${answer.test.balance}.` : answer.test.why}
                </Notice>
              )}
            </StaffForm>
          </Card>
          <Card title="Import the catalog" titleId="import">
            <StaffForm
              intent="preview"
              answer={answer}
              button="Show what would change"
              variant={preview ? "secondary" : "primary"}
            >
              <StaffField
                answer={answer}
                intent="preview"
                name="markup"
                label="Markup in percent"
                help="Added to the provider’s rates. Services that are new come in off sale."
                initial={preview?.markup ?? provider.markupPercent ?? 20}
                inputMode="numeric"
              />
            </StaffForm>
          </Card>
        </div>
      </div>
      <div className="mt-6 flex flex-col gap-6">
        {preview && <Preview preview={preview} />}
        {!preview && lastReport.length > 0 && (
          <Card title="What the last import changed" titleId="report" flush>
            <ImportReport
              lines={lastReport.map((line) => ({
                ...line,
                name: line.kind === "added" ? line.after : "",
                ourRate: null,
              }))}
              counts={countKinds(lastReport)}
            />
          </Card>
        )}
        <Card title="Calls that are not about one order" titleId="calls" flush>
          <ProviderLog calls={calls} />
        </Card>
        <Card title="What staff did" titleId="history" flush>
          <AuditList entries={history} />
        </Card>
      </div>
    </>
  );
}

function Preview({ preview }: { preview: ShownPreview }) {
  const { number } = useFormats();
  const changes = Object.values(preview.counts).reduce((sum, count) => sum + count, 0);
  const title = `${number(preview.offered)} services there, ${number(changes)} changes for us`;
  return (
    <Card title={title} titleId="preview" flush={changes > 0}>
      {changes === 0 ? (
        <p className="text-sm text-muted">Everything is as it is there. There is nothing to import.</p>
      ) : (
        <>
          <ImportReport lines={preview.lines} counts={preview.counts} />
          <div className="border-t border-line p-4 sm:px-5">
            <StaffForm
              intent="import"
              answer={null}
              button={`Import ${number(changes)} changes`}
              hidden={{ markup: preview.markup, digest: preview.digest }}
            />
          </div>
        </>
      )}
    </Card>
  );
}

function countKinds(lines: { kind: string }[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { kind } of lines) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}
