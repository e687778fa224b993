import type { Db } from "#app/db/db.server.ts";
import { listUpdates } from "#app/settings/announcements.server.ts";

/** Reads what the page of updates shows above the changes of the catalog. */
export async function readUpdates(db: Db, now: number) {
  const updates = await listUpdates(db, now);
  return updates.map(({ id, body, link, linkLabel, startsAt }) => ({ id, body, link, linkLabel, startsAt }));
}
