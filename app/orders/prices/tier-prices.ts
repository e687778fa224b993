import { rateFor, type TierTerms } from "./tier-rate.ts";

/** Rule that lowered a shown rate, and the usual rate. Micro-units. */
export type Lowered = { name: string; basisPoints: number | null; usualRate: number };

/** Returns a service at the rate of a tier, with what lowered it, or the service itself if nothing did. */
export function byTier<Priced extends { rate: number }>(
  service: Priced,
  tier: TierTerms | null,
): Priced & { lowered?: Lowered } {
  const rate = rateFor(service.rate, tier);
  if (tier === null || rate === service.rate) return service;
  return { ...service, rate, lowered: { name: tier.name, basisPoints: tier.basisPoints, usualRate: service.rate } };
}
