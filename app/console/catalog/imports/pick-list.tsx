import { useState } from "react";
import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { useIsHydrated } from "#app/components/hydration/use-is-hydrated.ts";
import { type Column, DataTable } from "#app/components/table/data-table.tsx";
import { withKeys } from "#app/components/table/row-selection.tsx";
import { Button } from "#app/components/ui/button.tsx";

export type PickGroup<Row> = { key: string; title: string; note: string; rows: Row[] };

/** More rows than fit a screen, few enough to draw at once. */
const ROWS_PER_PAGE = 100;

/** The field that carries the ticked keys as JSON: one field for any number of rows. */
export const PICKED = "picked";
/** The parameter of a page that asks for all rows that match, to decide about them in one step. */
export const ALL_PARAM = "all";
/** The field of each box in a browser without scripts, which shows and sends only the first rows of each group. */
export const PICK = "pick";

/** Rows in groups, each with a box. Its form sends the keys of the ticked ones, also of those on other pages. */
export function PickList<Row>({
  groups,
  keyOf,
  nameOf,
  columns,
  ticked,
  onTick,
}: {
  groups: PickGroup<Row>[];
  keyOf: (row: Row) => string;
  /** The accessible name of a row's box. */
  nameOf: (row: Row) => string;
  columns: Column<Row>[];
  ticked: ReadonlySet<string>;
  onTick: (keys: ReadonlySet<string>) => void;
}) {
  const isHydrated = useIsHydrated();
  return (
    <>
      {isHydrated && <input type="hidden" name={PICKED} value={JSON.stringify([...ticked])} />}
      {groups
        .filter(({ rows }) => rows.length > 0)
        .map((group) => (
          <Group key={group.key} {...{ group, keyOf, nameOf, columns, ticked, onTick }} />
        ))}
    </>
  );
}

function Group<Row>({
  group: { rows, title, note },
  keyOf,
  nameOf,
  columns,
  ticked,
  onTick,
}: {
  group: PickGroup<Row>;
  keyOf: (row: Row) => string;
  nameOf: (row: Row) => string;
  columns: Column<Row>[];
  ticked: ReadonlySet<string>;
  onTick: (keys: ReadonlySet<string>) => void;
}) {
  const { number } = useFormats();
  const [page, setPage] = useState(0);
  const from = page * ROWS_PER_PAGE;
  const shown = rows.slice(from, from + ROWS_PER_PAGE);
  const names = new Map(shown.map((row) => [keyOf(row), nameOf(row)]));
  const count = rows.reduce((sum, row) => sum + (ticked.has(keyOf(row)) ? 1 : 0), 0);
  const tickAll = (isTicked: boolean) => onTick(withKeys(ticked, rows.map(keyOf), isTicked));
  return (
    <section aria-label={title} className="border-t border-line first:border-t-0">
      <DataTable
        label={`${title}, services`}
        columns={columns}
        rows={shown}
        rowKey={keyOf}
        selection={{ selected: ticked, change: onTick, nameOf: (key) => names.get(key) ?? key, field: PICK }}
        filters={
          <header className="flex min-w-0 flex-1 flex-wrap items-center gap-x-4">
            <h3 className="text-sm font-medium">{title}</h3>
            <span role="status" className="tabular text-sm text-muted">
              {number(count)} of {number(rows.length)} ticked
            </span>
            <span className="ml-auto flex gap-1 noscript:hidden">
              <Button variant="quiet" aria-label={`Tick all: ${title}`} onClick={() => tickAll(true)}>
                All
              </Button>
              <Button variant="quiet" aria-label={`Tick none: ${title}`} onClick={() => tickAll(false)}>
                None
              </Button>
            </span>
            <p className="w-full pb-2 text-sm text-muted">{note}</p>
          </header>
        }
        footer={
          rows.length > ROWS_PER_PAGE && (
            <span className="flex flex-wrap items-center gap-2">
              <span className="tabular">
                {number(from + 1)} – {number(from + shown.length)} of {number(rows.length)}
              </span>
              <span className="flex gap-1 noscript:hidden">
                <Button variant="quiet" disabled={page === 0} onClick={() => setPage(page - 1)}>
                  Previous
                </Button>
                <Button variant="quiet" disabled={from + shown.length >= rows.length} onClick={() => setPage(page + 1)}>
                  Next
                </Button>
              </span>
              <span className="hidden noscript:inline">
                Without scripts, only these can be chosen. The others stay as they are.
              </span>
            </span>
          )
        }
      />
    </section>
  );
}
