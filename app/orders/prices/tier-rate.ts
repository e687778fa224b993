/** A tier as it applies to one service. */
export type TierTerms = {
  id: number;
  name: string;
  /** Part taken off each rate. Null: a fixed tier. */
  basisPoints: number | null;
  /** A fixed tier's own rate for the service, in micro-units. Null: it has none. */
  rate: number | null;
};

/** Basis points of a whole. */
const WHOLE = 10_000n;

/**
 * Returns the rate by a tier, in micro-units and rounded up. It is part of the rate and not of the charge, so that what a
 * list shows, what a browser quotes and what is charged agree. A tier makes nothing dearer: its own rate for a service
 * that became cheaper than that does not apply.
 */
export function rateFor(rate: number, tier: Pick<TierTerms, "basisPoints" | "rate"> | null): number {
  if (tier === null) return rate;
  if (tier.basisPoints === null) return tier.rate === null ? rate : Math.min(rate, tier.rate);
  return Number((BigInt(rate) * (WHOLE - BigInt(tier.basisPoints)) + WHOLE - 1n) / WHOLE);
}
