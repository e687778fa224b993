import type { Db } from "./db.server.ts";

/**
 * Returns what `read` returns. Within one request, a second call with the same key gets the first one's result: the loaders
 * of a page run side by side, and each asks who is logged in.
 */
export function readOnce<T>(db: Db, key: string, read: () => Promise<T>): Promise<T> {
  if (!db.readOnce) return read();
  const known = db.readOnce.get(key) as Promise<T> | undefined;
  if (known) return known;
  const started = read();
  db.readOnce.set(key, started);
  return started;
}
