import { globSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { LocalCopy } from "./local-copy.ts";

/** For a busy machine: how long a write waits for the copy's own. */
const LOCK_TIMEOUT_MS = 60_000;

/**
 * Runs one statement on the database of a running copy that has `table`, and returns how many rows it changed. Opens the file
 * directly, because openDatabase() starts a workerd of its own, in seconds of processor time.
 */
export function changeRows(copy: LocalCopy, table: string, sql: string, ...values: (string | number)[]): number {
  for (const file of globSync("v3/d1/**/*.sqlite", { cwd: copy.stateDir })) {
    const database = new DatabaseSync(join(copy.stateDir, file), { timeout: LOCK_TIMEOUT_MS });
    try {
      if (!database.prepare("select 1 from sqlite_master where name = ?").get(table)) continue;
      return Number(database.prepare(sql).run(...values).changes);
    } finally {
      database.close();
    }
  }
  throw new Error(`no database of the copy has a table ${table}`);
}
