import type { ActionFunctionArgs, LoaderFunctionArgs, MetaFunction } from "@remix-run/cloudflare";
import { useActionData, useLoaderData, useSearchParams } from "@remix-run/react";
import PackageSearch from "lucide-react/icons/package-search";
import { asStaff, requireRole } from "#app/accounts/session/viewer.server.ts";
import { MoreLink, pageOf } from "#app/components/navigation/more-link.tsx";
import { ButtonLink } from "#app/components/ui/button.tsx";
import { EmptyState } from "#app/components/ui/empty-state.tsx";
import { respondToForm } from "#app/form-response.server.ts";
import { parseId } from "#app/http/requests/id-param.ts";
import { readForm } from "#app/http/requests/read-form.ts";
import { pathOf } from "#app/http/requests/safe-path.ts";
import {
  enableServices,
  listServiceChoices,
  listStaffServices,
  SERVICE_STATES,
} from "#app/orders/staff/services/service-admin.server.ts";
import { ServiceFilter } from "#app/orders/staff/services/service-filter.tsx";
import { ServiceTable } from "#app/orders/staff/services/service-table.tsx";
import { PRODUCT_NAME } from "#app/product.ts";

const SERVICES_PER_PAGE = 100;

export const meta: MetaFunction = () => [{ title: `Services · ${PRODUCT_NAME}` }];

export async function loader({ request, context }: LoaderFunctionArgs) {
  await requireRole(request, context, "admin");
  const { searchParams } = new URL(request.url);
  const filter = {
    search: searchParams.get("q")?.trim() ?? "",
    state: SERVICE_STATES.find((known) => known === searchParams.get("state")) ?? "all",
    providerId: parseId(searchParams.get("provider")),
    network: searchParams.get("network") || null,
    after: parseId(searchParams.get("after")),
  };
  const [rows, choices] = await Promise.all([
    listStaffServices(context.db, filter, SERVICES_PER_PAGE),
    listServiceChoices(context.db),
  ]);
  const { networks, providers } = choices;
  return { ...pageOf(rows, SERVICES_PER_PAGE, ({ id }) => id), filter, networks, providers, states: SERVICE_STATES };
}

export async function action({ request, context }: ActionFunctionArgs) {
  const form = await readForm(request);
  const viewer = await requireRole(request, context, "admin");
  const intent = form.get("intent");
  if (intent !== "enable" && intent !== "disable") throw new Response(null, { status: 400 });
  const ids = form
    .getAll("id")
    .map(parseId)
    .filter((id) => id !== null)
    .slice(0, SERVICES_PER_PAGE);
  if (ids.length === 0) {
    const result = { intent, ok: false, message: "Select at least one service." };
    return respondToForm(request, { kind: "shown", status: 400, result });
  }
  const changed = await asStaff(request, viewer, (actor) =>
    enableServices(context.db, actor, ids, intent === "enable"),
  );
  const message = `${changed} ${changed === 1 ? "service" : "services"} ${intent === "enable" ? "put on" : "taken off"} sale.`;
  return respondToForm(request, { kind: "done", message, to: pathOf(request.url) });
}

export default function StaffServicesPage() {
  const { rows, next, filter, networks, providers, states } = useLoaderData<typeof loader>();
  const result = useActionData<typeof action>() ?? null;
  const [params] = useSearchParams();
  return (
    <>
      <div className="flex flex-wrap items-center justify-between gap-4">
        <h1 className="text-2xl">Services</h1>
        <ButtonLink to="/admin/services/new">Create service</ButtonLink>
      </div>
      <ServiceFilter
        key={params.toString()}
        filter={filter}
        states={states}
        networks={networks}
        providers={providers}
      />
      <section aria-label="Services" className="mt-4 overflow-clip rounded-md border border-line bg-raised">
        {rows.length === 0 ? (
          <EmptyState icon={PackageSearch} title="No matching services">
            Change the filter, create a service or import a provider's catalog.
          </EmptyState>
        ) : (
          // Keyed by page, so that the selection starts empty on each.
          <ServiceTable key={params.toString()} rows={rows} error={result?.message} />
        )}
        <MoreLink name="after" next={next} />
      </section>
    </>
  );
}
