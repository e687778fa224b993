import type { LoaderFunctionArgs, MetaFunction } from "@remix-run/cloudflare";
import { useLoaderData } from "@remix-run/react";
import { requireRole } from "#app/accounts/session/viewer.server.ts";
import { useActionResult } from "#app/components/forms/use-action-result.ts";
import { BackLink } from "#app/components/navigation/back-link.tsx";
import { Card } from "#app/components/ui/card.tsx";
import { readActivity } from "#app/console/audit/activity.server.ts";
import { ActivityCard } from "#app/console/audit/activity-card.tsx";
import { listServiceChoices, readStaffService } from "#app/console/catalog/services/service-admin.server.ts";
import { serviceTexts, submitServiceForm } from "#app/console/catalog/services/service-admin-form.server.ts";
import { ServiceForm } from "#app/console/catalog/services/service-form.tsx";
import { staffForm } from "#app/console/staff-action.server.ts";
import { beginEdit } from "#app/http/edits/edit-input.server.ts";
import { requireId } from "#app/http/requests/id-param.ts";
import { PRODUCT_NAME } from "#app/product.ts";

const NEW = "new";

export const meta: MetaFunction<typeof loader> = ({ data: shown }) => [
  { title: `${shown?.service?.name ?? "New service"} · ${PRODUCT_NAME}` },
];

export async function loader({ request, params, context }: LoaderFunctionArgs) {
  await requireRole(request, context, "admin");
  const [offered, { settings }] = await Promise.all([listServiceChoices(context.db), context.siteState()]);
  const choices = { ...offered, linkCheck: settings.link_check };
  const once = crypto.randomUUID();
  if (params.id === NEW) return { service: null, edit: null, history: [], choices, once };
  const serviceId = requireId(params.id);
  const [service, history] = await Promise.all([
    readStaffService(context.db, serviceId),
    readActivity(context.db, { subject: "service", subjectId: String(serviceId) }),
  ]);
  if (!service) throw new Response(null, { status: 404 });
  const edit = beginEdit(service.version, serviceTexts(service));
  return { service, edit, history, choices, once };
}

export const action = staffForm({}, ({ context, actor, params, form }) =>
  submitServiceForm(context.db, actor, params.id === NEW ? null : requireId(params.id), form),
);

export default function StaffServicePage() {
  const { service, edit, history, choices, once } = useLoaderData<typeof loader>();
  const result = useActionResult<typeof action>() ?? null;
  return (
    <>
      <BackLink to="/admin/services">Services</BackLink>
      <h1 className="text-2xl">{service ? service.name : "New service"}</h1>
      <div className="mt-6 grid max-w-3xl items-start gap-6 xl:max-w-none xl:grid-cols-[48rem_minmax(0,1fr)]">
        <Card title={service ? `Service ${service.id}` : "Details"} titleId="details">
          <ServiceForm service={service} edit={edit} choices={choices} once={once} result={result} />
        </Card>
        {service && <ActivityCard entries={history} />}
      </div>
    </>
  );
}
