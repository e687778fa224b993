import type { LoaderFunctionArgs, MetaFunction } from "@remix-run/cloudflare";
import { Form, useLoaderData } from "@remix-run/react";
import { requireRole } from "#app/accounts/session/viewer.server.ts";
import { Field } from "#app/components/forms/field.tsx";
import { Select } from "#app/components/forms/select.tsx";
import { MoreLink, pageOf } from "#app/components/navigation/more-link.tsx";
import { Button } from "#app/components/ui/button.tsx";
import { parseId } from "#app/http/requests/id-param.ts";
import { AuditList } from "#app/orders/staff/audit-list.tsx";
import { listAuditChoices, readAuditLog } from "#app/orders/staff/audit-log.server.ts";
import { PRODUCT_NAME } from "#app/product.ts";

const ENTRIES_PER_PAGE = 50;

export const meta: MetaFunction = () => [{ title: `Audit log · ${PRODUCT_NAME}` }];

export async function loader({ request, context }: LoaderFunctionArgs) {
  await requireRole(request, context, "admin");
  const { searchParams } = new URL(request.url);
  const filter = {
    before: parseId(searchParams.get("before")),
    actorId: searchParams.get("who") || null,
    action: searchParams.get("what") || null,
  };
  const [entries, choices] = await Promise.all([
    readAuditLog(context.db, filter, ENTRIES_PER_PAGE),
    listAuditChoices(context.db),
  ]);
  return { ...pageOf(entries, ENTRIES_PER_PAGE, ({ id }) => id), ...choices, filter };
}

export default function AuditLog() {
  const { rows, next, actors, actions, filter } = useLoaderData<typeof loader>();
  return (
    <>
      <h1 className="text-2xl">Audit log</h1>
      <Form method="get" className="mt-6 grid grid-cols-2 items-end gap-3 sm:max-w-2xl sm:grid-cols-[1fr_1fr_auto]">
        <Field id="audit-who" label="Staff member">
          {(control) => (
            <Select {...control} name="who" defaultValue={filter.actorId ?? ""}>
              <option value="">Everyone</option>
              {actors.map(({ id, name }) => (
                <option key={id} value={id}>
                  {name || "Deleted account"}
                </option>
              ))}
            </Select>
          )}
        </Field>
        <Field id="audit-what" label="Action">
          {(control) => (
            <Select {...control} name="what" defaultValue={filter.action ?? ""}>
              <option value="">All actions</option>
              {actions.map((action) => (
                <option key={action}>{action}</option>
              ))}
            </Select>
          )}
        </Field>
        <Button type="submit" variant="secondary" className="col-span-2 sm:col-auto sm:h-10">
          Filter
        </Button>
      </Form>
      <section aria-label="Entries" className="mt-4 overflow-clip rounded-md border border-line bg-raised">
        <AuditList entries={rows} subjects />
        <MoreLink name="before" next={next} />
      </section>
    </>
  );
}
