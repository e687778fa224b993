import { and, asc, eq, sql } from "drizzle-orm";
import type { Db } from "#app/db/db.server.ts";
import { favorites, services } from "#app/db/schema.server.ts";
import { rateFor } from "#app/orders/prices/tier-rate.ts";
import { tierTerms } from "#app/orders/prices/tier-terms.server.ts";

export const MAX_FAVORITES = 100;

export type Favorite = { id: number; network: string; name: string };
/**
 * A favorite that changed since the user last looked. Rates in micro-units; null: off sale. `usualRate` is the one without
 * the user's tier, by which a change is noticed: that staff assign a tier is none of the service.
 */
export type FavoriteNotice = {
  id: number;
  name: string;
  rate: number | null;
  seenRate: number | null;
  usualRate: number | null;
};

/** Selects the user's favorites by network and name. */
export function selectFavorites(db: Db, userId: string) {
  return db
    .select({
      id: services.id,
      network: services.network,
      name: services.name,
      rate: services.rate,
      enabled: services.enabled,
      seenRate: favorites.seenRate,
      tier: tierTerms(userId),
    })
    .from(favorites)
    .innerJoin(services, eq(services.id, favorites.serviceId))
    .where(eq(favorites.userId, userId))
    .orderBy(asc(services.network), asc(services.name))
    .limit(MAX_FAVORITES);
}

/** Returns the favorites that are on sale, and those that changed since the user looked. */
export function favoritesOf(all: Awaited<ReturnType<typeof selectFavorites>>): {
  favorites: Favorite[];
  notices: FavoriteNotice[];
} {
  const now = all.map(({ tier, ...favorite }) => {
    const usualRate = favorite.enabled ? favorite.rate : null;
    const priced = (rate: number | null) => (rate === null ? null : rateFor(rate, tier));
    return { ...favorite, usualRate, rate: priced(usualRate), seenRate: priced(favorite.seenRate) };
  });
  return {
    favorites: now.flatMap(({ id, network, name, enabled }) => (enabled ? [{ id, network, name }] : [])),
    notices: now.flatMap(({ id, name, rate, seenRate, usualRate }) =>
      rate === seenRate ? [] : [{ id, name, rate, seenRate, usualRate }],
    ),
  };
}

/** Notes the rates at which a page showed favorites: "12:900000,13:off". What changed after that is shown again. */
export async function noteSeenFavorites(db: Db, userId: string, written: string): Promise<void> {
  const seen = written.split(",").flatMap((one) => {
    const [, id, rate] = /^(\d{1,10}):(\d{1,16}|off)$/.exec(one) ?? [];
    return id === undefined ? [] : [{ id: Number(id), rate: rate === "off" ? null : Number(rate) }];
  });
  const given = JSON.stringify(seen.slice(0, MAX_FAVORITES));
  const shown = sql`(select cast(value ->> 'rate' as integer) from json_each(${given}) where value ->> 'id' = ${favorites.serviceId})`;
  const ids = sql`(select value ->> 'id' from json_each(${given}))`;
  await db
    .update(favorites)
    .set({ seenRate: shown })
    .where(and(eq(favorites.userId, userId), sql`${favorites.serviceId} in ${ids}`));
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
          seenRate: services.rate,
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
