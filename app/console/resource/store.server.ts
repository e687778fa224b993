import type { SQL } from "drizzle-orm";
import type { SQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core";
import type { z } from "zod";
import type { Actor } from "#app/db/audit.server.ts";
import type { Db } from "#app/db/db.server.ts";
import type { ListCursor, ListPage, Sort } from "#app/http/lists/list-query.ts";
import type { CsvColumns } from "#app/http/responses/stream-csv.ts";
import type { Options, Resource, ResourceRow } from "./resource.ts";

export type ListQuery = { search: string; sort: Sort };

/** A row as it was seen: `version` is 0 for one that has none. */
export type SeenRow = { id: number; version: number };

/** The outcome of storing something. `to`: the page that it leads to, if another. `reason`: one of the store's refusals. */
export type Stored =
  | { ok: true; message?: string; to?: string; created?: Record<string, string> }
  | { ok: false; reason: string };

/** A record that is edited, with the texts of its form's fields by name. */
export type EditedRow = SeenRow & { name: string; texts: Record<string, string> };

/** A table with what its rows are called, which a search reads as a whole. */
export type NamedTable = { table: SQLiteTable & { id: SQLiteColumn }; name: SQLiteColumn | SQL };

/** What is stored of a resource. `Input`: the values of its form. */
export type Store<Row extends ResourceRow, Input> = {
  resource: Resource<Row>;
  /** Where the audit log finds a record by its name, and names it. */
  named: NamedTable;
  input: z.ZodType<Input, Record<string, string | undefined>> & { shape?: Record<string, unknown> };
  /** The keys that the list can be sorted by. The list begins with `sortedBy`. */
  sorts: readonly string[];
  sortedBy: string;
  list: (db: Db, query: ListQuery, after: ListCursor | null, limit: number) => Promise<ListPage<Row>>;
  /** The columns of its list's export, if it has one. */
  csv?: CsvColumns<Row>;
  options?: (db: Db) => Promise<Options>;
  /** For records that are edited. */
  read?: (db: Db, id: number) => Promise<EditedRow | undefined>;
  /** Stores a new record, or what `edited` is now. `once`: see `audit`. */
  save: (db: Db, by: Actor, edited: SeenRow | null, input: Input, once: string | null) => Promise<Stored>;
  /** By the name of a row's action. */
  actions: Record<string, (db: Db, by: Actor, row: SeenRow) => Promise<Stored>>;
  /** What is said of a refusal by its reason, at the field. Without a field, above the form. */
  refusals: Record<string, { field?: string; message: string }>;
};
