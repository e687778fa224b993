import { asc, sql } from "drizzle-orm";
import type { Db } from "#app/db/db.server.ts";
import { profiles } from "#app/db/schema.server.ts";

const MAX_STAFF = 200;

/** Lists the staff by name. Reads a partial index that contains staff only. */
export async function listStaff(db: Db): Promise<{ id: string; name: string }[]> {
  const rows = await db
    .select({ id: profiles.userId, name: profiles.fullName })
    .from(profiles)
    .where(sql`"role" <> 'customer'`)
    .orderBy(asc(sql`"full_name" collate nocase`))
    .limit(MAX_STAFF);
  return rows.map(({ id, name }) => ({ id, name: name || "Support" }));
}
