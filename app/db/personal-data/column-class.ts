import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import type * as supportTables from "#app/db/schema/support-tables.server.ts";
import type * as mainTables from "#app/db/schema.server.ts";

type Treatment = "delete" | "keep";

/**
 * The treatment of a column: whether "Export my data" includes it, and whether deleting the account deletes its value
 * (with its row, or by overwriting it) or keeps it. A secret is a digest, or encrypted: no loader returns it.
 */
export type ColumnClass = Treatment | `${"export" | "secret"}, ${Treatment}`;

/** A column whose name promises a secret is one, unless it is said to be shown. */
type ClassOf<Column> = Column extends SecretName<Column> ? `${"secret" | "shown"}, ${Treatment}` : ColumnClass;

type SecretName<Column> = Column extends string
  ? Lowercase<Column> extends
      | `${string}${"digest" | "hash" | "secret" | "token" | "password" | "verifier"}`
      | `${"sealed" | "encrypted"}${string}`
    ? Column
    : never
  : never;

type Schema = typeof mainTables & typeof supportTables;
type TableName = { [Name in keyof Schema]: Schema[Name] extends SQLiteTable ? Name : never }[keyof Schema];
type Columns<Name extends TableName> = Schema[Name] extends SQLiteTable ? Schema[Name]["$inferSelect"] : never;
type TextColumn<Name extends TableName> = {
  [Column in keyof Columns<Name>]: string extends NonNullable<Columns<Name>[Column]> ? Column : never;
}[keyof Columns<Name>];

/** Tables with a class for every column. A column without one is a compile error. */
export type ColumnClasses = {
  [Name in TableName]?: { [Column in keyof Columns<Name>]: ClassOf<Column> };
};

/** All other tables: whether each column of free text is a secret. A table or column without a word is a compile error. */
export type TextClasses<Classified> = {
  [Name in Exclude<TableName, keyof Classified> as [TextColumn<Name>] extends [never] ? never : Name]: {
    [Column in TextColumn<Name>]: "secret" | "shown";
  };
};
