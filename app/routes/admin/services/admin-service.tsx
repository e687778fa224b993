import {
  type ActionFunctionArgs,
  data,
  type LoaderFunctionArgs,
  type MetaFunction,
  redirect,
} from "@remix-run/cloudflare";
import { useActionData, useLoaderData } from "@remix-run/react";
import { actorOf, requireRole } from "#app/accounts/session/viewer.server.ts";
import { BackLink } from "#app/components/navigation/back-link.tsx";
import { flashCookie } from "#app/components/toast/flash-cookie.ts";
import { Card } from "#app/components/ui/card.tsx";
import { requireId } from "#app/http/requests/id-param.ts";
import { readForm } from "#app/http/requests/read-form.ts";
import { AuditList } from "#app/orders/staff/audit-list.tsx";
import {
  changeService,
  createService,
  listServiceChoices,
  readStaffService,
} from "#app/orders/staff/services/service-admin.server.ts";
import { ServiceForm } from "#app/orders/staff/services/service-form.tsx";
import { SERVICE_TEXTS } from "#app/orders/staff/staff-action-texts.ts";
import { onceKey, parseStaffForm, serviceInput, textsOf } from "#app/orders/staff/staff-input.server.ts";
import { PRODUCT_NAME } from "#app/product.ts";

const NEW = "new";

export const meta: MetaFunction<typeof loader> = ({ data: shown }) => [
  { title: `${shown?.service?.name ?? "New service"} · ${PRODUCT_NAME}` },
];

export async function loader({ request, params, context }: LoaderFunctionArgs) {
  await requireRole(request, context, "admin");
  const choices = await listServiceChoices(context.db);
  const once = crypto.randomUUID();
  if (params.id === NEW) return { service: null, history: [], choices, once };
  const found = await readStaffService(context.db, requireId(params.id));
  if (!found) throw new Response(null, { status: 404 });
  return { ...found, choices, once };
}

export async function action({ request, params, context }: ActionFunctionArgs) {
  const viewer = await requireRole(request, context, "admin");
  const actor = actorOf(viewer);
  const form = await readForm(request);
  const parsed = parseStaffForm(serviceInput, "service", form);
  if (!parsed.ok) return data(parsed.answer, { status: 400 });
  const refused = (reason: keyof typeof SERVICE_TEXTS) =>
    data(
      { intent: "service", error: SERVICE_TEXTS[reason], values: textsOf(form), fields: undefined },
      { status: 409 },
    );
  if (params.id === NEW) {
    const once = onceKey.safeParse(form.get("once"));
    if (!once.success) throw new Response(null, { status: 400 });
    const made = await createService(context.db, actor, parsed.input, once.data);
    if (!made.ok) return refused(made.reason);
    return redirect(`/admin/services/${made.serviceId}`, {
      headers: { "Set-Cookie": flashCookie("The service is there.") },
    });
  }
  const act = await changeService(context.db, actor, requireId(params.id), parsed.input);
  if (!act.ok && act.reason === "not_found") throw new Response(null, { status: 404 });
  if (!act.ok) return refused(act.reason);
  const said = act.changed === 0 ? "Nothing was different." : "Saved. The list and the API show it from now on.";
  return redirect(new URL(request.url).pathname, { headers: { "Set-Cookie": flashCookie(said) } });
}

export default function StaffServicePage() {
  const { service, history, choices, once } = useLoaderData<typeof loader>();
  const answer = useActionData<typeof action>() ?? null;
  return (
    <>
      <BackLink to="/admin/services">Services</BackLink>
      <h1 className="text-2xl">{service ? service.name : "New service"}</h1>
      <div className="mt-6 flex max-w-3xl flex-col gap-6">
        <Card title={service ? `Service ${service.id}` : "Terms"} titleId="terms">
          <ServiceForm service={service} choices={choices} once={once} answer={answer} />
        </Card>
        {service && (
          <Card title="What staff did" titleId="history" flush>
            <AuditList entries={history} />
          </Card>
        )}
      </div>
    </>
  );
}
