import { Link, useSearchParams } from "@remix-run/react";
import ArrowDown from "lucide-react/icons/arrow-down";
import ArrowUp from "lucide-react/icons/arrow-up";
import Download from "lucide-react/icons/download";
import { type ReactNode, useRef } from "react";
import { ButtonLink } from "#app/components/ui/button.tsx";
import { Td, Th, useIsListLoading } from "#app/components/ui/table.tsx";
import { DensityToggle } from "./density-toggle.tsx";
import { type RowSelection, SelectAll, SelectRow } from "./row-selection.tsx";
import { TableKeys } from "./table-keys.tsx";

/**
 * A column of a list. On a phone, where a row is a card, the first one is the card's title, and the others fill half a line
 * each, below their names. With `inCard`, a card has fewer lines: each column is as wide as what it says, with its name before
 * it (`figure`) or without (`text`), or has a line of its own.
 */
export type Column<Row> = {
  name: string;
  header: string;
  cell: (row: Row) => ReactNode;
  numeric?: boolean;
  /** The key of the list's order by this column, if it has one. */
  sort?: string;
  /** A button or link of each row, named by itself: its column shows no name. */
  isAction?: boolean;
  inCard?: "line" | "text" | "figure";
  className?: string;
};

/** A list's state as the URL has it. `sorts`: the keys that it can be sorted by now. `next`: the next page's cursor. */
export type TableState = {
  sort: { key: string; descending: boolean };
  sorts: readonly string[];
  next: string | null;
};

/** The state of a list that is shown whole, in one order. */
const WHOLE: TableState = { sort: { key: "", descending: false }, sorts: [], next: null };

/**
 * A list of the console: sorted, paged and exported by links, so that it works without scripts and can be shared. With them,
 * rows are moved through by keys. Rows with a `RowLink` open by Enter.
 */
export function DataTable<Row>({
  label,
  columns,
  rows,
  rowKey,
  state = WHOLE,
  list = "",
  filters,
  exportTo,
  selection,
  empty,
  footer,
  nextName = "Next page",
}: {
  label: string;
  columns: Column<Row>[];
  rows: Row[];
  rowKey: (row: Row) => string | number;
  /** Left out for a list that is shown whole. */
  state?: TableState;
  /** The prefix of this list's parameters in the URL, if the page has several lists. */
  list?: string;
  /** Fields above the rows. As a function, it gets the list's tools and puts them in its last line. */
  filters?: ReactNode | ((tools: ReactNode) => ReactNode);
  /**
   * The path of the list's export, which takes the parameters of the page. Its link has no `download`: the browser would
   * save the page that asks for a proof as the file.
   */
  exportTo?: string;
  selection?: RowSelection;
  /** Shown without rows. */
  empty?: ReactNode;
  /** A line below the rows, beside the links to other pages. */
  footer?: ReactNode;
  /** Text of the link to the next page. A list that ended before its page was full looks further. */
  nextName?: string;
}) {
  const box = useRef<HTMLDivElement>(null);
  const isLoading = useIsListLoading();
  const linkTo = useListLinks(list);
  const keys = rows.map((row) => String(rowKey(row)));
  const isEmpty = rows.length === 0;
  const exportLink = (className: string) =>
    exportTo !== undefined && (
      <ButtonLink
        to={linkTo({ after: null }, exportTo)}
        variant="quiet"
        reloadDocument
        data-asks-identity
        className={`max-sm:px-3 ${className}`}
      >
        <Download aria-hidden className="size-4" />
        <span>
          <span className="max-sm:sr-only">Export </span>CSV
        </span>
      </ButtonLink>
    );
  // An empty list keeps them, because one of the keys leads to its search.
  const tools = (
    <div className={`ml-auto h-10 items-center ${isEmpty ? "hidden" : "flex max-md:hidden"}`}>
      <TableKeys box={box} selects={selection !== undefined} />
      <DensityToggle />
      {exportLink("")}
    </div>
  );
  const isSortable = columns.some((column) => canSort({ column, state }));
  // A list within its form has ways of its own to choose all.
  const canSelectAll = selection && (selection.field === undefined || selection.form !== undefined);
  const hasCardTools = !isEmpty && (isSortable || canSelectAll || exportTo !== undefined);
  const display = !filters && isEmpty ? "hidden" : filters || hasCardTools ? "flex" : "flex max-md:hidden";
  return (
    <>
      <div
        className={`flex-wrap items-end justify-between gap-x-2 border-b border-line p-2 pl-4 sm:pl-5 print:hidden ${display}`}
      >
        {typeof filters === "function" ? (
          filters(tools)
        ) : (
          <>
            {filters}
            {tools}
          </>
        )}
        {hasCardTools && (
          <div className="flex w-full items-center justify-between gap-x-4 md:hidden">
            {canSelectAll && <SelectAll keys={keys} selection={selection} text="Select all" />}
            <SortLinks label={label} columns={columns} state={state} linkTo={linkTo} list={list} />
            {exportLink("-mr-1 ml-auto")}
          </div>
        )}
      </div>
      {isEmpty ? (
        empty
      ) : (
        // A group, not a landmark: the section around it is already one.
        // biome-ignore lint/a11y/useSemanticElements: a fieldset is for controls
        <div
          ref={box}
          data-table-box
          data-flow={columns.some(({ inCard }) => inCard !== undefined) || undefined}
          role="group"
          aria-label={label}
          aria-busy={isLoading || undefined}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys move from here into the rows
          tabIndex={0}
          className="data-table relative focus-visible:-outline-offset-2"
        >
          <table className="w-full border-collapse text-left text-sm">
            <thead className="text-muted">
              <tr>
                {selection && (
                  <Th className="select-cell w-10">
                    <SelectAll keys={keys} selection={selection} />
                  </Th>
                )}
                {columns.map((column) => (
                  <HeaderCell key={column.name} column={column} state={state} linkTo={linkTo} list={list} />
                ))}
              </tr>
            </thead>
            <tbody className={`divide-y divide-line ${isLoading ? "skeleton-cells" : ""}`}>
              {rows.map((row, index) => (
                <tr key={keys[index]} data-row tabIndex={-1} aria-selected={selection?.selected.has(keys[index] ?? "")}>
                  {selection && (
                    <Td className="select-cell">
                      <SelectRow rowKey={keys[index] ?? ""} selection={selection} />
                    </Td>
                  )}
                  {columns.map((column) => (
                    <Td
                      key={column.name}
                      numeric={column.numeric ?? false}
                      data-label={column.isAction ? undefined : column.header}
                      data-in-card={column.inCard}
                      className={`${column.isAction ? "text-right" : ""} ${column.className ?? ""}`}
                    >
                      {column.cell(row)}
                    </Td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      <Pages label={label} linkTo={linkTo} list={list} next={state.next} nextName={nextName}>
        {footer}
      </Pages>
    </>
  );
}

type LinkTo = (changes: Record<string, string | null>, path?: string) => string;

/** Returns a function that makes the URL of the list with some of its parameters changed, or null ones left out. */
function useListLinks(list: string): LinkTo {
  const [params] = useSearchParams();
  return (changes, path = "") => {
    const changed = new URLSearchParams(params);
    for (const [name, value] of Object.entries(changes)) {
      if (value === null) changed.delete(list + name);
      else changed.set(list + name, value);
    }
    return `${path}${path.includes("?") ? "&" : "?"}${changed}`;
  };
}

type SortProps<Row> = { column: Column<Row>; state: TableState; linkTo: LinkTo; list: string };

function HeaderCell<Row>(props: SortProps<Row>) {
  const { column, state } = props;
  const { sort } = state;
  const direction = sort.descending ? "descending" : "ascending";
  return (
    <Th numeric={column.numeric ?? false} aria-sort={column.sort === sort.key ? direction : undefined}>
      {canSort(props) ? (
        <SortLink {...props} />
      ) : (
        <span className={column.isAction ? "sr-only" : ""}>{column.header}</span>
      )}
    </Th>
  );
}

function canSort<Row>({ column: { sort }, state }: Pick<SortProps<Row>, "column" | "state">): boolean {
  return sort !== undefined && state.sorts.includes(sort);
}

/**
 * Sorts by the column; the other way round, if the list is sorted by it. Numbers start with the largest, `created` with the newest.
 */
function SortLink<Row>({ column, state: { sort }, linkTo }: SortProps<Row>) {
  const isSorted = column.sort === sort.key;
  const descending = isSorted ? !sort.descending : (column.numeric ?? false) || column.sort === "created";
  const Arrow = sort.descending ? ArrowDown : ArrowUp;
  return (
    <Link
      to={linkTo({ sort: `${descending ? "-" : ""}${column.sort}`, after: null })}
      preventScrollReset
      className={`inline-flex h-11 items-center gap-1 rounded-md whitespace-nowrap hover:text-text sm:h-9 ${isSorted ? "text-text" : ""}`}
    >
      {column.header}
      {isSorted && <Arrow aria-hidden className="size-3.5" />}
    </Link>
  );
}

/** The orders of a list where it has no header: on a phone. */
function SortLinks<Row>({
  label,
  columns,
  ...rest
}: Omit<SortProps<Row>, "column"> & { label: string; columns: Column<Row>[] }) {
  const sortable = columns.filter((column) => canSort({ column, state: rest.state }));
  if (sortable.length === 0) return null;
  return (
    <nav
      aria-label={`${label}: sort by`}
      className="flex min-w-0 flex-1 items-center gap-3 overflow-x-auto text-sm text-muted"
    >
      <span aria-hidden>Sort:</span>
      {sortable.map((column) => (
        <SortLink key={column.name} column={column} {...rest} />
      ))}
    </nav>
  );
}

/** Links to the next page and back to the first. */
function Pages({
  label,
  linkTo,
  list,
  next,
  nextName,
  children,
}: {
  label: string;
  linkTo: LinkTo;
  list: string;
  next: string | null;
  nextName: string;
  children: ReactNode;
}) {
  const [params] = useSearchParams();
  const isFirst = !params.has(`${list}after`);
  if (isFirst && next === null && !children) return null;
  return (
    <nav
      aria-label={`${label}: pages`}
      className="flex min-h-14 flex-wrap items-center justify-end gap-2 border-t border-line px-4 py-2 sm:px-5 print:hidden"
    >
      <div className="mr-auto text-sm text-muted">{children}</div>
      {!isFirst && (
        <ButtonLink to={linkTo({ after: null })} variant="secondary">
          First page
        </ButtonLink>
      )}
      {next !== null && (
        <ButtonLink to={linkTo({ after: next })} variant="secondary">
          {nextName}
        </ButtonLink>
      )}
    </nav>
  );
}
