/** One statement that changed rows, such as "update users". */
export type Change = string;

const WRITE = /\b(insert(?: or \w+)? into|replace into|update(?: or \w+)?|delete from)\s+["`]?(\w+)/i;

/** Returns what a statement changes, such as "insert orders", or null if it only reads. */
export function changeOf(query: string): Change | null {
  const [, verb = "", table] = WRITE.exec(query) ?? [];
  return table ? `${verb.split(" ")[0]?.toLowerCase()} ${table}` : null;
}

type Inner = { statement: D1PreparedStatement; query: string };

/** Wraps a database and appends to `changes` each statement that changed rows. */
export function recordedDatabase(database: D1Database, changes: Change[]): D1Database {
  const inners = new WeakMap<object, Inner>();

  function note(query: string, hasChanged: boolean): void {
    const change = hasChanged ? changeOf(query) : null;
    if (change) changes.push(change);
  }

  function noteResult(query: string, { meta, results }: D1Result): void {
    note(query, (meta?.changes ?? 0) > 0 || (results?.length ?? 0) > 0);
  }

  function wrap(statement: D1PreparedStatement, query: string): D1PreparedStatement {
    const wrapped = {
      bind: (...values: unknown[]) => wrap(statement.bind(...values), query),
      async all() {
        const result = await statement.all();
        noteResult(query, result);
        return result;
      },
      async run() {
        const result = await statement.run();
        noteResult(query, result);
        return result;
      },
      // These two have no counts. A write that returns rows has changed them.
      async raw(...options: []) {
        const rows = await statement.raw(...options);
        note(query, rows.length > 0);
        return rows;
      },
      async first(...column: []) {
        const row = await statement.first(...column);
        note(query, row !== null);
        return row;
      },
    };
    inners.set(wrapped, { statement, query });
    return wrapped as unknown as D1PreparedStatement;
  }

  const recorded = {
    prepare: (query: string) => wrap(database.prepare(query), query),
    async batch(statements: D1PreparedStatement[]) {
      const known = statements.map((statement) => inners.get(statement) ?? { statement, query: "" });
      const results = await database.batch(known.map(({ statement }) => statement));
      for (const [at, result] of results.entries()) noteResult(known[at]?.query ?? "", result);
      return results;
    },
    exec: (query: string) => database.exec(query),
    dump: () => database.dump(),
    withSession: () => recorded,
    getBookmark: () => null,
  } as unknown as D1Database & D1DatabaseSession;
  return recorded;
}
