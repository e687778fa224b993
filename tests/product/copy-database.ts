import { globSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

/** Opens the main database of a stopped copy, without workerd between. */
export function openMainDatabase(stateDir: string): DatabaseSync {
  return openCopyDatabase(stateDir, "DB");
}

/** A table that only one of the databases has. */
const OWN_TABLE = { DB: "orders", DB_SUPPORT: "support_sessions" };

/** Opens a database of a copy, without workerd between. */
export function openCopyDatabase(stateDir: string, binding: keyof typeof OWN_TABLE): DatabaseSync {
  const table = OWN_TABLE[binding];
  // A simulated product has its databases in Durable Objects.
  const folders = "v3/{d1/miniflare-D1DatabaseObject,do/growline-SimulatedDatabase}";
  for (const name of globSync(`${folders}/*.sqlite`, { cwd: stateDir })) {
    const database = new DatabaseSync(join(stateDir, name));
    if (database.prepare("select 1 from sqlite_master where name = ?").get(table)) return database;
    database.close();
  }
  throw new Error(`no database with ${table} in ${stateDir}`);
}

/** Returns rows of the main database of a stopped copy. */
export function storedRows(stateDir: string, sql: string, ...values: string[]): Record<string, unknown>[] {
  const database = openMainDatabase(stateDir);
  try {
    return database.prepare(sql).all(...values);
  } finally {
    database.close();
  }
}
