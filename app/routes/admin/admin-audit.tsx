import type { LoaderFunctionArgs, MetaFunction } from "@remix-run/cloudflare";
import { useLoaderData } from "@remix-run/react";
import { requireRole } from "#app/accounts/session/viewer.server.ts";
import { Field } from "#app/components/forms/field.tsx";
import { Select } from "#app/components/forms/select.tsx";
import { DataTable } from "#app/components/table/data-table.tsx";
import { ListFilters } from "#app/components/table/list-filters.tsx";
import { readCursor } from "#app/http/lists/list-query.ts";
import { AUDIT_COLUMNS, actionName, NoAuditEntries } from "#app/orders/staff/audit/audit-list.tsx";
import { listAuditChoices, readAuditLog, readAuditQuery } from "#app/orders/staff/audit/audit-log.server.ts";
import { PRODUCT_NAME } from "#app/product.ts";

const ENTRIES_PER_PAGE = 50;

export const meta: MetaFunction = () => [{ title: `Audit log · ${PRODUCT_NAME}` }];

export async function loader({ request, context }: LoaderFunctionArgs) {
  await requireRole(request, context, "admin");
  const { searchParams } = new URL(request.url);
  const { shown, query } = await readAuditQuery(context.db, searchParams);
  const [page, choices] = await Promise.all([
    readAuditLog(context.db, query, readCursor(searchParams), ENTRIES_PER_PAGE),
    listAuditChoices(context.db),
  ]);
  return { ...page, ...choices, ...shown };
}

export default function AuditLog() {
  const { rows, next, sort, sorts, actors, actions, filter, days } = useLoaderData<typeof loader>();
  const isFiltered = filter.actorId !== null || filter.action !== null || days.from !== "" || days.to !== "";
  return (
    <>
      <h1 className="text-2xl">Audit log</h1>
      <section aria-label="Entries" className="mt-6 min-w-0 rounded-md border border-line bg-raised">
        <DataTable
          label="Audit log"
          columns={AUDIT_COLUMNS}
          rows={rows}
          rowKey={({ id }) => id}
          state={{ sort, sorts, next }}
          filters={
            <ListFilters id="audit" days={days} clearTo={isFiltered ? "?" : null}>
              <Field id="audit-who" label="Staff member" className="max-sm:col-span-2 sm:w-44">
                {(control) => (
                  <Select {...control} key={filter.actorId} name="who" defaultValue={filter.actorId ?? ""}>
                    <option value="">Everyone</option>
                    {actors.map(({ id, name }) => (
                      <option key={id} value={id}>
                        {name || "Deleted account"}
                      </option>
                    ))}
                  </Select>
                )}
              </Field>
              <Field id="audit-what" label="Action" className="max-sm:col-span-2 sm:w-44">
                {(control) => (
                  <Select {...control} key={filter.action} name="what" defaultValue={filter.action ?? ""}>
                    <option value="">All actions</option>
                    {actions.map((action) => (
                      <option key={action} value={action}>
                        {actionName(action)}
                      </option>
                    ))}
                  </Select>
                )}
              </Field>
            </ListFilters>
          }
          exportTo="/admin/exports/audit"
          empty={<NoAuditEntries hasMore={next !== null} />}
        />
      </section>
    </>
  );
}
