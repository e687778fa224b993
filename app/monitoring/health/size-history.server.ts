import { asc, gte, lt } from "drizzle-orm";
import type { Db } from "#app/db/db.server.ts";
import { databaseSizes } from "#app/db/schema.server.ts";
import { DAY_MS } from "#app/time.ts";
import { DATABASES, type DatabaseName, readDatabaseSizes } from "./database-size.server.ts";
import { GROWTH_DAYS, type SizeOfDay } from "./size-growth.ts";

const KEPT_DAYS = 400;

/** Stores how large both databases are today, in one row, and deletes rows older than 400 days. Repeatable. */
export async function recordDatabaseSizes(db: Db, env: Pick<Env, DatabaseName>, now: number): Promise<void> {
  const { DB: mainBytes = null, DB_SUPPORT: supportBytes = null } = await readDatabaseSizes(env);
  const day = Math.floor(now / DAY_MS);
  const sizes = { mainBytes, supportBytes };
  await db.batch([
    db
      .insert(databaseSizes)
      .values({ day, ...sizes })
      .onConflictDoUpdate({ target: databaseSizes.day, set: sizes }),
    db.delete(databaseSizes).where(lt(databaseSizes.day, day - KEPT_DAYS)),
  ]);
}

/** Returns the sizes of the last 30 days that were stored, oldest first. */
export async function readSizeHistory(db: Db, now: number): Promise<Record<DatabaseName, SizeOfDay[]>> {
  const rows = await db
    .select()
    .from(databaseSizes)
    .where(gte(databaseSizes.day, Math.floor(now / DAY_MS) - GROWTH_DAYS))
    .orderBy(asc(databaseSizes.day));
  const of = { DB: "mainBytes", DB_SUPPORT: "supportBytes" } as const;
  const known = (name: DatabaseName) =>
    rows.flatMap((row) => {
      const bytes = row[of[name]];
      return bytes === null ? [] : [{ day: row.day, bytes }];
    });
  return Object.fromEntries(DATABASES.map((name) => [name, known(name)])) as Record<DatabaseName, SizeOfDay[]>;
}
