/** The number of statements, and of the rows they read. */
export type Counts = { queries: number; rowsRead: number };

/**
 * Wraps a database and counts statements and rows as D1 reports them. A raw read reports nothing, so it runs a second
 * time with all(); drizzle reads in the raw form.
 */
export function countedDatabase(database: D1Database): { database: D1Database; counts: Counts } {
  const counts: Counts = { queries: 0, rowsRead: 0 };
  const inner = new WeakMap<object, D1PreparedStatement>();

  function count({ meta }: D1Result): void {
    counts.queries++;
    counts.rowsRead += meta.rows_read;
  }

  function wrap(statement: D1PreparedStatement): D1PreparedStatement {
    const wrapped = {
      bind: (...values: unknown[]) => wrap(statement.bind(...values)),
      async all() {
        const result = await statement.all();
        count(result);
        return result;
      },
      async run() {
        const result = await statement.run();
        count(result);
        return result;
      },
      async raw(...options: []) {
        count(await statement.all());
        return statement.raw(...options);
      },
      async first() {
        const result = await statement.all();
        count(result);
        return result.results[0] ?? null;
      },
    };
    inner.set(wrapped, statement);
    return wrapped as unknown as D1PreparedStatement;
  }

  const counted = {
    prepare: (query: string) => wrap(database.prepare(query)),
    async batch(statements: D1PreparedStatement[]) {
      const results = await database.batch(statements.map((statement) => inner.get(statement) ?? statement));
      for (const result of results) count(result);
      return results;
    },
  };
  return { database: counted as unknown as D1Database, counts };
}
