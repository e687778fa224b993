/** Runs one statement in a Durable Object's SQLite and returns its rows. The caller states their shape. */
export function selectRows<T extends object>(sql: SqlStorage, query: string, ...bindings: SqlStorageValue[]): T[] {
  return sql.exec(query, ...bindings).toArray() as unknown as T[];
}
