// biome-ignore-all lint/a11y/useSemanticElements: a line is a card on phones, and tables keep their roles only as tables
// biome-ignore-all lint/a11y/useFocusableInteractive: the controls in the cells take focus, not the cells
import { useNavigate } from "@remix-run/react";
import {
  type ClipboardEvent,
  type DragEvent,
  type ReactNode,
  useCallback,
  useEffect,
  useReducer,
  useRef,
  useState,
} from "react";
import { useFormats } from "#app/components/formats/formats-provider.tsx";
import type { FormResult } from "#app/components/forms/form-result.ts";
import { useIsHydrated } from "#app/components/hydration/use-is-hydrated.ts";
import { Button } from "#app/components/ui/button.tsx";
import { readTableText, type TableEncoding } from "#app/http/table-text.ts";
import { ORDER_FIELD_NAMES } from "#app/orders/rules/order-input.ts";
import { ownValue } from "#app/own-value.ts";
import type { CheckedMass } from "./check-mass-order.server.ts";
import { earlierLines } from "./earlier-lines.ts";
import { keepMassDraft, otherMassDraft, readMassDraft } from "./mass-draft.ts";
import { readAsText } from "./mass-read-as.ts";
import { BLOCK_ROWS, SheetBlock } from "./sheet-block.tsx";
import { SheetFooter } from "./sheet-footer.tsx";
import { cellOf, moveByKey } from "./sheet-keys.ts";
import { columnLabel, SheetLine } from "./sheet-line.tsx";
import { BASE_COLUMNS, changeSheet, clipboardCells, isBlank, isWholeLines, newSheet, textOf } from "./sheet-rows.ts";
import { cellsOf, checkOnServer, useLineChecks } from "./use-line-checks.ts";

const PATH = "/dashboard/orders/mass";
const KEEP_MS = 500;
/** Which rows are shown: those of a kind, and those that were of it when it was chosen, which stay while they are fixed. */
type Filter = { kind: "errors" | "doubts"; ids: ReadonlySet<number> };
const THREE_COLUMNS = "[--columns:3rem_minmax(11rem,1.3fr)_minmax(12rem,2.6fr)_9rem_7rem_40px]";

function templateWith(more: number): string {
  return `3rem minmax(11rem,1.3fr) minmax(12rem,2.6fr) 9rem repeat(${more},minmax(8rem,1fr)) 7rem 40px`;
}

/**
 * The sheet in which the lines of a mass order are typed, pasted or dropped, each with its charge or error. The server
 * reads and checks them; here they are only kept and shown.
 */
export function MassOrderSheet({
  draft,
  balance,
  ofFile,
  encoding,
  uploadId,
  submitted,
}: {
  draft: string;
  balance: number;
  /** The lines of the upload that the page was opened with. */
  ofFile: CheckedMass | null;
  /** The upload's, or null if it can't be told. */
  encoding: TableEncoding | null;
  uploadId: string | null;
  submitted: { checked: CheckedMass | null; result: FormResult } | undefined;
}) {
  const { number } = useFormats();
  const navigate = useNavigate();
  const isHydrated = useIsHydrated();
  const [sheet, dispatch] = useReducer(changeSheet, ofFile?.ok ? ofFile.lines.map(cellsOf) : [], newSheet);
  const { rows } = sheet;
  const { checks, unchecked, failure, retry, learn } = useLineChecks(rows);
  const [reading, setReading] = useState<"no" | "busy" | { error: string }>("no");
  const [ignored, setIgnored] = useState<string[]>(ofFile?.ok ? ofFile.ignoredColumns : []);
  const [readAs, setReadAs] = useState(ofFile?.ok ? readAsText({ separator: ofFile.separator, encoding }) : null);
  const [filter, setFilter] = useState<Filter | null>(null);
  const [isOver, setIsOver] = useState(false);
  const table = useRef<HTMLDivElement>(null);
  const chooser = useRef<HTMLInputElement>(null);

  useEffect(() => {
    if (ofFile?.ok)
      learn(
        ofFile.lines.map((line) => textOf({ id: 0, cells: cellsOf(line) })),
        ofFile.lines,
      );
  }, [ofFile, learn]);

  useEffect(() => {
    const kept = readMassDraft(draft);
    if (kept) return dispatch({ kind: "load", lines: kept });
    const other = uploadId === null ? otherMassDraft(draft) : null;
    if (other) navigate(`${PATH}?draft=${other}`, { replace: true });
  }, [draft, uploadId, navigate]);

  const latest = useRef(rows);
  latest.current = rows;
  const keep = useCallback(() => {
    const filled = latest.current.filter((row) => !isBlank(row));
    keepMassDraft(
      draft,
      filled.map(({ cells }) => cells),
    );
  }, [draft]);
  useEffect(() => {
    // Until there is a change, the lines are those that were kept, or those of the file.
    if (sheet.past.length === 0) return;
    const timer = setTimeout(keep, KEEP_MS);
    addEventListener("pagehide", keep);
    return () => {
      clearTimeout(timer);
      removeEventListener("pagehide", keep);
    };
  }, [keep, sheet]);

  const refusedWith = submitted?.result.intent === "place" ? submitted.checked : null;
  useEffect(() => {
    const texts = latest.current.map(textOf).filter((text) => text !== "");
    if (refusedWith?.ok && refusedWith.lines.length === texts.length) learn(texts, refusedWith.lines, { forget: true });
  }, [refusedWith, learn]);

  const [errors, doubts] = [new Set<number>(), new Set<number>()];
  let [valid, charge] = [0, 0];
  const extra = new Set<string>();
  const checked = rows.map((row) => checks.get(textOf(row)));
  const earlier = earlierLines(checked.map((check) => (check?.ok ? check.target : null)));
  for (const [index, row] of rows.entries()) {
    const check = checked[index];
    if (check?.ok) {
      [valid, charge] = [valid + 1, charge + check.charge];
      if (check.doubt !== null || earlier[index] !== null) doubts.add(row.id);
    } else if (check) {
      errors.add(row.id);
      if (check.column !== null) extra.add(check.column);
    }
    for (const column in row.cells) if (ownValue(row.cells, column) !== "") extra.add(column);
  }
  const others = ORDER_FIELD_NAMES.filter((name) => extra.has(name) && !BASE_COLUMNS.includes(name)).join(" ");
  const columns = useStableColumns(others);
  // Set by script: the policy for styles allows no style attribute in the server's markup.
  useEffect(() => {
    const more = columns.length - BASE_COLUMNS.length;
    if (more > 0) table.current?.style.setProperty("--columns", templateWith(more));
    else table.current?.style.removeProperty("--columns");
  }, [columns]);
  const numbered = rows.map((row, index) => ({ row, number: index + 1, at: index }));
  const ofKind = { errors, doubts };
  const shown = filter
    ? numbered.filter(({ row }) => filter.ids.has(row.id) || ofKind[filter.kind].has(row.id))
    : numbered;
  const ids = shown.map(({ row }) => row.id);

  /** Without `encoding`, the text was pasted. */
  async function read(text: string, at: number | null, encoding?: TableEncoding | null) {
    setReading("busy");
    const checked = await checkOnServer(text);
    if (!checked.ok) return setReading({ error: checked.text });
    setReading("no");
    setIgnored(checked.ignoredColumns);
    setReadAs(readAsText({ separator: checked.separator, encoding }));
    const lines = checked.lines.map(cellsOf);
    learn(
      lines.map((cells) => textOf({ id: 0, cells })),
      checked.lines,
    );
    dispatch({ kind: "insert", at, lines });
  }

  async function readFile(file: File | undefined) {
    if (!file) return;
    const { text, encoding } = readTableText(new Uint8Array(await file.arrayBuffer()));
    if (text.includes("\0"))
      return setReading({ error: "This file is not text. Save the table as CSV and drop that." });
    await read(text, null, encoding);
  }

  function paste(event: ClipboardEvent) {
    const found = cellOf(event.target);
    const text = event.clipboardData.getData("text/plain");
    if (!found || !/[\n\t|]/.test(text.trim())) return;
    event.preventDefault();
    if (isWholeLines(text, found.column)) return void read(text, found.id);
    const block = clipboardCells(text);
    dispatch({ kind: "fill", at: found.id, columns: columns.slice(columns.indexOf(found.column)), block });
  }

  function drop(event: DragEvent) {
    event.preventDefault();
    setIsOver(false);
    const [file] = event.dataTransfer.files;
    if (file) void readFile(file);
  }

  const isChecking = unchecked > 0 || reading === "busy";
  const blocks = Array.from({ length: Math.ceil(shown.length / BLOCK_ROWS) }, (_, at) =>
    shown.slice(at * BLOCK_ROWS, (at + 1) * BLOCK_ROWS),
  );
  const message = reading !== "no" && reading !== "busy" ? reading.error : failure;

  return (
    <section
      aria-label="Lines"
      onDragOver={(event) => {
        event.preventDefault();
        setIsOver(true);
      }}
      onDragLeave={() => setIsOver(false)}
      onDrop={drop}
      className={`mt-6 rounded-md border bg-raised noscript:hidden ${isOver ? "border-accent" : "border-line"}`}
    >
      <header className="flex flex-wrap items-center gap-x-2 gap-y-1 border-b border-line px-3 py-2">
        <p role="status" className="mr-auto px-1 text-sm">
          {number(valid)} valid ·{" "}
          <span className={errors.size > 0 ? "text-bad" : ""}>
            {number(errors.size)} {errors.size === 1 ? "error" : "errors"}
          </span>
          {isChecking && failure === null && <span className="text-muted"> · Checking…</span>}
        </p>
        <FilterButton isOn={filter === null} onClick={() => setFilter(null)}>
          All
        </FilterButton>
        <FilterButton
          isOn={filter?.kind === "errors"}
          disabled={errors.size === 0}
          onClick={() => setFilter({ kind: "errors", ids: errors })}
        >
          Errors
        </FilterButton>
        {(doubts.size > 0 || filter?.kind === "doubts") && (
          <FilterButton isOn={filter?.kind === "doubts"} onClick={() => setFilter({ kind: "doubts", ids: doubts })}>
            To check ({number(doubts.size)})
          </FilterButton>
        )}
        <Button variant="quiet" disabled={sheet.past.length === 0} onClick={() => dispatch({ kind: "undo" })}>
          Undo
        </Button>
        <Button variant="quiet" disabled={rows.every(isBlank)} onClick={() => dispatch({ kind: "clear" })}>
          Clear
        </Button>
        <Button variant="secondary" onClick={() => chooser.current?.click()} busy={reading === "busy"}>
          Choose CSV
        </Button>
        <input
          ref={chooser}
          type="file"
          aria-label="CSV file"
          accept=".csv,.tsv,.txt,text/csv"
          tabIndex={-1}
          className="hidden"
          onChange={(event) => {
            void readFile(event.currentTarget.files?.[0]);
            event.currentTarget.value = "";
          }}
        />
      </header>
      {message !== null && (
        <p
          role="alert"
          className="flex flex-wrap items-center gap-x-3 border-b border-line bg-bad-wash px-4 py-2 text-sm text-bad"
        >
          {message}
          <Button variant="quiet" onClick={() => (failure === null ? setReading("no") : retry())}>
            {failure === null ? "Dismiss" : "Try again"}
          </Button>
        </p>
      )}
      {readAs !== null && <p className="border-b border-line px-4 py-2.5 text-sm text-muted">{readAs}</p>}
      {ignored.length > 0 && (
        <p className="border-b border-line px-4 py-2.5 text-sm text-warn">
          Unknown columns, ignored: {ignored.join(", ")}.
        </p>
      )}
      <div
        ref={table}
        role="table"
        aria-label="Lines to order"
        aria-rowcount={rows.length + 1}
        onKeyDown={(event) => moveByKey(event, ids, dispatch)}
        onPaste={paste}
        className={`${THREE_COLUMNS} ${columns.length > 3 ? "overflow-x-auto" : ""}`}
      >
        <div className={columns.length > 3 ? "md:min-w-max" : ""}>
          <div role="rowgroup">
            <div
              role="row"
              className="grid border-b border-line text-sm font-medium text-muted max-md:sr-only md:grid-cols-(--columns)"
            >
              {["#", ...columns.map(columnLabel), "Price"].map((label) => (
                <div
                  key={label}
                  role="columnheader"
                  className={`flex h-10 items-center px-3 ${label === "#" || label === "Price" || label === "Quantity" ? "justify-end" : ""}`}
                >
                  {label}
                </div>
              ))}
              <div role="columnheader">
                <span className="sr-only">Delete</span>
              </div>
            </div>
          </div>
          {blocks.map((block, at) => (
            <SheetBlock key={block[0]?.row.id} rows={block.length} isFirst={at === 0}>
              {() =>
                block.map(({ row, number, at }) => (
                  <SheetLine
                    key={row.id}
                    row={row}
                    number={number}
                    columns={columns}
                    check={checked[at]}
                    earlier={numberOf(earlier[at])}
                    disabled={!isHydrated}
                    dispatch={dispatch}
                  />
                ))
              }
            </SheetBlock>
          ))}
        </div>
      </div>
      <div className="px-3 py-2">
        <Button variant="quiet" onClick={() => dispatch({ kind: "add" })}>
          Add line
        </Button>
      </div>
      <SheetFooter
        draft={draft}
        uploadId={uploadId}
        balance={balance}
        rows={rows}
        totals={{ valid, charge, invalid: errors.size, doubtful: doubts.size }}
        isChecking={isChecking}
        result={submitted?.result}
        onLeave={keep}
        onRemoveDoubtful={() => {
          dispatch({ kind: "delete", ids: doubts });
          setFilter(null);
        }}
      />
    </section>
  );
}

function FilterButton({
  isOn,
  disabled,
  onClick,
  children,
}: {
  isOn: boolean;
  disabled?: boolean;
  onClick: () => void;
  children: ReactNode;
}) {
  return (
    <Button
      variant="quiet"
      aria-pressed={isOn}
      disabled={disabled && !isOn}
      onClick={onClick}
      className={isOn ? "bg-sunken text-text" : ""}
    >
      {children}
    </Button>
  );
}

/** Returns the number that people see of the row at an index. */
function numberOf(index: number | null | undefined): number | null {
  return typeof index === "number" ? index + 1 : null;
}

/** Returns the same array while the columns are the same, so that rows are not rendered again. */
function useStableColumns(others: string): string[] {
  const known = useRef<{ others: string; columns: string[] }>();
  if (known.current?.others !== others) {
    known.current = { others, columns: [...BASE_COLUMNS, ...others.split(" ").filter(Boolean)] };
  }
  return known.current.columns;
}
