/** A sort order: a key that the list knows, and the direction. In a URL, `-created` or `created`. */
export type Sort<Key extends string = string> = { key: Key; descending: boolean };

/** Where a page of a list ends: the last row's value in the sorted column, and its id. */
export type ListCursor = { value: string | number; id: string | number };

/** A page of a list. `next` is the cursor of the page after it, as text for a URL. Null on the last page. */
export type ListPage<Row> = { rows: Row[]; next: string | null };

/** The state that `DataTable` needs to link to other sort orders. `sorts` are those available now. */
export type ListState<Key extends string = string> = { sort: Sort<Key>; sorts: readonly Key[] };

const MAX_CURSOR_CHARACTERS = 2000;

/**
 * Reads how a list is sorted: `?sort=-created`. Without one that is among `keys`, as `fallback` says. `list` is the
 * prefix of the parameters of one of several lists on a page.
 */
export function readSort<Key extends string>(
  searchParams: URLSearchParams,
  keys: readonly Key[],
  fallback: NoInfer<Key | `-${Key}`>,
  list = "",
): Sort<Key> {
  return parseSort(searchParams.get(`${list}sort`), keys) ?? parseSort(fallback, keys) ?? missingSort(fallback);
}

function parseSort<Key extends string>(text: string | null, keys: readonly Key[]): Sort<Key> | null {
  const key = keys.find((known) => text === known || text === `-${known}`);
  return key === undefined ? null : { key, descending: text !== key };
}

function missingSort(fallback: string): never {
  throw new Error(`the list can't be sorted by "${fallback}"`);
}

/** Reads the cursor that `cursorText` wrote: `?after=`. Returns null, for the first page, for anything else. */
export function readCursor(searchParams: URLSearchParams, list = ""): ListCursor | null {
  return parseCursor(searchParams.get(`${list}after`));
}

export function parseCursor(text: string | null): ListCursor | null {
  if (text === null || text.length > MAX_CURSOR_CHARACTERS) return null;
  try {
    const [value, id, ...rest]: unknown[] = JSON.parse(text);
    return isKey(value) && isKey(id) && rest.length === 0 ? { value, id } : null;
  } catch {
    return null;
  }
}

function isKey(value: unknown): value is string | number {
  return typeof value === "string" || Number.isSafeInteger(value);
}

export function cursorText({ value, id }: ListCursor): string {
  return JSON.stringify([value, id]);
}

/** Makes a page of the rows that were read: one more than `limit`, if there is a page after it. */
export function listPage<Row>(rows: Row[], limit: number, cursorOf: (row: Row) => ListCursor): ListPage<Row> {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  return { rows: shown, next: rows.length <= limit || last === undefined ? null : cursorText(cursorOf(last)) };
}
