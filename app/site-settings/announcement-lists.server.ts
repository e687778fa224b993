import type { Db } from "#app/db/db.server.ts";
import { listAnnouncements, listUpdates } from "#app/db/settings/announcements.server.ts";

/** Reads the newest announcements as staff see them. */
export async function readStaffAnnouncements(db: Db, now: number) {
  return (await listAnnouncements(db)).map(({ changedBy: _, changedAt: __, ...one }) => ({
    ...one,
    state: one.endsAt <= now ? ("ended" as const) : one.startsAt > now ? ("scheduled" as const) : ("running" as const),
  }));
}

/** Reads what the page of updates shows above the changes of the catalog. */
export async function readUpdates(db: Db, now: number) {
  const updates = await listUpdates(db, now);
  return updates.map(({ id, body, link, linkLabel, startsAt }) => ({ id, body, link, linkLabel, startsAt }));
}
