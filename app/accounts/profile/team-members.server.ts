import { asc, sql } from "drizzle-orm";
import type { Db } from "#app/db/db.server.ts";
import { profiles } from "#app/db/schema.server.ts";

const STAFF_MOST = 200;

/** Everybody of the team, by name. Read from an index that holds nobody else. */
export async function listStaff(db: Db): Promise<{ id: string; name: string }[]> {
  const rows = await db
    .select({ id: profiles.userId, name: profiles.fullName })
    .from(profiles)
    .where(sql`"role" <> 'customer'`)
    .orderBy(asc(sql`"full_name" collate nocase`))
    .limit(STAFF_MOST);
  return rows.map(({ id, name }) => ({ id, name: name || "Support" }));
}
