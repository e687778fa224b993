import { and, isNotNull, lt } from "drizzle-orm";
import type { Db } from "#app/db/db.server.ts";
import { deleteInChunks } from "#app/db/delete-in-chunks.server.ts";
import { apiKeys } from "#app/db/schema.server.ts";
import { DAY_MS } from "#app/time.ts";

/** Long enough to ask which key placed an order or was seen in a log. Security events name it for a year. */
export const ENDED_KEY_DAYS = 90;

/** Deletes keys that were revoked or expired 90 days ago. An order outlives its key. */
export async function deleteEndedKeys(db: Db, now = Date.now()): Promise<void> {
  const end = now - ENDED_KEY_DAYS * DAY_MS;
  for (const endedAt of [apiKeys.revokedAt, apiKeys.expiresAt]) {
    // Both are sparse, and so are their indexes.
    await deleteInChunks(db, apiKeys, and(isNotNull(endedAt), lt(endedAt, end)));
  }
}
