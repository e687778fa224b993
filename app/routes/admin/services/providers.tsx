import type { LoaderFunctionArgs, MetaFunction } from "@remix-run/cloudflare";
import { useLoaderData } from "@remix-run/react";
import Server from "lucide-react/icons/server";
import { requireRole } from "#app/accounts/session/viewer.server.ts";
import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { useActionResult } from "#app/components/forms/use-action-result.ts";
import { DataTable } from "#app/components/table/data-table.tsx";
import { Card } from "#app/components/ui/card.tsx";
import { EmptyState } from "#app/components/ui/empty-state.tsx";
import { listProviders, readProviderQuery } from "#app/console/catalog/services/provider-admin.server.ts";
import { submitNewProviderForm } from "#app/console/catalog/services/provider-admin-form.server.ts";
import { ProviderForm } from "#app/console/catalog/services/provider-form.tsx";
import { providerColumns } from "#app/console/catalog/services/provider-table.tsx";
import { staffForm } from "#app/console/staff-action.server.ts";
import { PRODUCT_NAME } from "#app/product.ts";

export const meta: MetaFunction = () => [{ title: `Providers · ${PRODUCT_NAME}` }];

export async function loader({ request, context }: LoaderFunctionArgs) {
  await requireRole(request, context, "admin");
  const query = readProviderQuery(new URL(request.url).searchParams);
  return { providers: await listProviders(context.db, query), ...query, once: crypto.randomUUID(), now: Date.now() };
}

export const action = staffForm({}, ({ context, actor, form }) => submitNewProviderForm(context, actor, form));

export default function ProvidersPage() {
  const { providers, sort, sorts, once, now } = useLoaderData<typeof loader>();
  const result = useActionResult<typeof action>() ?? null;
  return (
    <>
      <h1 className="text-2xl">Providers</h1>
      <div className="mt-6 flex flex-col gap-6">
        <section aria-label="Providers" className="min-w-0 rounded-md border border-line bg-raised">
          <DataTable
            label="Providers"
            columns={providerColumns(useFormats(), now)}
            rows={providers}
            rowKey={({ id }) => id}
            state={{ sort, sorts, next: null }}
            exportTo="/admin/exports/providers"
            empty={
              <EmptyState icon={Server} title="No providers yet">
                A provider delivers your orders. Without one, staff deliver every order manually.
              </EmptyState>
            }
          />
        </section>
        <div className="max-w-3xl">
          <Card title="Add a provider" titleId="add">
            <ProviderForm provider={null} edit={null} once={once} result={result} />
          </Card>
        </div>
      </div>
    </>
  );
}
