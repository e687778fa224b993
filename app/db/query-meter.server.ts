import { Column, is, SQL } from "drizzle-orm";
import type { DrizzleD1Database } from "drizzle-orm/d1";
import {
  type Fields,
  isWholeRow,
  NamedColumnsSession,
  namedColumnsDatabase,
  type PrepareQuery,
} from "./column-names.server.ts";

/** Cost of the statements of one request, in both databases. */
export class QueryMeter {
  /** Statements. A batch has several and takes one round trip. */
  queries = 0;
  roundTrips = 0;
  /** As the database reports them; it bills by these. */
  rowsRead = 0;
  rowsWritten = 0;

  add({ meta }: D1Result): void {
    this.rowsRead += meta.rows_read;
    this.rowsWritten += meta.rows_written;
  }
}

/** Returns the database, with each statement counted by `meter`. */
export function meteredDatabase(database: D1Database, meter: QueryMeter): DrizzleD1Database {
  return namedColumnsDatabase(new MeteredSession(database, meter));
}

/**
 * Reads whose columns can't be told apart by name. The names are only known from a result, so each is found once per
 * isolate.
 */
const withoutNames = new Set<string>();
const MAX_WITHOUT_NAMES = 1000;

class MeteredSession extends NamedColumnsSession {
  readonly #client: MeteredClient;

  constructor(database: D1Database, meter: QueryMeter) {
    const client = new MeteredClient(database, meter);
    super(database, client as unknown as D1Database);
    this.#client = client;
  }

  /** Tells the client which columns the statement has that it prepares here. */
  override prepareQuery(...[query, fields, ...rest]: PrepareQuery) {
    this.#client.fields = fields;
    const prepared = super.prepareQuery(query, fields, ...rest);
    this.#client.fields = undefined;
    return prepared;
  }
}

class MeteredClient {
  readonly #database: D1Database;
  readonly #meter: QueryMeter;
  fields: Fields;

  constructor(database: D1Database, meter: QueryMeter) {
    this.#database = database;
    this.#meter = meter;
  }

  prepare(query: string): MeteredStatement {
    return new MeteredStatement(this.#database.prepare(query), query, this.fields, this.#meter);
  }

  async batch(statements: MeteredStatement[]): Promise<D1Result[]> {
    this.#meter.roundTrips += 1;
    this.#meter.queries += statements.length;
    const results = await this.#database.batch(statements.map(({ inner }) => inner));
    for (const result of results) this.#meter.add(result);
    return results;
  }
}

class MeteredStatement {
  readonly inner: D1PreparedStatement;
  readonly #query: string;
  readonly #fields: Fields;
  readonly #meter: QueryMeter;

  constructor(inner: D1PreparedStatement, query: string, fields: Fields, meter: QueryMeter) {
    this.inner = inner;
    this.#query = query;
    this.#fields = fields;
    this.#meter = meter;
  }

  bind(...values: unknown[]): MeteredStatement {
    return new MeteredStatement(this.inner.bind(...values), this.#query, this.#fields, this.#meter);
  }

  run(): Promise<D1Result> {
    return this.#counted(() => this.inner.run());
  }

  all(): Promise<D1Result<Record<string, unknown>>> {
    return this.#counted(() => this.inner.all());
  }

  /**
   * Returns rows as arrays, as drizzle reads them. D1 reports no rows for `raw()`, so this reads objects, which have the
   * columns in the same order unless two share a name.
   */
  async raw(): Promise<unknown[][]> {
    const isRead = /^(select|with)\b/i.test(this.#query);
    const columns = this.#fields?.length ?? (/^select count\(\*\) from /i.test(this.#query) ? 1 : 0);
    const hasNames = isRead ? !withoutNames.has(this.#query) : hasDistinctNames(this.#fields);
    if (columns === 0 || !hasNames) return this.#rawUncounted();
    const { results } = await this.all();
    const [first] = results;
    if (!first || isWholeRow(first, columns)) return results.map(Object.values);
    // Only a read comes here, so it may run again.
    if (withoutNames.size >= MAX_WITHOUT_NAMES) withoutNames.clear();
    withoutNames.add(this.#query);
    return this.inner.raw();
  }

  #rawUncounted(): Promise<unknown[][]> {
    this.#meter.roundTrips += 1;
    this.#meter.queries += 1;
    return this.inner.raw();
  }

  async #counted<Result extends D1Result>(send: () => Promise<Result>): Promise<Result> {
    this.#meter.roundTrips += 1;
    this.#meter.queries += 1;
    const result = await send();
    this.#meter.add(result);
    return result;
  }
}

/** A write can't be repeated, so its names must be known before: they are those of columns or aliases. */
function hasDistinctNames(fields: Fields): boolean {
  const names = (fields ?? []).map(({ field }) =>
    is(field, Column) ? field.name : is(field, SQL.Aliased) ? field.fieldAlias : null,
  );
  return !names.includes(null) && new Set(names).size === names.length;
}
