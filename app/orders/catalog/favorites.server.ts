import { and, asc, eq, sql } from "drizzle-orm";
import type { Db } from "#app/db/db.server.ts";
import { favorites, services } from "#app/db/schema.server.ts";

export const MAX_FAVORITES = 100;

/** Returns the user's favorites that are on sale, by network and name. */
export async function listFavorites(db: Db, userId: string) {
  return db
    .select({ id: services.id, network: services.network, name: services.name })
    .from(favorites)
    .innerJoin(services, eq(services.id, favorites.serviceId))
    .where(and(eq(favorites.userId, userId), eq(services.enabled, true)))
    .orderBy(asc(services.network), asc(services.name))
    .limit(MAX_FAVORITES);
}

/** Adds or removes a favorite. Returns false if the service is not on sale or the user has the maximum. */
export async function setFavorite(db: Db, userId: string, serviceId: number, wanted: boolean): Promise<boolean> {
  if (!wanted) {
    await db.delete(favorites).where(and(eq(favorites.userId, userId), eq(favorites.serviceId, serviceId)));
    return true;
  }
  const own = sql`(select count(*) from ${favorites} where ${favorites.userId} = ${userId})`;
  await db
    .insert(favorites)
    .select(
      db
        .select({
          userId: sql<string>`${userId}`.as("user_id"),
          serviceId: services.id,
          createdAt: sql<number>`${Date.now()}`.as("created_at"),
        })
        .from(services)
        .where(and(eq(services.id, serviceId), eq(services.enabled, true), sql`${own} < ${MAX_FAVORITES}`)),
    )
    .onConflictDoNothing();
  const kept = await db
    .select({ id: favorites.serviceId })
    .from(favorites)
    .where(and(eq(favorites.userId, userId), eq(favorites.serviceId, serviceId)));
  return kept.length === 1;
}
