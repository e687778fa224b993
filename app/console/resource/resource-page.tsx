import type { MetaFunction } from "@remix-run/cloudflare";
import { useFetcher, useLoaderData, useSearchParams } from "@remix-run/react";
import type { ReactNode } from "react";
import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { ActionForm, SubmitButton } from "#app/components/forms/action-form.tsx";
import type { FormResult } from "#app/components/forms/form-result.ts";
import { useActionResult } from "#app/components/forms/use-action-result.ts";
import { type Column, DataTable } from "#app/components/table/data-table.tsx";
import { ListFilters } from "#app/components/table/list-filters.tsx";
import { RowLink } from "#app/components/table/row-cells.tsx";
import { Card } from "#app/components/ui/card.tsx";
import { ConfirmButton, type ConfirmButtonProps } from "#app/components/ui/confirm-button.tsx";
import { EmptyState } from "#app/components/ui/empty-state.tsx";
import { Notice } from "#app/components/ui/notice.tsx";
import { PRODUCT_NAME } from "#app/product.ts";
import {
  type CellContext,
  exportName,
  pathOfPage,
  type Resource,
  type ResourceRow,
  type RowAction,
} from "./resource.ts";
import { ResourceForm } from "./resource-form.tsx";
import type { ResourceData } from "./resource-loader.server.ts";

/** Returns the `meta` of a resource's page. */
export function resourceMeta({ page }: Pick<Resource, "page">): MetaFunction {
  return () => [{ title: `${page.label} · ${PRODUCT_NAME}` }];
}

/** The result of a resource's form. `created`: what creating one returned, to show once. */
export type ResourceResult = FormResult & { created?: Record<string, string> };

/**
 * The page of a resource: its list, and the form of a new record or of the edited one, beside it or above it if records are
 * edited, and below it otherwise.
 */
export function ResourcePage<Row extends ResourceRow>({ resource }: { resource: Resource<Row> }) {
  const data = useLoaderData() as ResourceData<Row>;
  const result = useActionResult<() => ResourceResult>();
  const { page, intro, form, Created } = resource;
  const isBeside = form.save !== undefined && !form.isAbove;
  const card = (
    <Card title={data.edited ? `Edit ${data.edited.name}` : form.new} titleId="resource-form">
      <ResourceForm
        key={data.edited?.id ?? `new-${data.once}`}
        resource={resource as unknown as Resource}
        edited={data.edited}
        options={data.options}
        once={data.once}
        now={data.now}
        result={result}
        isWide={!isBeside}
      />
    </Card>
  );
  return (
    <>
      <h1 className="text-2xl">{page.label}</h1>
      <p className="mt-2 max-w-prose text-sm text-muted">{intro}</p>
      <div
        className={
          isBeside ? "mt-6 grid items-start gap-6 lg:grid-cols-[minmax(0,1fr)_360px]" : "mt-6 flex flex-col gap-6"
        }
      >
        {Created && result?.created && <Created created={result.created} />}
        {result?.ok && result.message && <Notice tone="good">{result.message}</Notice>}
        {form.isAbove && card}
        <section aria-label={page.label} className="min-w-0 rounded-md border border-line bg-raised">
          <ResourceList resource={resource} data={data} />
        </section>
        {!form.isAbove && card}
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
      label={resource.page.label}
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
  const pageOf = (id: number) => {
    if (resource.hasOwnPages) return `${pathOfPage(resource)}/${id}`;
    const changed = new URLSearchParams(params);
    changed.set("edit", String(id));
    return `?${changed}`;
  };
  const shown = resource.columns(context).map(({ cell, under, ...column }, index): Column<Row> => {
    const isLink = index === 0 && (resource.hasOwnPages || resource.form.save !== undefined);
    return {
      ...column,
      className: `${under ? "py-1.5" : ""} ${column.className ?? ""}`,
      cell: (row) => (
        <>
          {isLink ? <NameLink to={pageOf(row.id)}>{cell(row, context)}</NameLink> : cell(row, context)}
          {under && <span className="block text-xs text-muted empty:hidden">{under(row, context)}</span>}
        </>
      ),
    };
  });
  const buttons = Object.entries(resource.actions).map(
    ([intent, action]): Column<Row> => ({
      name: intent,
      header: action.label,
      isAction: true,
      className: "py-0.5 align-top",
      cell: (row) =>
        (action.when?.(row) ?? true) && (
          <RowButton intent={intent} button={action} row={row} asksIdentity={!resource.withoutProof} />
        ),
    }),
  );
  return [...shown, ...buttons];
}

function RowButton<Row extends ResourceRow>({
  intent,
  button: { label, named, confirm },
  row,
  asksIdentity,
}: {
  intent: string;
  button: RowAction<Row>;
  row: Row;
  asksIdentity: boolean;
}) {
  const hidden = { id: String(row.id), ...(row.version !== undefined && { version: String(row.version) }) };
  if (confirm) {
    return (
      <AskingButton
        asksIdentity={asksIdentity}
        fields={{ intent, ...hidden }}
        button={label}
        label={named(row)}
        question={confirm.question}
        description={confirm.about(row)}
        confirm={confirm.button}
      />
    );
  }
  return (
    <ActionForm
      asksIdentity={asksIdentity}
      id={`${intent}-${row.id}`}
      intent={intent}
      result={null}
      hidden={hidden}
      className="inline-flex max-md:-ml-3.5 md:-mr-3.5"
    >
      <SubmitButton variant="quiet" aria-label={named(row)}>
        {label}
      </SubmitButton>
    </ActionForm>
  );
}

function AskingButton(props: Omit<ConfirmButtonProps, "sender">) {
  return <ConfirmButton {...props} sender={useFetcher()} />;
}

function NameLink({ to, children }: { to: string; children: ReactNode }) {
  return (
    <RowLink to={to} {...(typeof children === "string" && { title: children })}>
      {children}
    </RowLink>
  );
}
