import { useState } from "react";
import { useIsHydrated } from "#app/components/hydration/use-is-hydrated.ts";

/** The chosen rows of a list, by their keys. */
export type RowSelection = {
  selected: ReadonlySet<string>;
  change: (selected: ReadonlySet<string>) => void;
  /** Returns the accessible name of a row's box. Without it, the box is named by the row's key. */
  nameOf?: (key: string) => string;
  /** The field of the boxes in a form that is also sent by browsers without scripts. */
  field?: string;
  /** The id of that form, if it is elsewhere on the page. */
  form?: string;
};

const BOX = "size-4 shrink-0 accent-accent";
/** Gives the box a target of 44 px on a phone, and of the row's height elsewhere. */
const TARGET = "-m-2 inline-flex size-11 items-center justify-center sm:size-9";

export function useRowSelection(): RowSelection {
  const [selected, change] = useState<ReadonlySet<string>>(new Set());
  return { selected, change };
}

/** `text` stands beside the box where it is no column's header. */
export function SelectAll({
  keys,
  selection: { selected, change },
  text,
}: {
  keys: string[];
  selection: RowSelection;
  text?: string;
}) {
  const isHydrated = useIsHydrated();
  const count = keys.filter((key) => selected.has(key)).length;
  const isAll = count > 0 && count === keys.length;
  return (
    <label className={text ? "flex min-h-11 shrink-0 items-center gap-2 text-sm noscript:hidden" : TARGET}>
      <input
        type="checkbox"
        aria-label={text ? undefined : "Select all rows on this page"}
        checked={isAll}
        disabled={!isHydrated}
        ref={(box) => {
          if (box) box.indeterminate = count > 0 && !isAll;
        }}
        onChange={() => change(withKeys(selected, keys, !isAll))}
        className={BOX}
      />
      {text}
    </label>
  );
}

export function SelectRow({ rowKey, selection }: { rowKey: string; selection: RowSelection }) {
  const isHydrated = useIsHydrated();
  const { selected, change, nameOf, field, form } = selection;
  return (
    <label className={TARGET}>
      <input
        type="checkbox"
        data-row-box
        aria-label={nameOf?.(rowKey) ?? `Select row ${rowKey}`}
        name={isHydrated ? undefined : field}
        form={form}
        value={field && rowKey}
        checked={selected.has(rowKey)}
        disabled={!isHydrated && field === undefined}
        onChange={({ currentTarget }) => change(withKeys(selected, [rowKey], currentTarget.checked))}
        className={BOX}
      />
    </label>
  );
}

/** Returns a selection with keys added to it, or taken out of it. */
export function withKeys(selected: ReadonlySet<string>, keys: string[], isSelected: boolean): ReadonlySet<string> {
  const changed = new Set(selected);
  for (const key of keys) {
    if (isSelected) changed.add(key);
    else changed.delete(key);
  }
  return changed;
}
