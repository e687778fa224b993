import { NAMES_OF } from "#app/db/column-names.server.ts";

/** The number of statements, and of the rows they read. */
export type Counts = { queries: number; rowsRead: number };
/** A statement's text, and the rows it read and wrote in all. Writes count the rows of tables and of indexes. */
export type StatementCounts = { rowsRead: number; rowsWritten: number };

/**
 * Wraps a database and counts statements and rows as D1 reports them. A raw read reports nothing, so it runs a second
 * time with all(); drizzle reads in the raw form. With `rawReadsPerCount` of 10, only each tenth raw read of a statement
 * is repeated, and counts ten times.
 */
export function countedDatabase(
  database: D1Database,
  { rawReadsPerCount = 1 } = {},
): {
  database: D1Database;
  counts: Counts;
  byStatement: Map<string, StatementCounts>;
} {
  const counts: Counts = { queries: 0, rowsRead: 0 };
  const byStatement = new Map<string, StatementCounts>();
  const inner = new WeakMap<object, D1PreparedStatement>();
  const texts = new WeakMap<object, string>();
  const rawReads = new Map<string, number>();

  function count(query: string, { meta }: D1Result, times = 1): void {
    counts.queries += times;
    counts.rowsRead += meta.rows_read * times;
    const known = byStatement.get(query) ?? { rowsRead: 0, rowsWritten: 0 };
    byStatement.set(query, {
      rowsRead: known.rowsRead + meta.rows_read * times,
      rowsWritten: known.rowsWritten + meta.rows_written,
    });
  }

  function wrap(query: string, statement: D1PreparedStatement): D1PreparedStatement {
    const wrapped = {
      bind: (...values: unknown[]) => wrap(query, statement.bind(...values)),
      async all() {
        const result = await statement.all();
        count(query, result);
        return result;
      },
      async run() {
        const result = await statement.run();
        count(query, result);
        return result;
      },
      async raw(...options: []) {
        const isRead = /^\s*select\b/i.test(query);
        const reads = (rawReads.get(query) ?? -1) + 1;
        rawReads.set(query, reads);
        if (isRead && reads % rawReadsPerCount > 0) return statement.raw(...options);
        const result = await statement.all<Record<string, unknown>>();
        count(query, result, isRead ? rawReadsPerCount : 1);
        // A write must not run twice. What it returns is of one table, so no two columns share a name.
        return isRead ? statement.raw(...options) : result.results.map(Object.values);
      },
      async first() {
        const result = await statement.all();
        count(query, result);
        return result.results[0] ?? null;
      },
    };
    inner.set(wrapped, statement);
    texts.set(wrapped, query);
    return wrapped as unknown as D1PreparedStatement;
  }

  const counted: object = {
    withSession: () => counted,
    getBookmark: () => null,
    prepare(query: string) {
      const statement = database.prepare(query);
      return query.startsWith(NAMES_OF) ? statement : wrap(query, statement);
    },
    async batch(statements: D1PreparedStatement[]) {
      const results = await database.batch(statements.map((statement) => inner.get(statement) ?? statement));
      for (const [index, result] of results.entries()) count(texts.get(statements[index] ?? {}) ?? "", result);
      return results;
    },
  };
  return { database: counted as unknown as D1Database, counts, byStatement };
}
