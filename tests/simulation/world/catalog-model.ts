import type { OfferedService } from "./outside/provider-catalog.ts";

/** A service of the shop, in micro-units, with what the product remembers of decisions about it. */
export type Terms = {
  rate: number;
  providerRate: number | null;
  min: number;
  max: number;
  isOnSale: boolean;
  /** The rate that the rule last gave it. */
  ruleRate: number | null;
  decidedRate: number | null;
  decidedCost: number | null;
  /** The change that waits for a decision, and whether the service is off sale for it. */
  waits: string | null;
  isPaused: boolean;
};

/** The part of the price that must be left, and how far a night may move a rate. */
export const MARGIN_PERCENT = 20;
export const LIMIT_PERCENT = 20;

/** The shop's rule, which rounds to micro-units. */
export function priceByRule(cost: number): number {
  return Math.ceil((cost * 100) / (100 - MARGIN_PERCENT));
}

/** Returns what an import makes of a service whose row is ticked. `offered` is undefined for one that is gone. */
export function imported(terms: Terms, offered: OfferedService | undefined): Terms {
  const isForSale = terms.isOnSale || terms.isPaused;
  if (!offered) return isForSale ? { ...terms, isOnSale: false, waits: null, isPaused: false } : terms;
  if (!offered.isReadable) return terms;
  const { rate: cost, min, max } = offered;
  const reason = reasonToWait(terms, offered);
  const followsRule = terms.rate === terms.ruleRate;
  const rate = followsRule || terms.rate < cost ? priceByRule(cost) : terms.rate;
  const isChanged = !reason && (cost !== terms.providerRate || rate !== terms.rate || takesLimits(terms, offered));
  const isWider = isForSale && (min < terms.min || max > terms.max);
  if (!reason && !isChanged && !isWider) return terms;
  return {
    ...terms,
    ...(isChanged && isForSale ? {} : { min, max }),
    rate,
    providerRate: cost,
    ruleRate: followsRule || rate !== terms.rate ? rate : terms.ruleRate,
    decidedRate: rate,
    decidedCost: cost,
    isOnSale: isForSale,
    waits: null,
    isPaused: false,
  };
}

/** Returns what a night makes of a service. */
export function afterNight(terms: Terms, offered: OfferedService | undefined): Terms {
  const isForSale = terms.isOnSale || terms.isPaused;
  if (!offered) return isForSale ? quarantined(terms, "gone", terms.isOnSale) : terms;
  if (!offered.isReadable) return terms;
  const { rate: cost, min, max } = offered;
  const isOtherCost = cost !== terms.providerRate;
  const reason = reasonToWait(terms, offered);
  if (reason)
    return quarantined(terms, `${reason} ${cost} ${min} ${max}`, terms.isOnSale && isOtherCost && terms.rate < cost);
  const isResumed = terms.isPaused && !terms.isOnSale;
  const kept = { ...terms, waits: null, isPaused: false, isOnSale: isForSale };
  if (!isOtherCost && !takesLimits(terms, offered) && !isResumed) return kept;
  const isRepriced = isOtherCost && terms.rate === terms.ruleRate;
  const rate = isRepriced ? priceByRule(cost) : terms.rate;
  return {
    ...kept,
    ...(isForSale ? {} : { min, max }),
    rate,
    providerRate: cost,
    ruleRate: isRepriced ? rate : terms.ruleRate,
    decidedRate: terms.decidedRate ?? terms.rate,
    decidedCost: terms.decidedCost ?? terms.providerRate ?? cost,
  };
}

function quarantined(terms: Terms, waits: string, mustPause: boolean): Terms {
  // A service that staff put back on sale while the change waited stays on sale.
  if (terms.waits === waits && (terms.isPaused || !mustPause)) return terms;
  return { ...terms, waits, isPaused: terms.isPaused || mustPause, isOnSale: terms.isOnSale && !mustPause };
}

/** Only what is not for sale takes the provider's limits by itself. */
function takesLimits(terms: Terms, { min, max }: OfferedService): boolean {
  return !terms.isOnSale && !terms.isPaused && (min !== terms.min || max !== terms.max);
}

function reasonToWait(terms: Terms, { rate: cost, min, max }: OfferedService): string | null {
  const isForSale = terms.isOnSale || terms.isPaused;
  if (cost !== terms.providerRate) {
    const from = terms.decidedCost ?? terms.providerRate ?? cost;
    if (cost / 5 >= from || cost <= from / 5) return "jump";
    const rate = terms.rate === terms.ruleRate ? priceByRule(cost) : terms.rate;
    if (isForSale && rate < cost) return "below_cost";
    if (cost * 100 > from * (100 + LIMIT_PERCENT)) return "rise";
    const decided = terms.decidedRate ?? terms.rate;
    if (rate !== terms.rate && rate * 100 > decided * (100 + LIMIT_PERCENT)) return "rise";
    if (rate !== terms.rate && rate * 100 < decided * (100 - LIMIT_PERCENT)) return "drop";
  }
  return isForSale && (min > terms.min || max < terms.max) ? "limits" : null;
}
