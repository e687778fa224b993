import { eq, getTableColumns, type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core";
import { ownValue } from "#app/own-value.ts";
import { decimal } from "#app/product.ts";
import { DAY_MS } from "#app/time.ts";
import type { Db } from "./db.server.ts";
import { isoTime } from "./iso-time.ts";
import { type Kind, meaningOf } from "./schema/column-types.server.ts";

/** How "Export my data" writes each kind of value. Null: as it is stored. */
const WRITTEN = {
  money: (micro: number) => decimal(micro, 2),
  time: (ms: number) => isoTime(ms),
  day: (days: number) => isoTime(days * DAY_MS).slice(0, 10),
  currency: (code: string) => code.toUpperCase(),
  // The export of payments writes them, which knows the currency.
  minorUnits: null,
  basisPoints: null,
} satisfies Record<Kind, ((stored: never) => string) | null>;

type ColumnsOf<Table extends SQLiteTable> = Table["_"]["columns"];
type ExportName<Key, Config> = Config extends { whose: "exported"; exportName: infer Name }
  ? Name extends string
    ? Name
    : Key
  : never;
type Written<Column extends SQLiteColumn> = Column["_"] extends { kind: infer One extends Kind }
  ? (typeof WRITTEN)[One] extends null
    ? Column
    : SQL<string | null>
  : Column;
type ExportedColumns<Table extends SQLiteTable> = {
  [Key in keyof ColumnsOf<Table> as ExportName<Key, ColumnsOf<Table>[Key]["_"]>]: Written<ColumnsOf<Table>[Key]>;
};

/** Returns the columns of a table that a person's export has, for a `select`: named and written as there. */
export function exportedColumns<Table extends SQLiteTable>(table: Table): ExportedColumns<Table> {
  const columns = Object.entries<SQLiteColumn>(getTableColumns(table)).flatMap(([key, column]) => {
    const { whose, kind, exportName = key } = meaningOf(column);
    const write = kind ? WRITTEN[kind] : null;
    return whose === "exported" ? [[exportName, write ? sql`${column}`.mapWith(write) : column]] : [];
  });
  return Object.fromEntries(columns);
}

/**
 * Writes the numbers of a JSON value as the columns of these tables that have their names are written, alone or in a pair of
 * [before, after].
 */
export function writtenLike(tables: SQLiteTable[], values: Record<string, unknown>): Record<string, unknown> {
  const columns: Record<string, SQLiteColumn> = Object.assign({}, ...tables.map(getTableColumns));
  const written = ([name, value]: [string, unknown]) => {
    const column = ownValue(columns, name);
    const kind = column && meaningOf(column).kind;
    const write: ((stored: number) => string) | null = kind && kind !== "currency" ? WRITTEN[kind] : null;
    const one = (stored: unknown) => (write && typeof stored === "number" ? write(stored) : stored);
    return [name, Array.isArray(value) ? value.map(one) : one(value)];
  };
  return Object.fromEntries(Object.entries(values).map(written));
}

/** Selects a person's rows of a table as their export has them. */
export function exportedRows(db: Db, table: SQLiteTable & { userId: SQLiteColumn }, userId: string) {
  return db.select(exportedColumns(table)).from(table).where(eq(table.userId, userId));
}
