import type { LoaderFunctionArgs, MetaFunction } from "@remix-run/cloudflare";
import { useLoaderData } from "@remix-run/react";
import { requireRole } from "#app/accounts/session/viewer.server.ts";
import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { Money } from "#app/components/formats/money-amount.tsx";
import { RelativeDate } from "#app/components/formats/relative-date.tsx";
import { utcDay } from "#app/components/formats/utc-day.ts";
import { ActionForm, SubmitButton } from "#app/components/forms/action-form.tsx";
import { BackLink } from "#app/components/navigation/back-link.tsx";
import { DataTable } from "#app/components/table/data-table.tsx";
import { Card } from "#app/components/ui/card.tsx";
import { readActivity } from "#app/console/audit/activity.server.ts";
import { ActivityCard } from "#app/console/audit/activity-card.tsx";
import { Detail, Details } from "#app/console/detail-list.tsx";
import { disableCodes, listCodes, readBatch, readCodeQuery } from "#app/console/money/codes/batch-codes.server.ts";
import { codeColumns } from "#app/console/money/codes/code-table.tsx";
import { staffForm } from "#app/console/staff-action.server.ts";
import { readCursor } from "#app/http/lists/list-query.ts";
import { requireId } from "#app/http/requests/id-param.ts";
import { formText } from "#app/http/requests/read-form.ts";
import { pathOf } from "#app/http/requests/safe-path.ts";
import { PRODUCT_NAME } from "#app/product.ts";

const CODES_PER_PAGE = 100;

export const meta: MetaFunction<typeof loader> = ({ data: shown }) => [
  { title: `${shown?.batch.name ?? "Codes"} · ${PRODUCT_NAME}` },
];

export async function loader({ request, params, context }: LoaderFunctionArgs) {
  await requireRole(request, context, "admin");
  const id = requireId(params.id);
  const { searchParams } = new URL(request.url);
  const query = readCodeQuery(searchParams);
  const [batch, history, page] = await Promise.all([
    readBatch(context.db, id),
    readActivity(context.db, { subject: "codes", subjectId: String(id) }),
    listCodes(context.db, id, query, readCursor(searchParams), CODES_PER_PAGE),
  ]);
  if (!batch) throw new Response(null, { status: 404 });
  return { batch, history, ...page, ...query };
}

// Disabling codes has to be quick.
export const action = staffForm({ withoutProof: true }, async ({ context, request, actor, params, form }) => {
  const batch = await readBatch(context.db, requireId(params.id));
  if (!batch) throw new Response(null, { status: 404 });
  const intent = form.get("intent");
  if (intent !== "disable-code" && intent !== "disable-batch") return null;
  const codeId = intent === "disable-code" ? requireId(formText(form, "code")) : null;
  await disableCodes(context.db, actor, { batchId: batch.id, codeId });
  const message = codeId === null ? "All codes of this batch disabled." : "Code disabled.";
  return { kind: "done", message, to: pathOf(request.url) };
});

export default function CodeBatchPage() {
  const formats = useFormats();
  const { number } = formats;
  const { batch, rows, next, sort, sorts, history } = useLoaderData<typeof loader>();
  const isEnabled = batch.disabledAt === null;
  return (
    <>
      <BackLink to="/admin/codes">Codes</BackLink>
      <h1 className="text-2xl">{batch.name}</h1>
      <div className="mt-6 flex flex-col gap-6">
        <Card title="Details" titleId="details">
          <Details>
            <Detail name="Amount">
              <Money micro={batch.amount} />
            </Detail>
            <Detail name="Codes">{number(batch.count)}</Detail>
            <Detail name="Uses per code">{number(batch.maxUses)}</Detail>
            <Detail name="Valid until">
              {batch.expiresAt === null ? "No expiry" : `${utcDay(batch.expiresAt - 1)} (UTC)`}
            </Detail>
            <Detail name="Created">
              <RelativeDate at={batch.createdAt} />
            </Detail>
            {batch.disabledAt !== null && (
              <Detail name="Disabled">
                <RelativeDate at={batch.disabledAt} />
              </Detail>
            )}
          </Details>
          {isEnabled && (
            <ActionForm intent="disable-batch" result={null} className="mt-4">
              <SubmitButton variant="danger">Disable all codes</SubmitButton>
            </ActionForm>
          )}
        </Card>
        <Card title="Codes" titleId="codes" flush>
          <DataTable
            label="Codes"
            columns={codeColumns(formats, isEnabled)}
            rows={rows}
            rowKey={({ id }) => id}
            state={{ sort, sorts, next }}
            exportTo={`/admin/exports/codes?batch=${batch.id}`}
            empty={null}
          />
        </Card>
        <ActivityCard entries={history} />
      </div>
    </>
  );
}
