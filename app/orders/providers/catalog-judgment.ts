import type { OfferedTerms, OrderType, QuarantineReason } from "#app/db/schema.server.ts";
import { isPerOrder } from "#app/orders/rules/order-input.ts";
import { movedMoreThan, type PriceRule, priceByRule } from "./price-rule.ts";

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

/** Five times as much, or a fifth: another currency, another unit or a slip, rather than another price. */
const JUMP = 5;

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
  const reason = reasonToWait(ours, offered, { ourRate, limit, isOtherCost, isOnSale });
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

function reasonToWait(
  ours: KnownService,
  offered: OfferedTerms,
  {
    ourRate,
    limit,
    isOtherCost,
    isOnSale,
  }: { ourRate: number; limit: number; isOtherCost: boolean; isOnSale: boolean },
): QuarantineReason | null {
  if (isOtherCost) {
    const from = ours.decidedCost ?? ours.providerRate;
    if (from !== null && isJump(from, offered.rate)) return "jump";
    if (isOnSale && ourRate < offered.rate) return "below_cost";
    if (from !== null && offered.rate > from && movedMoreThan(from, offered.rate, limit)) return "rise";
    const rateFrom = ours.decidedRate ?? ours.rate;
    if (ourRate !== ours.rate && movedMoreThan(rateFrom, ourRate, limit)) return ourRate > rateFrom ? "rise" : "drop";
  }
  if (!isOnSale) return null;
  if (offered.type !== ours.type) return "type";
  // An order within our limits would be refused there. Wider limits refuse none.
  return offered.min > ours.min || offered.max < ours.max ? "limits" : null;
}

function isJump(from: number, to: number): boolean {
  return to >= from * JUMP || to * JUMP <= from;
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
