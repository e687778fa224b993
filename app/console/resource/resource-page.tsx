import type { MetaFunction } from "@remix-run/cloudflare";
import { useLoaderData, useSearchParams } from "@remix-run/react";
import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { ActionForm, SubmitButton } from "#app/components/forms/action-form.tsx";
import type { FormResult } from "#app/components/forms/form-result.ts";
import { useActionResult } from "#app/components/forms/use-action-result.ts";
import { type Column, DataTable } from "#app/components/table/data-table.tsx";
import { ListFilters } from "#app/components/table/list-filters.tsx";
import { RowLink } from "#app/components/table/row-cells.tsx";
import { Card } from "#app/components/ui/card.tsx";
import { EmptyState } from "#app/components/ui/empty-state.tsx";
import { Notice } from "#app/components/ui/notice.tsx";
import { PRODUCT_NAME } from "#app/product.ts";
import { type CellContext, exportName, type Resource, type ResourceRow, titleOf } from "./resource.ts";
import { ResourceForm } from "./resource-form.tsx";
import type { ResourceData } from "./resource-loader.server.ts";

/** Returns the `meta` of a resource's page. */
export function resourceMeta(resource: Pick<Resource, "path">): MetaFunction {
  return () => [{ title: `${titleOf(resource)} · ${PRODUCT_NAME}` }];
}

/** The result of a resource's form. `created`: what creating one returned, to show once. */
export type ResourceResult = FormResult & { created?: Record<string, string> };

/**
 * The page of a resource: its list, and the form of a new record or of the edited one, beside it if records are edited and
 * below it otherwise.
 */
export function ResourcePage<Row extends ResourceRow>({ resource }: { resource: Resource<Row> }) {
  const data = useLoaderData() as ResourceData<Row>;
  const result = useActionResult<() => ResourceResult>();
  const { intro, form, Created } = resource;
  const title = titleOf(resource);
  const isBeside = form.save !== undefined;
  return (
    <>
      <h1 className="text-2xl">{title}</h1>
      <p className="mt-2 max-w-prose text-sm text-muted">{intro}</p>
      <div
        className={
          isBeside ? "mt-6 grid items-start gap-6 lg:grid-cols-[minmax(0,1fr)_360px]" : "mt-6 flex flex-col gap-6"
        }
      >
        {Created && result?.created && <Created created={result.created} />}
        {result?.ok && result.message && <Notice tone="good">{result.message}</Notice>}
        <section aria-label={title} className="min-w-0 rounded-md border border-line bg-raised">
          <ResourceList resource={resource} data={data} />
        </section>
        <Card title={data.edited ? `Edit ${data.edited.name}` : form.new} titleId="resource-form">
          <ResourceForm
            key={data.edited?.id ?? `new-${data.once}`}
            resource={resource as unknown as Resource}
            edited={data.edited}
            options={data.options}
            once={data.once}
            result={result}
            isWide={!isBeside}
          />
        </Card>
      </div>
    </>
  );
}

function ResourceList<Row extends ResourceRow>({
  resource,
  data,
}: {
  resource: Resource<Row>;
  data: ResourceData<Row>;
}) {
  const { icon, empty, search } = resource;
  const [params] = useSearchParams();
  const formats = useFormats();
  const isFiltered = data.search !== "";
  return (
    <DataTable
      label={titleOf(resource)}
      columns={columnsOf(resource, { formats, options: data.options, now: data.now }, params)}
      rows={data.rows}
      rowKey={({ id }) => id}
      state={{ sort: data.sort, sorts: data.sorts, next: data.next }}
      {...(search && {
        filters: (
          <ListFilters
            id={resource.type}
            search={{ value: data.search, label: "Search", placeholder: search.placeholder }}
            clearTo={isFiltered ? "?" : null}
          />
        ),
      })}
      {...(data.canExport && { exportTo: `/admin/exports/${exportName(resource)}` })}
      empty={
        <EmptyState icon={icon} title={isFiltered ? "Nothing matches" : empty.title}>
          {isFiltered ? "Search for another word, or clear the search." : empty.text}
        </EmptyState>
      }
    />
  );
}

function columnsOf<Row extends ResourceRow>(
  resource: Resource<Row>,
  context: CellContext,
  params: URLSearchParams,
): Column<Row>[] {
  const editing = (id: number) => {
    const changed = new URLSearchParams(params);
    changed.set("edit", String(id));
    return `?${changed}`;
  };
  const shown = resource.columns(context).map((column, index): Column<Row> => {
    const { cell, under, className, sort, numeric, name, header } = column;
    return {
      name,
      header,
      ...(sort && { sort }),
      ...(numeric && { numeric }),
      className: `${under ? "py-1.5" : ""} ${className ?? ""}`,
      cell: (row) => (
        <>
          {index === 0 && resource.form.save ? (
            <RowLink to={editing(row.id)}>{cell(row, context)}</RowLink>
          ) : (
            cell(row, context)
          )}
          {under && <span className="block text-xs text-muted empty:hidden">{under(row, context)}</span>}
        </>
      ),
    };
  });
  const buttons = Object.entries(resource.actions).map(
    ([intent, { label, named, when = () => true }]): Column<Row> => ({
      name: intent,
      header: label,
      isAction: true,
      className: "py-0.5 align-top",
      cell: (row) =>
        when(row) && (
          <ActionForm
            asksIdentity={!resource.withoutProof}
            id={`${intent}-${row.id}`}
            intent={intent}
            result={null}
            hidden={{ id: row.id, ...(row.version !== undefined && { version: row.version }) }}
            className="inline-flex max-md:-ml-3.5 md:-mr-3.5"
          >
            <SubmitButton variant="quiet" aria-label={named(row)}>
              {label}
            </SubmitButton>
          </ActionForm>
        ),
    }),
  );
  return [...shown, ...buttons];
}
