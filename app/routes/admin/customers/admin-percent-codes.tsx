import type { LoaderFunctionArgs, MetaFunction } from "@remix-run/cloudflare";
import { useLoaderData } from "@remix-run/react";
import BadgePercent from "lucide-react/icons/badge-percent";
import { requireRole } from "#app/accounts/session/viewer.server.ts";
import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { useActionResult } from "#app/components/forms/use-action-result.ts";
import { CopyButton } from "#app/components/ui/copy-button.tsx";
import { EmptyState } from "#app/components/ui/empty-state.tsx";
import { Notice } from "#app/components/ui/notice.tsx";
import { listCategories } from "#app/console/catalog/services/service-categories.server.ts";
import { CodeListPage } from "#app/console/money/codes/code-list-page.tsx";
import { readCodePage, respondWithCodes } from "#app/console/money/codes/code-page.server.ts";
import { CreatePercentCodeForm } from "#app/console/money/percent-codes/create-percent-code-form.tsx";
import { listPercentCodes } from "#app/console/money/percent-codes/percent-code-admin.server.ts";
import { percentCodeColumns } from "#app/console/money/percent-codes/percent-code-columns.tsx";
import { submitPercentCodes } from "#app/console/money/percent-codes/percent-codes-form.server.ts";
import { staffAction } from "#app/console/staff-action.server.ts";
import { PRODUCT_NAME } from "#app/product.ts";

export const meta: MetaFunction = () => [{ title: `Percent codes · ${PRODUCT_NAME}` }];

export async function loader({ request, context }: LoaderFunctionArgs) {
  await requireRole(request, context, "admin");
  const [page, categories] = await Promise.all([
    readCodePage(context.db, request, listPercentCodes),
    listCategories(context.db),
  ]);
  return { ...page, networks: [...new Set(categories.map(({ network }) => network))] };
}

export const action = staffAction({}, async ({ context, actor, form }) => {
  const outcome = await submitPercentCodes(context.db, actor, form);
  if (!outcome) throw new Response(null, { status: 400 });
  return respondWithCodes(outcome);
});

export default function PercentCodesPage() {
  const { rows, next, sort, sorts, networks, once, now } = useLoaderData<typeof loader>();
  const { result, created } = useActionResult<typeof action>() ?? { result: null, created: null };
  const { number } = useFormats();
  return (
    <CodeListPage
      title="Percent codes"
      intro="A code takes a percentage off one order. Customers enter it in the order form. It can't be combined with a tier: the lower price counts."
      created={
        <>
          {created && <NewPercentCode created={created} />}
          {result?.ok && <Notice tone="good">{result.message}</Notice>}
        </>
      }
      list={{
        label: "Percent codes",
        columns: percentCodeColumns(number, now),
        rows,
        rowKey: ({ id }) => id,
        state: { sort, sorts, next },
        exportTo: "/admin/exports/percent-codes",
        empty: (
          <EmptyState icon={BadgePercent} title="No percent codes yet">
            Create one for a campaign, with its limits.
          </EmptyState>
        ),
      }}
      form={{
        title: "Create a code",
        fields: <CreatePercentCodeForm once={once} networks={networks} result={result} />,
      }}
    />
  );
}

function NewPercentCode({ created }: { created: { name: string; code: string } }) {
  return (
    <section aria-labelledby="new-code" className="animate-rise rounded-md border border-line bg-good-wash p-4 sm:p-5">
      <h2 id="new-code" role="status" className="text-sm">
        The code “{created.name}”. Copy it now. You won't see it again.
      </h2>
      <p className="mt-3 flex flex-wrap items-center gap-3">
        <code className="font-mono text-lg">{created.code}</code>
        <CopyButton text={created.code} label="Copy code" />
      </p>
    </section>
  );
}
