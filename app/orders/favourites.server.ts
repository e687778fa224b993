import { and, asc, eq, sql } from "drizzle-orm";
import type { Db } from "#app/db/db.server.ts";
import { favourites, services } from "#app/db/schema.server.ts";

export const MAX_FAVOURITES = 100;

/** The user's favourites that can be ordered, by network and name. */
export async function listFavourites(db: Db, userId: string) {
  return db
    .select({ id: services.id, network: services.network, name: services.name })
    .from(favourites)
    .innerJoin(services, eq(services.id, favourites.serviceId))
    .where(and(eq(favourites.userId, userId), eq(services.enabled, true)))
    .orderBy(asc(services.network), asc(services.name))
    .limit(MAX_FAVOURITES);
}

/** False when there is no such service, or when there are as many favourites as there may be. */
export async function setFavourite(db: Db, userId: string, serviceId: number, wanted: boolean): Promise<boolean> {
  if (!wanted) {
    await db.delete(favourites).where(and(eq(favourites.userId, userId), eq(favourites.serviceId, serviceId)));
    return true;
  }
  const own = sql`(select count(*) from ${favourites} where ${favourites.userId} = ${userId})`;
  await db
    .insert(favourites)
    .select(
      db
        .select({
          userId: sql<string>`${userId}`.as("user_id"),
          serviceId: services.id,
          createdAt: sql<number>`${Date.now()}`.as("created_at"),
        })
        .from(services)
        .where(and(eq(services.id, serviceId), eq(services.enabled, true), sql`${own} < ${MAX_FAVOURITES}`)),
    )
    .onConflictDoNothing();
  const kept = await db
    .select({ id: favourites.serviceId })
    .from(favourites)
    .where(and(eq(favourites.userId, userId), eq(favourites.serviceId, serviceId)));
  return kept.length === 1;
}
