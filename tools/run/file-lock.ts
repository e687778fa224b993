import { DatabaseSync } from "node:sqlite";

const SQLITE_BUSY = 5;
/** A lock ends when its database is closed, which garbage collection does as well. */
const held = new Set<DatabaseSync>();

/**
 * Locks a file for this process, and returns a function that unlocks it, or null if another process holds it. It is
 * the operating system's lock on an empty SQLite database: it ends with its process, however that ends, so there is no
 * stale lock to judge by a process id that may belong to another program by now.
 */
export function tryLock(file: string): (() => void) | null {
  const database = new DatabaseSync(file, { timeout: 0 });
  try {
    database.exec("BEGIN EXCLUSIVE");
  } catch (error) {
    database.close();
    if ((error as { errcode?: number }).errcode === SQLITE_BUSY) return null;
    throw error;
  }
  held.add(database);
  return () => {
    if (held.delete(database)) database.close();
  };
}
