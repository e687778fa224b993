import type { BackedUpTable, ChangesContent, Cut, DatabaseName, Row } from "#app/backup/format/backup-objects.ts";
import { quoted } from "./backed-up-tables.server.ts";
import type { Progress } from "./backup-runs.server.ts";
import { countTriggers, triggersOf } from "./change-capture.server.ts";

/** Changes that one batch reads again. Fewer than so many, and the batch is the cut. */
const MAX_CHANGES = 500;

type Change = { seq: number; table_name: string; row_id: number };
export type ChangedRows = {
  tables: ChangesContent["tables"];
  /** The last change that is in them. */
  upTo: number;
  /** Set if these are all changes up to that moment. */
  cut: Cut | null;
  /** Triggers are missing, or a migration ran: changes may have gone unnoticed. */
  isBroken: boolean;
};

/**
 * Reads again what changed after it was read: in one batch, so that all of it is of one moment. If no other change is left
 * at that moment, it is the moment that the whole backup of this database shows.
 */
export async function readChanges(
  binding: D1Database,
  database: DatabaseName,
  progress: Progress,
  now: number,
): Promise<ChangedRows> {
  const from = progress.changesUpTo[database];
  const tables = progress.tables.filter((table) => table.database === database);
  const changes = () =>
    binding
      .prepare("select seq, table_name, row_id from backup_changes where seq > ? order by seq limit ?")
      .bind(from, MAX_CHANGES + 1);
  // Which tables to read is only known after the changes are; those of the batch itself decide.
  const seen = (await changes().all<Change>()).results;
  const touched = tables.filter(({ name }) => seen.some((change) => change.table_name === name));
  const [noted, triggers, migration, sequences, ledger, ...rowsOf] = await binding.batch<Record<string, unknown>>([
    changes(),
    countTriggers(binding),
    binding.prepare("select max(name) as name from d1_migrations"),
    binding.prepare("select name, seq from sqlite_sequence"),
    binding.prepare(database === "DB" ? "select max(id) as id from ledger" : "select null as id"),
    ...touched.map((table) => rereadRows(binding, table, from)),
  ]);
  const isBroken =
    Number(triggers?.results[0]?.count) !== triggersOf(tables) ||
    String(migration?.results[0]?.name ?? "") !== progress.migrations[database];
  const all = (noted?.results ?? []) as unknown as Change[];
  const isRead = (change: Change) => touched.some(({ name }) => name === change.table_name);
  // Up to the first change of a table that was not read.
  const end = all.findIndex((change) => !isRead(change));
  const read = all.slice(0, Math.min(end === -1 ? all.length : end, MAX_CHANGES));
  const upTo = read.at(-1)?.seq ?? from;
  const isCut = read.length === all.length;
  return {
    tables: Object.fromEntries(
      touched.map((table, index) => [table.name, changedRows(table, rowsOf[index]?.results ?? [], read)]),
    ),
    upTo,
    cut: isCut
      ? {
          at: now,
          ledgerId: (ledger?.results[0]?.id as number | null) ?? null,
          sequences: Object.fromEntries(
            (sequences?.results ?? []).map(({ name, seq }) => [name, seq]),
          ) as Cut["sequences"],
          migration: progress.migrations[database],
        }
      : null,
    isBroken,
  };
}

function rereadRows(binding: D1Database, { name, columns }: BackedUpTable, from: number): D1PreparedStatement {
  return binding
    .prepare(
      `select ${quoted(columns)} from "${name}" where rowid in (
         select row_id from (select table_name, row_id from backup_changes where seq > ? order by seq limit ?)
         where table_name = ?)`,
    )
    .bind(from, MAX_CHANGES + 1, name);
}

/** Returns the rows as arrays, and which of the changed ones are gone. */
function changedRows({ name, columns }: BackedUpTable, found: Record<string, unknown>[], changes: Change[]) {
  const rows = found.map((row) => columns.map((column) => row[column]) as Row);
  const there = new Set(rows.map(([rowid]) => rowid));
  const changed = new Set(changes.filter((change) => change.table_name === name).map(({ row_id }) => row_id));
  return {
    rows: rows.filter(([rowid]) => changed.has(Number(rowid))),
    gone: [...changed].filter((id) => !there.has(id)),
  };
}
