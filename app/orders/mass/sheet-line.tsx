// biome-ignore-all lint/a11y/useSemanticElements: a line is a card on phones, and tables keep their roles only as tables
// biome-ignore-all lint/a11y/useFocusableInteractive: the controls in the cells take focus, not the cells
import Trash2 from "lucide-react/icons/trash-2";
import { type Dispatch, memo } from "react";
import { Money } from "#app/components/formats/money-amount.tsx";
import { ORDER_FIELDS } from "#app/orders/rules/order-input.ts";
import { ownValue } from "#app/own-value.ts";
import { doubtOf } from "./earlier-lines.ts";
import type { SheetChange, SheetRow } from "./sheet-rows.ts";
import type { LineCheck } from "./use-line-checks.ts";

export function columnLabel(column: string): string {
  return column === "service" ? "Service" : (ownValue(ORDER_FIELDS, column)?.label ?? column);
}

/** One line of the sheet: a row on wide screens, a card on phones. */
export const SheetLine = memo(function SheetLine({
  row,
  number,
  columns,
  check,
  earlier,
  disabled,
  dispatch,
}: {
  row: SheetRow;
  number: number;
  columns: string[];
  /** Undefined while it is not checked, and for a blank row. */
  check: LineCheck | undefined;
  /** The number of the first line with the same service and link above this one, or null. */
  earlier: number | null;
  disabled: boolean;
  dispatch: Dispatch<SheetChange>;
}) {
  const error = check && !check.ok ? check : null;
  const errorAt = error && (columns.includes(error.column ?? "") ? error.column : "price");
  const doubt = check?.ok ? doubtOf(check.doubt, earlier) : null;
  const errorId = `line-${row.id}-error`;
  const errorText = error && (
    <p id={errorId} className="px-3 pb-2 text-xs text-bad max-md:px-0 max-md:pt-1 max-md:pb-0">
      {error.error}
    </p>
  );
  return (
    <div
      role="row"
      aria-rowindex={number + 1}
      data-row={row.id}
      className="grid grid-cols-2 gap-px border-b border-line max-md:p-2 md:grid-cols-(--columns) md:gap-0"
    >
      <div
        role="cell"
        className="tabular flex h-11 items-center px-3 font-mono text-xs text-muted max-md:col-start-1 max-md:row-start-1 md:h-10 md:justify-end"
      >
        {number}
      </div>
      {columns.map((column) => {
        const isWrong = errorAt === column;
        return (
          <div
            key={column}
            role="cell"
            className={`relative min-w-0 max-md:col-span-2 max-md:rounded-md max-md:px-1 max-md:pb-1 md:border-l md:border-line ${isWrong ? "bg-bad-wash" : ""}`}
          >
            <span aria-hidden className="block py-1 text-xs text-muted md:hidden">
              {columnLabel(column)}
            </span>
            <div className="flex items-center">
              <Cell
                column={column}
                value={ownValue(row.cells, column) ?? ""}
                label={`${columnLabel(column)}, line ${number}`}
                errorId={isWrong ? errorId : undefined}
                disabled={disabled}
                onText={(text) => dispatch({ kind: "type", id: row.id, column, text })}
              />
              {column === "service" && check?.ok && (
                <span title={check.name} className="min-w-0 flex-1 truncate pr-3 text-xs text-muted max-md:pl-3">
                  {check.name}
                </span>
              )}
            </div>
            {isWrong && errorText}
            {column === "link" && doubt && (
              <p className="px-3 pb-2 text-xs text-warn max-md:px-0 max-md:pt-1 max-md:pb-0">{doubt}</p>
            )}
          </div>
        );
      })}
      <div
        role="cell"
        className="text-right text-sm max-md:col-start-2 max-md:row-start-1 max-md:pr-12 md:border-l md:border-line"
      >
        <span className="flex h-11 items-center justify-end px-3 md:h-10">
          {check?.ok ? <Money micro={check.charge} /> : <span className="text-muted">—</span>}
        </span>
        {errorAt === "price" && errorText}
      </div>
      <div role="cell" className="max-md:col-start-2 max-md:row-start-1 max-md:justify-self-end">
        <button
          type="button"
          aria-label={`Delete line ${number}`}
          disabled={disabled}
          onClick={() => dispatch({ kind: "delete", ids: new Set([row.id]) })}
          className="grid size-11 place-items-center rounded-md text-muted hover:text-bad md:size-10"
        >
          <Trash2 aria-hidden className="size-4" />
        </button>
      </div>
    </div>
  );
});

function Cell({
  column,
  value,
  label,
  errorId,
  disabled,
  onText,
}: {
  column: string;
  value: string;
  label: string;
  errorId: string | undefined;
  disabled: boolean;
  onText: (text: string) => void;
}) {
  const field = ownValue(ORDER_FIELDS, column);
  const isNumber = column === "service" || field?.kind === "number";
  const control = {
    "data-column": column,
    "aria-label": label,
    "aria-invalid": errorId !== undefined || undefined,
    "aria-describedby": errorId,
    value,
    disabled,
    autoComplete: "off",
    autoCapitalize: "none",
    spellCheck: false,
    onChange: (event: { currentTarget: { value: string } }) => onText(event.currentTarget.value),
    // 16 px on phones: below that, iOS zooms the page when a control takes focus.
    className: `h-11 min-w-0 bg-transparent px-3 text-[16px] text-text focus-visible:-outline-offset-2 max-md:rounded-md max-md:border max-md:border-line-strong md:h-10 md:text-sm ${
      column === "service" ? "w-24 shrink-0" : "w-full"
    } ${column === "quantity" ? "tabular md:text-right" : ""}`,
  };
  if (field?.kind === "lines")
    return <textarea {...control} rows={1} className={`${control.className} resize-y py-2.5`} />;
  return <input {...control} inputMode={isNumber ? "numeric" : column === "link" ? "url" : "text"} />;
}
