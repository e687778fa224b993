import type { ComponentProps, ReactNode } from "react";
import { DataTable } from "#app/components/table/data-table.tsx";
import { Card } from "#app/components/ui/card.tsx";

/** A page of codes: what was just created, the list, and the form that creates more. */
export function CodeListPage<Row>({
  title,
  intro,
  created,
  list,
  form,
}: {
  title: string;
  intro: string;
  /** Shown once, above the list. */
  created: ReactNode;
  list: ComponentProps<typeof DataTable<Row>>;
  form: { title: string; fields: ReactNode };
}) {
  return (
    <>
      <h1 className="text-2xl">{title}</h1>
      <p className="mt-1 max-w-prose text-sm text-muted">{intro}</p>
      <div className="mt-6 flex flex-col gap-6">
        {created}
        <section aria-label={list.label} className="min-w-0 rounded-md border border-line bg-raised">
          <DataTable {...list} />
        </section>
        <Card title={form.title} titleId="create">
          {form.fields}
        </Card>
      </div>
    </>
  );
}
