import type { OfferedTerms, OrderType, QuarantineReason } from "#app/db/schema.server.ts";
import { isPerOrder } from "#app/orders/rules/order-input.ts";
import { guard } from "#app/orders/services/service-guard.ts";
import { type PriceRule, priceByRule } from "./price-rule.ts";

/** A service as we know it when a catalog is compared with it. Rates in micro-units. */
export type KnownService = {
  id: number;
  version: number;
  providerServiceId: string;
  name: string;
  type: OrderType;
  rate: number;
  /** The provider's rate that our rate was made for. Null: never read. */
  providerRate: number | null;
  /** The rate that a price rule last gave it. If the current rate differs, staff set it. */
  ruleRate: number | null;
  /** Both rates when a person last decided. Changes add up from here. Null: from the current ones. */
  decidedRate: number | null;
  decidedCost: number | null;
  min: number;
  max: number;
  dripfeed: boolean;
  refill: boolean;
  cancel: boolean;
  enabled: boolean;
  /** Staff keep it on sale although the catalog doesn't list it. */
  keptWhileGone: boolean;
};

/** The terms a service gets without anybody's decision. */
export type NewTerms = OfferedTerms & { ourRate: number; isByRule: boolean };

export type Judgment =
  | { kind: "same" }
  /** Takes effect at once. */
  | { kind: "harmless"; terms: NewTerms }
  /** Waits for a decision. `belowCost`: each order sold meanwhile would cost more than it brings. */
  | { kind: "waits"; reason: QuarantineReason; belowCost: boolean };

/** Returns whether our rate is the one that the rule gave, and not one that staff set. */
export function followsRule({ rate, ruleRate }: Pick<KnownService, "rate" | "ruleRate">): boolean {
  return ruleRate !== null && rate === ruleRate;
}

/**
 * Returns what a night may do with what a provider offers. `limit` is how far either rate may move from what was last
 * decided, in basis points: a price that creeps up a little every night is decided, too. `isOnSale` is also true for a
 * service that only a quarantine keeps off sale.
 */
export function judge(
  ours: KnownService,
  offered: OfferedTerms,
  { rule, limit, isOnSale }: { rule: PriceRule | null; limit: number; isOnSale: boolean },
): Judgment {
  const isOtherCost = offered.rate !== ours.providerRate;
  const isByRule = isOtherCost && rule !== null && followsRule(ours);
  const ourRate = isByRule ? priceByRule(rule, offered.rate) : ours.rate;
  const before = { ...ours, enabled: isOnSale };
  const { category: _, rate: providerRate, ...taken } = offered;
  const reason = guard(before, { ...before, ...taken, providerRate, rate: ourRate }, { within: limit });
  if (reason) {
    // Rates per order and per 1,000 pieces can't be compared.
    const isOtherUnit = isPerOrder(offered.type) !== isPerOrder(ours.type);
    return { kind: "waits", reason, belowCost: isOtherUnit || (isOtherCost && ours.rate < offered.rate) };
  }
  const terms = { ...offered, ourRate, isByRule };
  // Limits that staff made narrower than the provider's stay.
  if (isOnSale) Object.assign(terms, { min: ours.min, max: ours.max });
  return isSame(ours, terms) ? { kind: "same" } : { kind: "harmless", terms };
}

/** Returns why a service on sale waits that the catalog lacks. */
export function judgeMissing(ours: KnownService, limit: number): QuarantineReason | null {
  const before = { ...ours, enabled: true };
  return guard(before, { ...before, isListed: false }, { within: limit });
}

function isSame(ours: KnownService, terms: NewTerms): boolean {
  return (
    ours.providerRate === terms.rate &&
    ours.rate === terms.ourRate &&
    ours.type === terms.type &&
    ours.min === terms.min &&
    ours.max === terms.max &&
    ours.dripfeed === terms.dripfeed &&
    ours.refill === terms.refill &&
    ours.cancel === terms.cancel
  );
}

/** A catalog that misses more than so many of our services at once, and more than a fifth of them, is a partial answer. */
const MAY_MISS = 3;

/** Returns whether a catalog lacks so much of what we sell that it is a faulty answer rather than a changed offer. */
export function isPartialAnswer(missing: number, onSale: number): boolean {
  return missing > MAY_MISS && missing * 5 > onSale;
}
