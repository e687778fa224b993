import type { BackedUpTable, ChangesContent, Cut, DatabaseName, Row } from "#app/backup/format/backup-objects.ts";
import { ownValue } from "#app/own-value.ts";
import { quoted } from "./backed-up-tables.server.ts";
import type { Progress } from "./backup-runs.server.ts";
import { countTriggers, triggersOf } from "./change-capture.server.ts";

/**
 * Rows that one batch reads again: some megabytes. A cut needs a moment at which no more are left, so this is what a busy
 * site may write during a step of a fraction of a second. A row that is written again and again counts once.
 */
const MAX_ROWS = 4000;
/** Noted changes that are looked through for them. */
const MAX_CHANGES = 20_000;

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
  const { known, isAll } = await knownChanges(binding, from);
  const seen = known.at(-1)?.seq ?? from;
  // Changes that come before the batch does are part of the cut. So many ids in a row bound the rows, too.
  const bound = isAll ? seen + MAX_ROWS : seen;
  const changed = idsByTable(known);
  // Nobody knows which tables they will be of.
  const reread = isAll ? tables : tables.filter(({ name }) => changed.has(name));
  const [noted, last, triggers, migration, sequences, ledger, ...rowsOf] = await binding.batch<Record<string, unknown>>(
    [
      binding
        .prepare("select seq, table_name, row_id from backup_changes where seq > ? and seq <= ? order by seq")
        .bind(seen, bound),
      binding.prepare("select max(seq) as seq from backup_changes"),
      countTriggers(binding),
      binding.prepare("select max(name) as name from d1_migrations"),
      binding.prepare("select name, seq from sqlite_sequence"),
      binding.prepare(database === "DB" ? "select max(id) as id from ledger" : "select null as id"),
      ...reread.map((table) => rereadRows(binding, table, [...(changed.get(table.name) ?? [])], seen, bound)),
    ],
  );
  const isBroken =
    Number(triggers?.results[0]?.count) !== triggersOf(tables) ||
    String(migration?.results[0]?.name ?? "") !== progress.migrations[database];
  const added = (noted?.results ?? []) as unknown as Change[];
  for (const [table, ids] of idsByTable(added)) {
    changed.set(table, new Set([...(changed.get(table) ?? []), ...ids]));
  }
  const isCut = isAll && Number(last?.results[0]?.seq ?? 0) <= bound;
  return {
    tables: Object.fromEntries(
      reread.flatMap((table, index) => {
        const ids = changed.get(table.name);
        return ids ? [[table.name, changedRows(table, rowsOf[index]?.results ?? [], ids)]] : [];
      }),
    ),
    upTo: added.at(-1)?.seq ?? seen,
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

/** Returns the next changes, up to so many rows. `isAll`: there was no other one. */
async function knownChanges(binding: D1Database, from: number): Promise<{ known: Change[]; isAll: boolean }> {
  const { results } = await binding
    .prepare("select seq, table_name, row_id from backup_changes where seq > ? order by seq limit ?")
    .bind(from, MAX_CHANGES + 1)
    .all<Change>();
  const rows = new Set<string>();
  const end = results.findIndex(
    ({ table_name, row_id }, index) => index === MAX_CHANGES || rows.add(`${table_name} ${row_id}`).size > MAX_ROWS,
  );
  return end === -1 ? { known: results, isAll: true } : { known: results.slice(0, end), isAll: false };
}

function idsByTable(changes: Change[]): Map<string, Set<number>> {
  const ids = new Map<string, Set<number>>();
  for (const { table_name, row_id } of changes) {
    const of = ids.get(table_name);
    if (of) of.add(row_id);
    else ids.set(table_name, new Set([row_id]));
  }
  return ids;
}

/** Reads the rows with these ids, and those of the changes noted after `seen`, up to `bound`. */
function rereadRows(
  binding: D1Database,
  { name, columns }: BackedUpTable,
  ids: number[],
  seen: number,
  bound: number,
): D1PreparedStatement {
  return binding
    .prepare(
      `select ${quoted(columns)} from "${name}" where rowid in (
         select value from json_each(?)
         union select row_id from backup_changes where seq > ? and seq <= ? and table_name = ?)`,
    )
    .bind(JSON.stringify(ids), seen, bound, name);
}

/** Returns the rows as arrays, and which of the changed ones are gone. */
function changedRows({ columns }: BackedUpTable, found: Record<string, unknown>[], ids: Set<number>) {
  const rows = found.map((row) => columns.map((column) => ownValue(row, column)) as Row);
  const there = new Set(rows.map(([rowid]) => Number(rowid)));
  return { rows, gone: [...ids].filter((id) => !there.has(id)) };
}
