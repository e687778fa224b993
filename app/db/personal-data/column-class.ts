import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import type * as supportTables from "#app/db/schema/support-tables.server.ts";
import type * as mainTables from "#app/db/schema.server.ts";

/**
 * The treatment of a column: whether "Export my data" includes it, and whether deleting the account deletes its value
 * (with its row, or by overwriting it) or keeps it.
 */
export type ColumnClass = "export, delete" | "export, keep" | "delete" | "keep";

type Tables = typeof mainTables & typeof supportTables;

/** Tables with a class for every column. A column without one is a compile error. */
export type ColumnClasses = {
  [Name in keyof Tables as Tables[Name] extends SQLiteTable ? Name : never]?: Tables[Name] extends SQLiteTable
    ? Record<keyof Tables[Name]["$inferSelect"], ColumnClass>
    : never;
};
