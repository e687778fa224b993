import { cursorText, type ListCursor, type ListPage, listPage } from "./list-query.ts";

/** Rows of an index that one page looks through. The first are few: mostly, a page is full after them. */
const WINDOWS = [200, 2000];
/** An export reads large pages, and each read counts toward the platform's limit. */
const WINDOW_OF_LIMIT = 4;

/**
 * Reads a page of a list whose filter no index holds: looks through the rows of an index in windows, and ends after the last
 * one, even if the page isn't full. `next` then leads to what wasn't looked through, so that no page costs more than the
 * windows, however rare the rows are. Lists are in the order of their numeric ids.
 */
export async function sparsePage<Row extends { id: number }>(
  cursor: ListCursor | null,
  limit: number,
  read: {
    /** Returns the last id of the window of `size` rows after a row, or null if there are fewer. */
    windowEnd: (after: ListCursor | null, size: number) => Promise<number | null>;
    /** Returns at most `most` rows after a row, up to that of the id `end` and with it. */
    rows: (after: ListCursor | null, end: number | null, most: number) => Promise<Row[]>;
  },
): Promise<ListPage<Row>> {
  const rows: Row[] = [];
  let after = cursor;
  const most = Math.max(...WINDOWS, WINDOW_OF_LIMIT * limit);
  for (const size of [...WINDOWS.slice(0, -1), most]) {
    const end = await read.windowEnd(after, size);
    rows.push(...(await read.rows(after, end, limit + 1 - rows.length)));
    if (rows.length > limit || end === null) return listPage(rows, limit, ({ id }) => ({ value: id, id }));
    after = { value: end, id: end };
  }
  return { rows, next: after && cursorText(after) };
}
