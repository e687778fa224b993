import {
  Column,
  type GetColumnData,
  getTableColumns,
  is,
  type Query,
  SQL,
  Subquery,
  sql,
  type Table,
} from "drizzle-orm";
import { DrizzleD1Database, SQLiteD1Session } from "drizzle-orm/d1";
import { SQLiteAsyncDialect } from "drizzle-orm/sqlite-core";
import { SQLiteRaw } from "drizzle-orm/sqlite-core/query-builders/raw";

/**
 * D1 returns the rows of a batch as objects keyed by column name. Of two columns with one name the second is lost, the
 * values behind it slide one place, and drizzle, which reads by place, puts a refund where the price belongs. A name that
 * is a whole number slides too: JavaScript puts it first.
 */

class Session extends SQLiteD1Session<Record<string, never>, Record<string, never>> {}

export type PrepareQuery = Parameters<Session["prepareQuery"]>;
type Prepared = ReturnType<Session["prepareQuery"]>;
type Batch = Parameters<Session["batch"]>[0];
export type Fields = PrepareQuery[1];

const MAX_ASKED = 5000;
const asked = new Set<string>();
const dialect = new SQLiteAsyncDialect();
let refuses = false;

/** Makes every connection of this isolate throw at a statement whose columns can't be told apart: for tests and local copies. */
export function refuseSharedNames(value = true): void {
  refuses = value;
}

/**
 * A session whose batches throw when a row has fewer columns than were selected. After `refuseSharedNames`, each statement
 * with two columns of one name throws, whether it finds rows or not.
 */
export class NamedColumnsSession extends Session {
  readonly #database: D1Database;

  /** `client` sends the statements to `database`, and may count them. */
  constructor(database: D1Database, client: D1Database = database) {
    super(client, dialect, undefined);
    this.#database = database;
  }

  override prepareQuery(...[query, fields, ...rest]: PrepareQuery): Prepared {
    const prepared = super.prepareQuery(query, fields, ...rest);
    if (!fields) return prepared;
    if (refuses) refuse(query.sql, namesOf(fields));
    return readingWholeRows(prepared, query.sql, fields.length);
  }

  override all<T = unknown>(query: SQL): Promise<T[]> {
    return this.#checked(super.all<T>(query), () => [dialect.sqlToQuery(query)]);
  }

  override get<T = unknown>(query: SQL): Promise<T> {
    return this.#checked(super.get<T>(query), () => [dialect.sqlToQuery(query)]);
  }

  override values<T extends unknown[] = unknown[]>(query: SQL): Promise<T[]> {
    return this.#checked(super.values<T>(query), () => [dialect.sqlToQuery(query)]);
  }

  override batch<T extends Batch>(queries: T): Promise<unknown[]> {
    return this.#checked(super.batch(queries), () =>
      [...queries].filter((query) => is(query, SQLiteRaw)).map((query) => query.getQuery()),
    );
  }

  /** Checks statements written as text, whose columns only SQLite can name, beside their run. */
  async #checked<T>(result: Promise<T>, statements: () => Query[]): Promise<T> {
    if (!refuses) return result;
    const [value] = await Promise.all([result, ...statements().map((statement) => this.#askNames(statement))]);
    return value;
  }

  async #askNames({ sql: text, params }: Query): Promise<void> {
    if (asked.has(text)) return;
    const written = /\breturning\b(.*)$/is.exec(text)?.[1];
    if (!isRead(text) && written !== undefined && /[,*]/.test(written)) {
      throw new Error(`more than one column returned by a write as text, which can't be checked: ${text}`);
    }
    const names = isRead(text) ? await readNames(this.#database, text, params) : [];
    if (names === null) return;
    refuse(text, names);
    if (asked.size >= MAX_ASKED) asked.clear();
    asked.add(text);
  }
}

/** Returns the database with every statement checked. `client`: see `NamedColumnsSession`. */
export function namedColumnsDatabase(session: NamedColumnsSession): DrizzleD1Database {
  return new DrizzleD1Database("async", dialect, session, undefined);
}

/** Returns the column under a name of its own, for a statement that selects another one of its name. */
export function named<One extends Column>(column: One, name: string): SQL.Aliased<GetColumnData<One>> {
  return sql<GetColumnData<One>>`${column}`.mapWith(column).as(name) as SQL.Aliased<GetColumnData<One>>;
}

/** Returns all columns of a table under names of their own, for a join with another table. */
export function namedTable<One extends Table>(table: One, prefix: string) {
  const columns = Object.entries<Column>(getTableColumns(table));
  return Object.fromEntries(columns.map(([key, column]) => [key, named(column, `${prefix}_${column.name}`)])) as {
    [Key in keyof One["_"]["columns"]]: SQL.Aliased<GetColumnData<One["_"]["columns"][Key]>>;
  };
}

/** Returns whether the object has every column, in order. */
export function isWholeRow(row: Record<string, unknown>, columns: number): boolean {
  const names = Object.keys(row);
  return names.length === columns && (columns === 1 || !isWholeNumber(names[0] ?? ""));
}

/** Returns the names that SQLite gives the columns. Exported for its test. */
export function namesOf(fields: NonNullable<Fields>): string[] {
  return fields.map(({ field }) => {
    if (is(field, Column)) return field.name;
    if (is(field, SQL.Aliased)) return field.fieldAlias;
    if (is(field, Subquery)) return field._.alias;
    const { sql: text } = dialect.sqlToQuery(field);
    // SQLite names a bare column by its name, and any other expression by its text.
    return /^(?:"[^"]+"\.)?"([^"]+)"$/.exec(text)?.[1] ?? text;
  });
}

function refuse(text: string, names: string[]): void {
  const shared = names.find((name, at) => names.indexOf(name) !== at || (names.length > 1 && isWholeNumber(name)));
  if (shared !== undefined) throw new Error(`two columns are named ${shared}, or one by a number: ${text}`);
}

function readingWholeRows(prepared: Prepared, text: string, columns: number): Prepared {
  const mapResult = prepared.mapResult.bind(prepared);
  prepared.mapResult = (response, isFromBatch) => {
    const [first] = isFromBatch ? (response as D1Result<Record<string, unknown>>).results : [];
    if (first && !isWholeRow(first, columns)) throw new Error(`columns that share a name: ${text}`);
    return mapResult(response, isFromBatch);
  };
  return prepared;
}

function isRead(text: string): boolean {
  return /^\s*(select|with|values)\b/i.test(text);
}

function isWholeNumber(name: string): boolean {
  return /^\d+$/.test(name);
}

/** Begins the statements that ask for names, so that tests can leave them out of what they count. */
export const NAMES_OF = "select names.* from (";

/**
 * Returns the names of a read's columns, or null if the database doesn't tell, as while it is away. SQLite names the second
 * of two columns of a subquery that share one "name:1".
 */
async function readNames(database: D1Database, text: string, params: unknown[]): Promise<string[] | null> {
  try {
    const statement = database.prepare(`${NAMES_OF}${text}) as names limit 0`).bind(...params);
    const [names = []] = await statement.raw({ columnNames: true });
    return names.map((name) => name.replace(/:\d+$/, ""));
  } catch {
    return null;
  }
}
