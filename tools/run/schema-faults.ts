import { is } from "drizzle-orm";
import { getTableConfig, SQLiteTable } from "drizzle-orm/sqlite-core";

/** A column as the code of a release names it. `isOptional`: that code may insert a row without it. */
export type KnownColumn = { table: string; column: string; isOptional: boolean };

/** Returns the columns that a release's schema names: its exports are all exports of the schema's module. */
export function knownColumns(exports: Record<string, unknown>): KnownColumn[] {
  return Object.values(exports)
    .filter((value) => is(value, SQLiteTable))
    .map((table) => getTableConfig(table))
    .flatMap(({ name, columns }) =>
      columns.map((column) => ({
        table: name,
        column: column.name,
        isOptional: column.default !== undefined || !(column.notNull || column.primary),
      })),
    );
}

/** A column of a database. `isNeeded`: no row can be inserted without it. */
export type StoredColumn = { table: string; column: string; isNeeded: boolean };

/** Lists the columns of a database. D1 refuses to read tables of its own. */
export const COLUMNS = `SELECT m.name AS "table", c.name AS "column",
  c."notnull" = 1 AND c.dflt_value IS NULL AND c.pk = 0 AND c.hidden = 0 AS needed
  FROM sqlite_master m JOIN pragma_table_xinfo(m.name) c WHERE m.type = 'table' AND m.name NOT GLOB '_cf_*'`;

/** Reads the rows of `COLUMNS`. */
export function storedColumns(rows: Record<string, unknown>[]): StoredColumn[] {
  return rows.map(({ table, column, needed }) => ({
    table: String(table),
    column: String(column),
    isNeeded: needed === 1,
  }));
}

/**
 * Returns what the code that knows those columns can't do on the database, whether or not it was seen to do it: reading a
 * column that is gone, or inserting a row without a value that it doesn't know is needed.
 */
export function schemaFaults(stored: StoredColumn[], known: KnownColumn[]): string[] {
  return [...new Set(known.map(({ table }) => table))].flatMap((table) => {
    const columns = stored.filter((one) => one.table === table);
    if (columns.length === 0) return [`The table ${table} is gone, which the release uses.`];
    const its = known.filter((one) => one.table === table);
    const gone = its.filter(({ column }) => !columns.some((one) => one.column === column));
    const needed = columns.filter(({ column, isNeeded }) => {
      const before = its.find((one) => one.column === column);
      return isNeeded && (!before || before.isOptional);
    });
    return [
      ...gone.map(({ column }) => `${table}.${column} is gone, which the release uses.`),
      ...needed.map(({ column }) => `${table}.${column} needs a value, which the release doesn't always give.`),
    ];
  });
}
