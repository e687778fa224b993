import { eq, type SQL, sql } from "drizzle-orm";
import type { Db } from "#app/db/db.server.ts";
import { catalogVersion, services, tierRates, tiers, wallets } from "#app/db/schema.server.ts";
import type { TierTerms } from "./tier-rate.ts";

/** A customer's tier without the rates of its own. */
export type CustomerTier = Omit<TierTerms, "rate">;

// Columns are written with their tables' names: drizzle leaves these out in a statement with a single table, where a column
// of a subquery would be meant instead.

/** Selects the id of the customer's tier, null without one. */
export function tierIdOf(userId: string): SQL<number | null> {
  return sql`(select "own"."tier_id" from ${wallets} as "own" where "own"."user_id" = ${userId})`;
}

/** Selects the customer's tier, null without one. A column of another statement, so that it costs no trip. */
export function customerTier(userId: string): SQL.Aliased<CustomerTier | null> {
  return selectTier<CustomerTier>(userId, sql``);
}

/** Selects the customer's tier as it applies to the service of the row, null without one. */
export function tierTerms(userId: string): SQL.Aliased<TierTerms | null> {
  const own = sql`select "rates"."rate" from ${tierRates} as "rates" where "rates"."tier_id" = "given"."id" and "rates"."service_id" = ${services}."id"`;
  return selectTier<TierTerms>(userId, sql`, 'rate', (${own})`);
}

function selectTier<Tier>(userId: string, more: SQL): SQL.Aliased<Tier | null> {
  const percent = sql`iif("given"."kind" = 'percent', "given"."basis_points", null)`;
  const object = sql`json_object('id', "given"."id", 'name', "given"."name", 'basisPoints', ${percent}${more})`;
  return sql<Tier | null>`(select ${object} from ${tiers} as "given" where "given"."id" = ${tierIdOf(userId)})`
    .mapWith((json: string) => JSON.parse(json) as Tier)
    .as("tier");
}

/** A tier at a version of the catalog, with the rates of its own by service. */
export type TierRates = { version: number; tier: CustomerTier | null; rates: Map<number, number> };

/** Reads a tier with all of its rates. `tier` is null if it is gone. */
export async function readTierRates(db: Db, tierId: number): Promise<TierRates> {
  const [[now], [found], own] = await db.batch([
    db.select({ version: catalogVersion.version }).from(catalogVersion),
    db.select().from(tiers).where(eq(tiers.id, tierId)),
    db
      .select({ serviceId: tierRates.serviceId, rate: tierRates.rate })
      .from(tierRates)
      .where(eq(tierRates.tierId, tierId)),
  ]);
  return {
    version: now?.version ?? 0,
    tier: found ? tierOf(found) : null,
    rates: new Map(own.map(({ serviceId, rate }) => [serviceId, rate])),
  };
}

/** Returns the rates of a tier's own for some services. */
export async function readOwnRates(db: Db, tierId: number, serviceIds: number[]): Promise<Map<number, number>> {
  const ids = sql`(select value from json_each(${JSON.stringify(serviceIds)}))`;
  const own = await db
    .select({ serviceId: tierRates.serviceId, rate: tierRates.rate })
    .from(tierRates)
    .where(sql`${tierRates.tierId} = ${tierId} and ${tierRates.serviceId} in ${ids}`);
  return new Map(own.map(({ serviceId, rate }) => [serviceId, rate]));
}

function tierOf({ id, name, kind, basisPoints }: typeof tiers.$inferSelect): CustomerTier {
  return { id, name, basisPoints: kind === "percent" ? basisPoints : null };
}
