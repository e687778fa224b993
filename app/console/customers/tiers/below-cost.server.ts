import { and, eq, sql } from "drizzle-orm";
import { HIGHEST_COST, WAITING_OFFER } from "#app/console/catalog/services/waiting-offer.server.ts";
import type { Db } from "#app/db/db.server.ts";
import { quarantine, services, tierRates, type tiers } from "#app/db/schema.server.ts";
import { rateFor } from "#app/orders/prices/tier-rate.ts";

/** Services on sale that a tier sells below cost: how many, and the first of them. Rates are micro-units. */
export type BelowCost = { count: number; first: { id: number; name: string; rate: number; cost: number }[] };

const SHOWN = 20;

/**
 * Returns what a tier would sell below cost: with these rates of its own, if any are given, and otherwise with those that
 * it has. Reads the services on sale, of which there are a bounded number.
 */
export async function readBelowCost(
  db: Db,
  { id, kind, basisPoints }: Pick<typeof tiers.$inferSelect, "id" | "kind" | "basisPoints">,
  given?: { serviceId: number; rate: number }[],
): Promise<BelowCost> {
  const own = new Map(given?.map(({ serviceId, rate }) => [serviceId, rate]));
  const rows = await db
    .select({
      id: services.id,
      name: services.name,
      usual: services.rate,
      cost: HIGHEST_COST,
      own: sql<number | null>`${tierRates.rate}`.as("own"),
    })
    .from(services)
    .leftJoin(quarantine, WAITING_OFFER)
    .leftJoin(tierRates, and(eq(tierRates.tierId, id), eq(tierRates.serviceId, services.id)))
    .where(and(eq(services.enabled, true), sql`${services.providerId} is not null`));
  const losses = rows.flatMap(({ usual, cost, own: stored, ...service }) => {
    const ownRate = given ? (own.get(service.id) ?? null) : stored;
    const rate = rateFor(usual, { basisPoints: kind === "percent" ? basisPoints : null, rate: ownRate });
    // What the usual price loses is no matter of the tier.
    return cost !== null && rate < cost && rate < usual ? [{ ...service, rate, cost }] : [];
  });
  return { count: losses.length, first: losses.slice(0, SHOWN) };
}
