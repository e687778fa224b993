import { and, desc, eq, gt, lte } from "drizzle-orm";
import type { Db } from "#app/db/db.server.ts";
import { announcements } from "#app/db/schema.server.ts";

const UPDATES_SHOWN = 20;

/** Reads the announcements that the page of updates shows above the changes of the catalog, newest first. */
export function readUpdates(db: Db, now: number) {
  const { id, kind, body, link, linkLabel, startsAt, endsAt } = announcements;
  return db
    .select({ id, body, link, linkLabel, startsAt })
    .from(announcements)
    .where(and(eq(kind, "update"), lte(startsAt, now), gt(endsAt, now)))
    .orderBy(desc(startsAt), desc(id))
    .limit(UPDATES_SHOWN);
}
