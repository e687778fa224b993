import type { LoaderFunctionArgs, MetaFunction } from "@remix-run/cloudflare";
import { useLoaderData } from "@remix-run/react";
import { requireRole } from "#app/accounts/session/viewer.server.ts";
import { DataTable } from "#app/components/table/data-table.tsx";
import { AuditFilters } from "#app/console/audit/audit-filters.tsx";
import { AUDIT_COLUMNS, NoAuditEntries } from "#app/console/audit/audit-list.tsx";
import { listAuditChoices, readAuditLog } from "#app/console/audit/audit-log.server.ts";
import { readAuditQuery } from "#app/console/audit/audit-query.server.ts";
import { readCursor } from "#app/http/lists/list-query.ts";
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
  const { actorId, action, about } = filter;
  const isFiltered = actorId !== null || action !== null || about !== null || days.from !== "" || days.to !== "";
  const isCut = next !== null && rows.length < ENTRIES_PER_PAGE;
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
            <AuditFilters actors={actors} actions={actions} filter={filter} days={days} isFiltered={isFiltered} />
          }
          exportTo="/admin/exports/audit"
          empty={<NoAuditEntries hasMore={next !== null} isFiltered={isFiltered} />}
          footer={isCut && "These are all in the 5,000 entries that were looked through."}
          {...(isCut && { nextName: sort.descending ? "Look further back" : "Look further" })}
        />
      </section>
    </>
  );
}
