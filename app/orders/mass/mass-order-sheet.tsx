// biome-ignore-all lint/a11y/useSemanticElements: a line is a card on phones, and tables keep their roles only as tables
// biome-ignore-all lint/a11y/useFocusableInteractive: the controls in the cells take focus, not the cells
import { Link, useNavigate } from "@remix-run/react";
import { type ClipboardEvent, type DragEvent, useEffect, useReducer, useRef, useState } from "react";
import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { Money } from "#app/components/formats/money-amount.tsx";
import { ActionForm, SubmitButton } from "#app/components/forms/action-form.tsx";
import type { FormResult } from "#app/components/forms/form-result.ts";
import { useIsHydrated } from "#app/components/hydration/use-is-hydrated.ts";
import { Button } from "#app/components/ui/button.tsx";
import { ORDER_FIELD_NAMES } from "#app/orders/rules/order-input.ts";
import type { CheckedMass } from "./check-mass-order.server.ts";
import { keepMassDraft, otherMassDraft, readMassDraft } from "./mass-draft.ts";
import { BLOCK_ROWS, SheetBlock } from "./sheet-block.tsx";
import { cellOf, moveByKey } from "./sheet-keys.ts";
import { columnLabel, SheetLine } from "./sheet-line.tsx";
import {
  BASE_COLUMNS,
  changeSheet,
  clipboardCells,
  csvOf,
  isBlank,
  isWholeLines,
  newSheet,
  textOf,
} from "./sheet-rows.ts";
import { cellsOf, checkOnServer, useLineChecks } from "./use-line-checks.ts";

const PATH = "/dashboard/orders/mass";
const KEEP_MS = 500;
const THREE_COLUMNS = "[--columns:3rem_minmax(11rem,1.3fr)_minmax(12rem,2.6fr)_9rem_7rem_2.5rem]";

function templateWith(more: number): string {
  return `3rem minmax(11rem,1.3fr) minmax(12rem,2.6fr) 9rem repeat(${more},minmax(8rem,1fr)) 7rem 2.5rem`;
}

/**
 * The sheet in which the lines of a mass order are typed, pasted or dropped, each with its charge or error. The server
 * reads and checks them; here they are only kept and shown.
 */
export function MassOrderSheet({
  draft,
  balance,
  ofFile,
  uploadId,
  submitted,
}: {
  draft: string;
  balance: number;
  /** The lines of the upload that the page was opened with. */
  ofFile: CheckedMass | null;
  uploadId: string | null;
  submitted: { checked: CheckedMass | null; result: FormResult } | undefined;
}) {
  const { number, money } = useFormats();
  const navigate = useNavigate();
  const isHydrated = useIsHydrated();
  const [sheet, dispatch] = useReducer(changeSheet, ofFile?.ok ? ofFile.lines.map(cellsOf) : [], newSheet);
  const { rows } = sheet;
  const { checks, unchecked, failure, retry, learn } = useLineChecks(rows);
  const [reading, setReading] = useState<"no" | "busy" | { error: string }>("no");
  const [ignored, setIgnored] = useState<string[]>(ofFile?.ok ? ofFile.ignoredColumns : []);
  /** The rows that had errors when only those were asked for. They stay while they are being fixed. */
  const [onlyErrors, setOnlyErrors] = useState<Set<number> | null>(null);
  const [isOver, setIsOver] = useState(false);
  const table = useRef<HTMLDivElement>(null);
  const sent = useRef<HTMLTextAreaElement>(null);
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
  useEffect(() => {
    const keep = () =>
      keepMassDraft(
        draft,
        latest.current.filter((row) => !isBlank(row)).map(({ cells }) => cells),
      );
    // Until there is a change, the lines are those that were kept, or those of the file.
    if (sheet.past.length === 0) return;
    const timer = setTimeout(keep, KEEP_MS);
    addEventListener("pagehide", keep);
    return () => {
      clearTimeout(timer);
      removeEventListener("pagehide", keep);
    };
  }, [draft, sheet]);

  const refusedWith = submitted?.result.intent === "place" ? submitted.checked : null;
  useEffect(() => {
    const texts = latest.current.map(textOf).filter((text) => text !== "");
    if (refusedWith?.ok && refusedWith.lines.length === texts.length) learn(texts, refusedWith.lines, { forget: true });
  }, [refusedWith, learn]);

  let [valid, invalid, doubtful, charge] = [0, 0, 0, 0];
  const extra = new Set<string>();
  for (const row of rows) {
    const check = checks.get(textOf(row));
    if (check?.ok) {
      [valid, charge] = [valid + 1, charge + check.charge];
      if (check.doubt !== null) doubtful += 1;
    } else if (check) {
      invalid += 1;
      if (check.column !== null) extra.add(check.column);
    }
    for (const column in row.cells) if (row.cells[column] !== "") extra.add(column);
  }
  const others = ORDER_FIELD_NAMES.filter((name) => extra.has(name) && !BASE_COLUMNS.includes(name)).join(" ");
  const columns = useStableColumns(others);
  // Set by script: the policy for styles allows no style attribute in the server's markup.
  useEffect(() => {
    const more = columns.length - BASE_COLUMNS.length;
    if (more > 0) table.current?.style.setProperty("--columns", templateWith(more));
    else table.current?.style.removeProperty("--columns");
  }, [columns]);
  const numbered = rows.map((row, index) => ({ row, number: index + 1 }));
  const shown = onlyErrors
    ? numbered.filter(({ row }) => onlyErrors.has(row.id) || checks.get(textOf(row))?.ok === false)
    : numbered;
  const ids = shown.map(({ row }) => row.id);

  async function read(text: string, at: number | null) {
    setReading("busy");
    const checked = await checkOnServer(text);
    if (!checked.ok) return setReading({ error: checked.text });
    setReading("no");
    setIgnored(checked.ignoredColumns);
    const lines = checked.lines.map(cellsOf);
    learn(
      lines.map((cells) => textOf({ id: 0, cells })),
      checked.lines,
    );
    dispatch({ kind: "insert", at, lines });
  }

  async function readFile(file: File | undefined) {
    if (!file) return;
    const text = await file.text();
    if (text.includes("\0"))
      return setReading({ error: "This file is not text. Save the table as CSV and drop that." });
    await read(text, null);
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
          <span className={invalid > 0 ? "text-bad" : ""}>
            {number(invalid)} {invalid === 1 ? "error" : "errors"}
          </span>
          {isChecking && failure === null && <span className="text-muted"> · Checking…</span>}
        </p>
        <Button
          variant="quiet"
          aria-pressed={onlyErrors === null}
          onClick={() => setOnlyErrors(null)}
          className={onlyErrors ? "" : "bg-sunken text-text"}
        >
          All
        </Button>
        <Button
          variant="quiet"
          aria-pressed={onlyErrors !== null}
          disabled={invalid === 0 && onlyErrors === null}
          onClick={() =>
            setOnlyErrors(new Set(rows.filter((row) => checks.get(textOf(row))?.ok === false).map(({ id }) => id)))
          }
          className={onlyErrors ? "bg-sunken text-text" : ""}
        >
          Errors
        </Button>
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
                block.map(({ row, number }) => (
                  <SheetLine
                    key={row.id}
                    row={row}
                    number={number}
                    columns={columns}
                    check={checks.get(textOf(row))}
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
      <ActionForm
        intent="place"
        action={`${PATH}?draft=${draft}${uploadId ? `&upload=${uploadId}` : ""}`}
        result={submitted?.result}
        // Placed only at this charge.
        hidden={{ charge, which: "valid", ...(uploadId !== null && { upload: uploadId }) }}
        preventScrollReset={false}
        onSubmit={() => {
          // Written only here: it would be thousands of lines with each key. An input would drop the line breaks.
          if (sent.current) sent.current.value = csvOf(rows);
          keepMassDraft(
            draft,
            rows.filter((row) => !isBlank(row)).map(({ cells }) => cells),
          );
        }}
        className="sticky bottom-0 z-10 flex flex-wrap items-center justify-end gap-x-4 gap-y-2 rounded-b-md border-t border-line bg-raised py-3 pr-20 pl-4 xl:pr-4"
      >
        <textarea ref={sent} name="lines" hidden readOnly defaultValue="" />
        <p className="mr-auto text-sm text-muted">
          {balance < charge ? (
            <span className="text-warn">
              You need <Money micro={charge - balance} /> more.{" "}
              <Link
                to="/dashboard/top-up"
                className="inline-flex min-h-11 items-center underline underline-offset-4 sm:min-h-0"
              >
                Add funds
              </Link>
            </span>
          ) : (
            <>
              Balance after <Money micro={balance - charge} />
            </>
          )}
        </p>
        {doubtful > 0 && (
          <label className="flex min-h-11 items-center gap-2.5 text-sm sm:min-h-9">
            <input type="checkbox" name="links" value="agreed" required className="size-4 shrink-0 accent-accent" />
            {doubtful === 1
              ? "Order the line whose link may be wrong"
              : `Order the ${number(doubtful)} lines whose links may be wrong`}
          </label>
        )}
        <SubmitButton size="large" disabled={valid === 0 || isChecking || balance < charge} className="max-sm:w-full">
          Place {number(valid)}
          {invalid > 0 && `, skip ${number(invalid)}`} · {money(charge)}
        </SubmitButton>
      </ActionForm>
    </section>
  );
}

/** Returns the same array while the columns are the same, so that rows are not rendered again. */
function useStableColumns(others: string): string[] {
  const known = useRef<{ others: string; columns: string[] }>();
  if (known.current?.others !== others) {
    known.current = { others, columns: [...BASE_COLUMNS, ...others.split(" ").filter(Boolean)] };
  }
  return known.current.columns;
}
