import type { LoaderFunctionArgs, MetaFunction } from "@remix-run/cloudflare";
import { useLoaderData } from "@remix-run/react";
import Layers from "lucide-react/icons/layers";
import { requireRole } from "#app/accounts/session/viewer.server.ts";
import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { useActionResult } from "#app/components/forms/use-action-result.ts";
import { DataTable } from "#app/components/table/data-table.tsx";
import { Card } from "#app/components/ui/card.tsx";
import { EmptyState } from "#app/components/ui/empty-state.tsx";
import { listTiers } from "#app/console/customers/tiers/tier-admin.server.ts";
import { submitNewTier } from "#app/console/customers/tiers/tier-admin-form.server.ts";
import { tierColumns } from "#app/console/customers/tiers/tier-columns.tsx";
import { CreateTierForm } from "#app/console/customers/tiers/tier-forms.tsx";
import { staffForm } from "#app/console/staff-action.server.ts";
import { PRODUCT_NAME } from "#app/product.ts";

export const meta: MetaFunction = () => [{ title: `Tiers · ${PRODUCT_NAME}` }];

export async function loader({ request, context }: LoaderFunctionArgs) {
  await requireRole(request, context, "admin");
  return { tiers: await listTiers(context.db), once: crypto.randomUUID() };
}

export const action = staffForm({}, ({ context, actor, form }) => submitNewTier(context.db, actor, form));

export default function TiersPage() {
  const { tiers, once } = useLoaderData<typeof loader>();
  const result = useActionResult<typeof action>() ?? null;
  const { number } = useFormats();
  return (
    <>
      <h1 className="text-2xl">Tiers</h1>
      <p className="mt-1 max-w-prose text-sm text-muted">
        A tier has its own prices. Assign it to a customer on their page. Everyone else pays the usual prices.
      </p>
      <div className="mt-6 flex flex-col gap-6">
        <section aria-label="Tiers" className="min-w-0 rounded-md border border-line bg-raised">
          <DataTable
            label="Tiers"
            columns={tierColumns(number)}
            rows={tiers}
            rowKey={({ id }) => id}
            state={{ sort: { key: "name", descending: false }, sorts: [], next: null }}
            empty={
              <EmptyState icon={Layers} title="No tiers yet">
                Create one for resellers or your best customers. There can be ten.
              </EmptyState>
            }
          />
        </section>
        <Card title="Create a tier" titleId="create">
          <CreateTierForm once={once} result={result} />
        </Card>
      </div>
    </>
  );
}
