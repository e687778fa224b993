import { type ReactNode, useState } from "react";
import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { useIsHydrated } from "#app/components/hydration/use-is-hydrated.ts";
import { Button } from "#app/components/ui/button.tsx";

export type PickGroup<Row> = { key: string; title: ReactNode; label: string; note?: ReactNode; rows: Row[] };
export type PickColumn<Row> = { label: string; isNumeric?: boolean; isWide?: boolean; cell: (row: Row) => ReactNode };

/** More rows than fit a screen, few enough to draw at once. */
const ROWS_PER_PAGE = 100;

/** The field that carries the ticked keys as JSON: one field for any number of rows. */
export const PICKED = "picked";
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
  columns: PickColumn<Row>[];
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
  group,
  keyOf,
  nameOf,
  columns,
  ticked,
  onTick,
}: {
  group: PickGroup<Row>;
  keyOf: (row: Row) => string;
  nameOf: (row: Row) => string;
  columns: PickColumn<Row>[];
  ticked: ReadonlySet<string>;
  onTick: (keys: ReadonlySet<string>) => void;
}) {
  const { number } = useFormats();
  const isHydrated = useIsHydrated();
  const [page, setPage] = useState(0);
  const { rows, title, label, note } = group;
  const from = Math.min(page * ROWS_PER_PAGE, Math.max(0, rows.length - 1));
  const wide = columns.filter(({ isWide }) => isWide).length;
  const shown = rows.slice(from, from + ROWS_PER_PAGE);
  const count = rows.reduce((sum, row) => sum + (ticked.has(keyOf(row)) ? 1 : 0), 0);

  function tick(keys: string[], on: boolean) {
    const next = new Set(ticked);
    for (const key of keys) {
      if (on) next.add(key);
      else next.delete(key);
    }
    onTick(next);
  }

  return (
    <section aria-label={label} className="border-t border-line first:border-t-0">
      <header className="flex flex-wrap items-center gap-x-4 gap-y-1 bg-surface px-4 py-2 sm:px-5">
        <h3 className="min-w-0 text-sm font-medium">{title}</h3>
        <span role="status" className="tabular text-sm text-muted">
          {number(count)} of {number(rows.length)} ticked
        </span>
        <span className="ml-auto flex gap-1 noscript:hidden">
          <Button variant="quiet" aria-label={`Tick all: ${label}`} onClick={() => tick(rows.map(keyOf), true)}>
            All
          </Button>
          <Button variant="quiet" aria-label={`Tick none: ${label}`} onClick={() => tick(rows.map(keyOf), false)}>
            None
          </Button>
        </span>
        {note && <p className="w-full text-sm text-muted">{note}</p>}
      </header>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for controls */}
      <div
        role="group"
        aria-label={`${label}, services`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard
        tabIndex={0}
        className="relative overflow-x-auto border-t border-line focus-visible:-outline-offset-2"
      >
        <table className="w-full border-collapse text-left text-sm max-lg:block">
          <thead className="text-muted max-lg:sr-only">
            <tr className="border-b border-line">
              <th scope="col" className="table-padding w-14">
                <span className="sr-only">Take part</span>
              </th>
              {columns.map(({ label: name, isNumeric, isWide }) => (
                <th
                  key={name}
                  scope="col"
                  className={`table-padding font-medium whitespace-nowrap ${isNumeric ? "w-44 text-right" : isWide ? "" : "w-44"}`}
                >
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody className="divide-y divide-line max-lg:block">
            {shown.map((row) => {
              const key = keyOf(row);
              return (
                <tr
                  key={key}
                  className="max-lg:grid max-lg:grid-cols-[1.75rem_repeat(3,minmax(0,1fr))] max-lg:items-start max-lg:gap-y-2 max-lg:px-4 max-lg:py-3"
                >
                  <td className="max-lg:p-0 lg:table-padding">
                    <input
                      type="checkbox"
                      name={isHydrated ? undefined : PICK}
                      value={key}
                      aria-label={nameOf(row)}
                      className="size-4 align-middle accent-accent max-lg:mt-0.5"
                      checked={ticked.has(key)}
                      onChange={(event) => tick([key], event.target.checked)}
                    />
                  </td>
                  {columns.map(({ label: name, isNumeric, isWide, cell }, n) => (
                    <td
                      key={name}
                      data-label={name}
                      className={`max-lg:h-auto max-lg:p-0 lg:table-padding lg:py-2 ${isNumeric ? "whitespace-nowrap lg:text-right" : ""} ${
                        isWide
                          ? "max-lg:col-[2/-1]"
                          : "max-lg:col-span-1 max-lg:before:block max-lg:before:text-xs max-lg:before:text-muted max-lg:before:content-[attr(data-label)]"
                      } ${!isWide && (n - wide) % 3 === 0 ? "max-lg:col-start-2" : ""}`}
                    >
                      {cell(row)}
                    </td>
                  ))}
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
      {rows.length > ROWS_PER_PAGE && (
        <footer className="flex flex-wrap items-center gap-2 border-t border-line px-4 py-2 text-sm text-muted sm:px-5">
          <span className="tabular">
            {number(from + 1)} – {number(from + shown.length)} of {number(rows.length)}
          </span>
          <span className="flex gap-1 noscript:hidden">
            <Button variant="quiet" disabled={from === 0} onClick={() => setPage(page - 1)}>
              Previous
            </Button>
            <Button variant="quiet" disabled={from + shown.length >= rows.length} onClick={() => setPage(page + 1)}>
              Next
            </Button>
          </span>
          <span className="hidden noscript:inline">
            Without scripts, only these can be chosen. The others stay as they are.
          </span>
        </footer>
      )}
    </section>
  );
}
