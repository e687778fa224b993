import { Link } from "@remix-run/react";
import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { Rate } from "#app/components/formats/money-amount.tsx";
import { type Column, DataTable } from "#app/components/table/data-table.tsx";
import { RowLink } from "#app/components/table/row-cells.tsx";
import { shareText } from "#app/orders/rules/margin.ts";
import { SERVICE_WORDS } from "#app/words/service-words.ts";
import type { BulkField } from "./bulk-change.ts";
import { leftText } from "./bulk-change-text.ts";
import type { ShownPlan } from "./bulk-page.server.ts";
import type { PlannedRow } from "./bulk-plan.ts";

/** Shows what a change does to each service, old → new, and which services stay as they are. */
export function BulkPlanTable({ plan }: { plan: ShownPlan }) {
  const { number } = useFormats();
  return (
    <>
      {plan.rows.length > 0 && (
        <DataTable
          label="Changes"
          columns={columnsOf(plan.field)}
          rows={plan.rows}
          rowKey={({ id }) => id}
          filters={<p className="py-2 text-sm text-muted">Those that lose most or earn least come first.</p>}
          footer={
            plan.count > plan.rows.length &&
            `The ${number(plan.rows.length)} with the lowest margins. ${number(plan.count - plan.rows.length)} more change.`
          }
        />
      )}
      {plan.left.map(({ why, count, some }) => (
        <details key={why} className="border-t border-line px-4 text-sm sm:px-5">
          <summary className="cursor-pointer py-3">
            {number(count)} {count === 1 ? "stays as it is" : "stay as they are"}: {leftText(why)}
          </summary>
          <ul className="pb-3 text-muted">
            {some.map(({ id, name }) => (
              <li key={id} className="truncate">
                <Link to={`/admin/services/${id}`} className="underline underline-offset-4">
                  {id}
                </Link>{" "}
                {name}
              </li>
            ))}
            {count > some.length && <li>and {number(count - some.length)} more</li>}
          </ul>
        </details>
      ))}
    </>
  );
}

function columnsOf(field: BulkField): Column<PlannedRow>[] {
  const changed: Column<PlannedRow>[] = [
    {
      name: "service",
      header: "Service",
      cell: ({ id, name }) => (
        <RowLink to={`/admin/services/${id}`} title={name}>
          {name}
        </RowLink>
      ),
    },
    {
      name: "value",
      header: SERVICE_WORDS[field],
      inCard: "figure",
      numeric: field === "rate",
      cell: (row) => (
        <>
          <span className="text-muted">
            <Value field={field} value={row[field]} /> →
          </span>{" "}
          <Value field={field} value={row.to} />
        </>
      ),
    },
  ];
  return field === "category" ? changed : [...changed, ...marginColumns(field)];
}

function marginColumns(field: BulkField): Column<PlannedRow>[] {
  return [
    {
      name: "cost",
      header: "Provider rate",
      numeric: true,
      inCard: "figure",
      className: "text-muted",
      cell: ({ providerRate }) => (providerRate === null ? "—" : <Rate micro={providerRate} />),
    },
    {
      name: "margin",
      header: "Margin",
      numeric: true,
      inCard: "figure",
      cell: (row) => <Margins field={field} row={row} />,
    },
  ];
}

function Value({ field, value }: { field: BulkField; value: PlannedRow["to"] }) {
  if (field === "rate") return <Rate micro={Number(value)} />;
  return <>{field === "enabled" ? (value ? "On sale" : "Off sale") : String(value)}</>;
}

function Margins({ field, row: { marginBefore, marginAfter, loss } }: { field: BulkField; row: PlannedRow }) {
  if (marginAfter === null && marginBefore === null) return <span className="text-muted">—</span>;
  return (
    <>
      {field === "rate" && (
        <>
          <span className="text-muted">{marginBefore === null ? "—" : shareText(marginBefore)} →</span>{" "}
        </>
      )}
      <span className={loss > 0 ? "text-bad" : ""}>
        {marginAfter === null ? "—" : shareText(marginAfter)}
        {loss > 0 && <span className="sr-only"> below cost</span>}
      </span>
    </>
  );
}
