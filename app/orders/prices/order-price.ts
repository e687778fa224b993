import type { AppliedPriceRule, OrderType } from "#app/db/schema.server.ts";
import { chargeFor } from "#app/orders/rules/charge-and-refund.ts";
import { isPerOrder } from "#app/orders/rules/order-input.ts";
import { type CodeTerms, discountBy } from "./percent-code.ts";
import { rateFor, type TierTerms } from "./tier-rate.ts";

/** Charge of an order, in micro-units, and the rule behind it. `discount` is what the rule took off. */
export type OrderPrice = { charge: number; discount: number; rule: AppliedPriceRule | null };

type Counted = { quantity: number; runs: number };

/**
 * Returns the price of an order, or null if its usual charge is more than a Number holds exactly. A tier and a code don't
 * add up: the lower charge wins, and the code is kept for another order if it takes no more off than the tier. The rule is
 * null if nothing lowers the price.
 */
export function priceOf(
  service: { rate: number; type: OrderType },
  tier: TierTerms | null,
  { quantity, runs }: Counted,
  code: CodeTerms | null = null,
): OrderPrice | null {
  const perOrder = isPerOrder(service.type);
  const usual = chargeFor({ rate: service.rate, quantity, runs, perOrder });
  if (usual === null) return null;
  const byTier = priceByTier(service.rate, tier, usual, { quantity, runs, perOrder });
  if (code === null) return byTier;
  const discount = discountBy(code, usual);
  if (discount <= byTier.discount) return byTier;
  const { id, name, basisPoints } = code;
  return { charge: usual - discount, discount, rule: { kind: "code", id, name, basisPoints } };
}

function priceByTier(
  usualRate: number,
  tier: TierTerms | null,
  usual: number,
  counted: Counted & { perOrder: boolean },
): OrderPrice {
  const rate = rateFor(usualRate, tier);
  if (tier === null || rate === usualRate) return { charge: usual, discount: 0, rule: null };
  const charge = chargeFor({ rate, ...counted }) ?? usual;
  const { id, name, basisPoints } = tier;
  return { charge, discount: usual - charge, rule: { kind: "tier", id, name, basisPoints } };
}
