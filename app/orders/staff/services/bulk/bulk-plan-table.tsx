import { Link } from "@remix-run/react";
import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { Rate } from "#app/components/formats/money-amount.tsx";
import { Td, Th } from "#app/components/ui/table.tsx";
import { percentText } from "#app/orders/rules/margin.ts";
import type { BulkField } from "./bulk-change.ts";
import { LEFT_TEXTS } from "./bulk-change-text.ts";
import type { ShownPlan } from "./bulk-page.server.ts";
import type { PlannedRow } from "./bulk-plan.ts";

const FIELD_NAMES: Record<BulkField, string> = { rate: "Rate", category: "Category", enabled: "Status" };

/** Shows what a change does to each service, old → new, and which services stay as they are. */
export function BulkPlanTable({ plan }: { plan: ShownPlan }) {
  const { number } = useFormats();
  const hasMargins = plan.field !== "category";
  return (
    <>
      {plan.rows.length > 0 && (
        // A group, not a landmark: the card around it is already one.
        // biome-ignore lint/a11y/useSemanticElements: a fieldset is for controls
        <div role="group" aria-label="Changes" className="data-table relative">
          <table className="w-full border-collapse text-left text-sm">
            <thead className="text-muted">
              <tr>
                <Th>Service</Th>
                <Th numeric={plan.field === "rate"}>{FIELD_NAMES[plan.field]}</Th>
                {hasMargins && <Th numeric>Provider rate</Th>}
                {hasMargins && <Th numeric>Margin</Th>}
              </tr>
            </thead>
            <tbody className="divide-y divide-line">
              {plan.rows.map((row) => (
                <tr key={row.id}>
                  <Td>
                    <Link
                      to={`/admin/services/${row.id}`}
                      title={row.name}
                      className="block max-w-80 truncate underline underline-offset-4 max-lg:max-w-full"
                    >
                      {row.name}
                    </Link>
                  </Td>
                  <Td numeric={plan.field === "rate"} data-label={FIELD_NAMES[plan.field]}>
                    <span className="text-muted">
                      <Value field={plan.field} value={row[plan.field]} /> →
                    </span>{" "}
                    <Value field={plan.field} value={row.to} />
                  </Td>
                  {hasMargins && (
                    <Td numeric data-label="Provider rate" className="text-muted">
                      {row.providerRate === null ? "—" : <Rate micro={row.providerRate} />}
                    </Td>
                  )}
                  {hasMargins && (
                    <Td numeric data-label="Margin">
                      <Margins field={plan.field} row={row} />
                    </Td>
                  )}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {plan.count > plan.rows.length && (
        <p className="border-t border-line px-4 py-3 text-sm text-muted sm:px-5">
          The {number(plan.rows.length)} with the lowest margins. {number(plan.count - plan.rows.length)} more change.
        </p>
      )}
      {plan.left.map(({ why, count, some }) => (
        <details key={why} className="border-t border-line px-4 text-sm sm:px-5">
          <summary className="cursor-pointer py-3">
            {number(count)} {count === 1 ? "stays as it is" : "stay as they are"}: {LEFT_TEXTS[why]}
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
          <span className="text-muted">{marginBefore === null ? "—" : percentText(marginBefore)} →</span>{" "}
        </>
      )}
      <span className={loss > 0 ? "text-bad" : ""}>
        {marginAfter === null ? "—" : percentText(marginAfter)}
        {loss > 0 && <span className="sr-only"> below cost</span>}
      </span>
    </>
  );
}
