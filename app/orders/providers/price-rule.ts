import { cutText } from "#app/cut-text.ts";
import { cleanName } from "#app/http/clean-text.ts";
import { decodeEntities } from "#app/http/html-entities.ts";
import { priceForMargin, roundedUpTo } from "#app/orders/rules/margin.ts";

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

/** Returns what a provider's category is called here. Some panels escape it for HTML. */
export function categoryName(given: string): string {
  return cutText(cleanName(decodeEntities(given)), 200) || "Other";
}

/**
 * Returns a function that finds the rule of a category, else the provider's general one, else null. Categories are compared
 * as `categoryName` returns them, because rules and offers may have been stored as they were given. If several rules are
 * of one name then, the one that has exactly that name is meant.
 */
export function ruleFinder<Rule extends PriceRule>(rules: readonly Rule[]): (category: string) => Rule | null {
  const byName = new Map<string, Rule>();
  for (const rule of rules) {
    const name = keyOf(rule.category);
    if (!byName.has(name) || rule.category === name) byName.set(name, rule);
  }
  return (category) => byName.get(keyOf(category)) ?? byName.get(ALL_CATEGORIES) ?? null;
}

function keyOf(category: string): string {
  return category === ALL_CATEGORIES ? ALL_CATEGORIES : categoryName(category);
}

/** Returns our rate for a provider's rate: never below it, whatever the rule says. */
export function priceByRule({ margin, roundTo, minimum }: PriceRule, cost: number): number {
  return Math.max(roundedUpTo(priceForMargin(cost, margin), roundTo), minimum);
}
