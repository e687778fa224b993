import type { LoaderFunctionArgs, MetaFunction } from "@remix-run/cloudflare";
import { useLoaderData } from "@remix-run/react";
import Ticket from "lucide-react/icons/ticket";
import { requireRole } from "#app/accounts/session/viewer.server.ts";
import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { useActionResult } from "#app/components/forms/use-action-result.ts";
import { EmptyState } from "#app/components/ui/empty-state.tsx";
import { codeBatchColumns } from "#app/console/money/codes/code-batch-table.tsx";
import { CodeListPage } from "#app/console/money/codes/code-list-page.tsx";
import { readCodePage, respondWithCodes } from "#app/console/money/codes/code-page.server.ts";
import { submitCodesForm } from "#app/console/money/codes/codes-form.server.ts";
import { CreateCodesForm } from "#app/console/money/codes/create-codes-form.tsx";
import { NewCodes } from "#app/console/money/codes/new-codes.tsx";
import { staffAction } from "#app/console/staff-action.server.ts";
import { listBatches, MAX_CODES_PER_BATCH } from "#app/orders/top-up/code-batches.server.ts";
import { PRODUCT_NAME } from "#app/product.ts";

export const meta: MetaFunction = () => [{ title: `Codes · ${PRODUCT_NAME}` }];

export async function loader({ request, context }: LoaderFunctionArgs) {
  await requireRole(request, context, "admin");
  return { ...(await readCodePage(context.db, request, listBatches)), maxCodes: MAX_CODES_PER_BATCH };
}

export const action = staffAction({}, async ({ context, actor, form }) =>
  respondWithCodes(await submitCodesForm(context.db, actor, form)),
);

export default function CodesPage() {
  const { rows, next, sort, sorts, once, maxCodes, now } = useLoaderData<typeof loader>();
  const { result, created } = useActionResult<typeof action>() ?? { result: null, created: null };
  return (
    <CodeListPage
      title="Codes"
      intro="A code adds its amount to the balance of whoever redeems it. Codes are shown once, right after you create them."
      created={created && <NewCodes key={created.batchId} created={created} />}
      list={{
        label: "Batches of codes",
        columns: codeBatchColumns(useFormats(), now),
        rows,
        rowKey: ({ id }) => id,
        state: { sort, sorts, next },
        exportTo: "/admin/exports/batches",
        empty: (
          <EmptyState icon={Ticket} title="No codes yet">
            Create codes for a campaign, a reseller or a single customer.
          </EmptyState>
        ),
      }}
      form={{ title: "Create codes", fields: <CreateCodesForm once={once} maxCodes={maxCodes} result={result} /> }}
    />
  );
}
