import type { BackedUpTable, DatabaseName, Row } from "#app/backup/format/backup-objects.ts";
import { readChunk, UnusableBackup } from "#app/backup/format/sealed-objects.server.ts";
import { backedUpTables, quoted } from "#app/backup/run/backed-up-tables.server.ts";
import type { BackupSource, CheckedBackup } from "./read-backup.server.ts";

/** Reports a target that can't take the backup. */
export class UnusableTarget extends Error {
  override name = "UnusableTarget";
}

/** Rows that the migrations insert. The backup's own replace them. */
const SEEDED = new Set(["catalog_version"]);
/** JSON of one statement: D1 takes 2 MB per parameter. */
const INSERTED_BYTES = 500_000;

/** Throws UnusableTarget unless the database has the backup's tables and columns, and no row. */
export async function checkTarget(
  database: DatabaseName,
  binding: D1Database,
  { manifest }: CheckedBackup,
): Promise<void> {
  const there = await backedUpTables(database, binding);
  for (const table of there) {
    if (SEEDED.has(table.name)) continue;
    const row = await binding.prepare(`select 1 from "${table.name}" limit 1`).first();
    if (row) throw new UnusableTarget(`${database} is not empty: ${table.name} has rows. Restore into an empty copy`);
  }
  const { migration } = manifest.cuts[database];
  for (const { name, columns } of manifest.tables.filter((table) => table.database === database)) {
    const found = there.find((table) => table.name === name);
    const missing = columns.filter((column) => !found?.columns.includes(column));
    if (!found || missing.length > 0) {
      throw new UnusableTarget(
        `${database} has no ${found ? `${name}.${missing[0]}` : `table ${name}`}: the backup is of another version. ` +
          `Check out the release whose last migration is ${migration}, restore, then deploy the newer one`,
      );
    }
  }
}

/**
 * Inserts every row as it was at the cut, with its rowid, parents first. Triggers are off meanwhile; what they keep is in
 * the backup. Full-text indexes are built anew. Returns the number of rows.
 */
export async function restoreDatabase(
  database: DatabaseName,
  binding: D1Database,
  source: BackupSource,
  backup: CheckedBackup,
): Promise<number> {
  const { manifest, laterRows } = backup;
  const triggers = await dropTriggers(binding);
  for (const name of SEEDED) {
    if (manifest.tables.some((table) => table.database === database && table.name === name)) {
      await binding.prepare(`delete from "${name}"`).run();
    }
  }
  let restored = 0;
  const tables = manifest.tables.filter((table) => table.database === database);
  for (const table of await parentsFirst(binding, tables)) {
    const later = laterRows.get(`${database}.${table.name}`) ?? new Map<number, Row | null>();
    for (const chunk of manifest.chunks) {
      if (chunk.kind !== "rows" || chunk.database !== database || chunk.tableName !== table.name) continue;
      const content = await readChunk(source.bucket, source.keys, manifest.backupId, chunk);
      if (content.kind !== "rows") throw new UnusableBackup(`chunk ${chunk.no} has no rows`);
      restored += await insertRows(
        binding,
        table,
        content.rows.filter(([rowid]) => !later.has(Number(rowid))),
      );
    }
    restored += await insertRows(
      binding,
      table,
      [...later.values()].filter((row) => row !== null),
    );
  }
  await restoreSequences(binding, manifest.cuts[database].sequences);
  if (triggers.length > 0) await binding.batch(triggers.map((sql) => binding.prepare(sql)));
  await rebuildSearch(binding);
  const broken = await binding.prepare("pragma foreign_key_check").all();
  if (broken.results.length > 0) {
    throw new UnusableBackup(`${database} refers to rows that are missing: ${JSON.stringify(broken.results[0])}`);
  }
  return restored;
}

async function insertRows(binding: D1Database, { name, columns }: BackedUpTable, rows: Row[]): Promise<number> {
  const values = columns.map((_, index) => `json_extract(value, '$[${index}]')`).join(", ");
  const insert = binding.prepare(
    `insert into "${name}" (${quoted(columns)}) select ${values} from json_each(?) order by key`,
  );
  let parts: string[] = [];
  let bytes = 0;
  const flush = async () => {
    if (parts.length > 0) await insert.bind(`[${parts.join(",")}]`).run();
    parts = [];
    bytes = 0;
  };
  for (const row of rows) {
    const json = JSON.stringify(row);
    // Characters are up to three bytes, and the limit is far away.
    if (bytes + json.length > INSERTED_BYTES) await flush();
    parts.push(json);
    bytes += json.length;
  }
  await flush();
  return rows.length;
}

async function dropTriggers(binding: D1Database): Promise<string[]> {
  const { results } = await binding
    .prepare("select name, sql from sqlite_master where type = 'trigger'")
    .all<{ name: string; sql: string }>();
  if (results.length > 0) await binding.batch(results.map(({ name }) => binding.prepare(`drop trigger "${name}"`)));
  return results.map(({ sql }) => sql);
}

/** Sorts tables so that each comes after those it refers to. */
async function parentsFirst(binding: D1Database, tables: BackedUpTable[]): Promise<BackedUpTable[]> {
  const lists = await binding.batch<{ table: string }>(
    tables.map(({ name }) => binding.prepare(`pragma foreign_key_list("${name}")`)),
  );
  const parents = new Map(tables.map(({ name }, index) => [name, lists[index]?.results.map((key) => key.table) ?? []]));
  const sorted: BackedUpTable[] = [];
  const visit = (table: BackedUpTable) => {
    if (sorted.includes(table)) return;
    for (const parent of parents.get(table.name) ?? []) {
      const found = tables.find(({ name }) => name === parent);
      if (found && found !== table) visit(found);
    }
    sorted.push(table);
  };
  for (const table of tables) visit(table);
  return sorted;
}

/** Ids that AUTOINCREMENT has given must not be given again, even if their rows are gone. */
async function restoreSequences(binding: D1Database, sequences: Record<string, number>): Promise<void> {
  const own = Object.entries(sequences).filter(([name]) => !/^(backup_|d1_)/.test(name));
  if (own.length === 0) return;
  await binding.batch(
    own.flatMap(([name, seq]) => [
      binding.prepare("delete from sqlite_sequence where name = ?").bind(name),
      binding.prepare("insert into sqlite_sequence (name, seq) values (?, ?)").bind(name, seq),
    ]),
  );
}

async function rebuildSearch(binding: D1Database): Promise<void> {
  const { results } = await binding
    .prepare("select name from sqlite_master where type = 'table' and sql like '%using fts5%'")
    .all<{ name: string }>();
  for (const { name } of results) await binding.prepare(`insert into "${name}" ("${name}") values ('rebuild')`).run();
}
