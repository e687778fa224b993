/** Runs `run` while statements on this table fail, as they do while the database cannot be reached. */
export async function withoutTable<T>(database: D1Database, table: string, run: () => Promise<T>): Promise<T> {
  await database.exec(`ALTER TABLE ${table} RENAME TO ${table}_away`);
  try {
    return await run();
  } finally {
    await database.exec(`ALTER TABLE ${table}_away RENAME TO ${table}`);
  }
}
