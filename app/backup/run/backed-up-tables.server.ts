import type { BackedUpTable, DatabaseName } from "#app/backup/format/backup-objects.ts";

/**
 * Left out: the backup's own tables, what the platform and SQLite keep for themselves, and counters that end within a day.
 * Full-text indexes are virtual tables, which a restore builds anew.
 */
const LEFT_OUT = /^(backup_|erasures$|rate_limits$|sqlite_|_cf_|d1_)/;

type TableRow = { name: string; type: string };
type ColumnRow = { name: string; type: string; pk: number; hidden: number };

/** Returns the tables of a database that a backup holds, by name. */
export async function backedUpTables(database: DatabaseName, binding: D1Database): Promise<BackedUpTable[]> {
  const list = await binding.prepare("pragma table_list").all<TableRow>();
  const names = list.results
    .filter(({ name, type }) => type === "table" && !LEFT_OUT.test(name))
    .map(({ name }) => name)
    .sort();
  const columns = await binding.batch<ColumnRow>(names.map((name) => binding.prepare(`pragma table_xinfo("${name}")`)));
  return names.map((name, index) => ({ database, name, columns: storedColumns(columns[index]?.results ?? []) }));
}

/** Returns the columns with the rowid first. Generated columns are computed again. */
function storedColumns(columns: ColumnRow[]): string[] {
  const stored = columns.filter(({ hidden }) => hidden === 0);
  const keys = stored.filter(({ pk }) => pk > 0);
  const [alias] = keys.length === 1 && keys[0]?.type.toUpperCase() === "INTEGER" ? keys : [];
  const others = stored.filter((column) => column !== alias).map(({ name }) => name);
  return [alias?.name ?? "rowid", ...others];
}

export function quoted(names: string[]): string {
  return names.map((name) => `"${name}"`).join(", ");
}

/** Returns the migration that was applied last. */
export async function lastMigration(binding: D1Database): Promise<string> {
  const row = await binding.prepare("select max(name) as name from d1_migrations").first<{ name: string | null }>();
  return row?.name ?? "";
}
