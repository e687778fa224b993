import { desc, eq, lte } from "drizzle-orm";
import type { Db, SupportDb } from "#app/db/db.server.ts";
import { supportSessions } from "#app/db/schema/support-tables.server.ts";
import { rollups } from "#app/db/schema.server.ts";

type Rooms = Env["SUPPORT_ROOM"];

/** The name of the position in `rollups`. The last room deletes it. */
const ROOMS_TO_REBUILD = "rooms to rebuild";
/** Rooms per run, each a call that reads D1 for itself, of the 10,000 calls that an invocation may make. */
const PER_RUN = 500;
const AT_ONCE = 6;

/** Has cron compare every room with the database, which was restored. */
export async function startRoomRebuild(db: Db): Promise<void> {
  const set = { upToId: Number.MAX_SAFE_INTEGER };
  await db
    .insert(rollups)
    .values({ name: ROOMS_TO_REBUILD, ...set })
    .onConflictDoUpdate({ target: rollups.name, set });
}

/**
 * After a restore, has each conversation's room compare itself with the database, newest conversations first. Reads one row
 * at all other times. A room that fails is tried again with its page in the next run.
 */
export async function rebuildRooms(db: Db, supportDb: SupportDb, rooms: Rooms, perRun = PER_RUN): Promise<void> {
  const [position] = await db.select().from(rollups).where(eq(rollups.name, ROOMS_TO_REBUILD));
  if (!position) return;
  const page = await supportDb
    .select({ id: supportSessions.id, sessionId: supportSessions.sessionId })
    .from(supportSessions)
    .where(lte(supportSessions.id, position.upToId))
    .orderBy(desc(supportSessions.id))
    .limit(perRun);
  for (let at = 0; at < page.length; at += AT_ONCE) {
    await Promise.all(
      page.slice(at, at + AT_ONCE).map(({ sessionId }) => rooms.getByName(sessionId).rebuild(sessionId)),
    );
  }
  const last = page.at(-1);
  const where = eq(rollups.name, ROOMS_TO_REBUILD);
  if (last && page.length === perRun)
    await db
      .update(rollups)
      .set({ upToId: last.id - 1 })
      .where(where);
  else await db.delete(rollups).where(where);
}
