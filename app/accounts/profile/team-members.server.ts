import { and, asc, eq, isNull, sql } from "drizzle-orm";
import type { Db } from "#app/db/db.server.ts";
import { profiles, users } from "#app/db/schema.server.ts";

const MAX_STAFF = 200;

const IS_ON_TEAM = and(sql`"role" <> 'customer'`, isNull(users.suspendedAt));

/** Lists the staff who aren't suspended, by name. Reads a partial index that contains staff only. */
export async function listStaff(db: Db): Promise<{ id: string; name: string }[]> {
  const rows = await db
    .select({ id: profiles.userId, name: profiles.fullName })
    .from(profiles)
    .innerJoin(users, eq(users.id, profiles.userId))
    .where(IS_ON_TEAM)
    .orderBy(asc(sql`"full_name" collate nocase`))
    .limit(MAX_STAFF);
  return rows.map(({ id, name }) => ({ id, name: name || "Support" }));
}

/** Returns whether the user is one of the staff who aren't suspended. */
export async function isOnTeam(db: Db, userId: string): Promise<boolean> {
  const rows = await db
    .select({ id: profiles.userId })
    .from(profiles)
    .innerJoin(users, eq(users.id, profiles.userId))
    .where(and(eq(profiles.userId, userId), IS_ON_TEAM));
  return rows.length > 0;
}
