import { priceForMargin, roundedUpTo, WHOLE } from "#app/orders/rules/margin.ts";

/** How the services of a provider, or of one of its categories, are priced. Amounts in micro-units. */
export type PriceRule = {
  /** The provider's own category. "": all categories without a rule of their own. */
  category: string;
  /** A part of the price, in basis points. */
  margin: number;
  /** Rates are rounded up to a multiple of this. */
  roundTo: number;
  /** No rate is lower. */
  minimum: number;
};

export const ALL_CATEGORIES = "";
/** 95 %: twenty times the provider's rate. Together with the highest rate of a catalog, it keeps rates exact integers. */
export const MAX_MARGIN = 9_500;
/** $1,000. */
export const MAX_ROUND_TO = 1_000_000_000;
/** $1,000,000, as no rate of a catalog is above it. */
export const MAX_MINIMUM = 1_000_000_000_000;

/** Returns the rule of a category, else the provider's general one, else null. */
export function ruleFor(rules: readonly PriceRule[], category: string): PriceRule | null {
  const own = rules.find((rule) => rule.category === category);
  return own ?? rules.find((rule) => rule.category === ALL_CATEGORIES) ?? null;
}

/** Returns our rate for a provider's rate: never below it, whatever the rule says. */
export function priceByRule({ margin, roundTo, minimum }: PriceRule, cost: number): number {
  return Math.max(roundedUpTo(priceForMargin(cost, margin), roundTo), minimum);
}

/** Returns whether a value is further from another than a part of it, in basis points. Nothing is near 0 but 0. */
export function movedMoreThan(from: number, to: number, part: number): boolean {
  return BigInt(Math.abs(to - from)) * BigInt(WHOLE) > BigInt(from) * BigInt(part);
}
