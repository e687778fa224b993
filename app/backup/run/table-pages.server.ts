import type { BackedUpTable, DatabaseName, Row } from "#app/backup/format/backup-objects.ts";
import { quoted } from "./backed-up-tables.server.ts";
import type { Progress } from "./backup-runs.server.ts";

/** Size of a chunk before compression. A worker has 128 MB, and holds the rows, their JSON and its compressed form. */
const CHUNK_BYTES = 1_000_000;
/** The first page of a table shows how large its rows are. */
const FIRST_PAGE_ROWS = 500;
const MIN_PAGE_ROWS = 20;
const MAX_PAGE_ROWS = 5000;

type Page = {
  table: BackedUpTable;
  rows: Row[];
  /** The progress after this page, whose content has so many bytes. */
  next: (bytes: number) => Progress;
};

/** Reads the next page by rowid, so that it reads no row twice. Skips empty tables. Null after the last table. */
export async function readPage(databases: Record<DatabaseName, D1Database>, progress: Progress): Promise<Page | null> {
  let { after, pageRows } = progress;
  for (let index = progress.table; index < progress.tables.length; index++) {
    const table = progress.tables[index];
    if (!table) return null;
    const limit = pageRows || FIRST_PAGE_ROWS;
    const rows = await databases[table.database]
      .prepare(`select ${quoted(table.columns)} from "${table.name}" where rowid > ? order by rowid limit ?`)
      .bind(after, limit)
      .raw<Row>();
    const last = Number(rows.at(-1)?.[0]);
    const isEnd = rows.length < limit;
    if (rows.length > 0) {
      const next = (bytes: number): Progress =>
        isEnd
          ? { ...progress, table: index + 1, after: Number.MIN_SAFE_INTEGER, pageRows: 0 }
          : { ...progress, table: index, after: last, pageRows: nextPageRows(rows.length, bytes) };
      return { table, rows, next };
    }
    after = Number.MIN_SAFE_INTEGER;
    pageRows = 0;
  }
  return null;
}

function nextPageRows(rows: number, bytes: number): number {
  return Math.min(MAX_PAGE_ROWS, Math.max(MIN_PAGE_ROWS, Math.floor((rows * CHUNK_BYTES) / Math.max(1, bytes))));
}
