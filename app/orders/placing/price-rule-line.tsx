import type { Offer } from "#app/orders/catalog/offers.server.ts";
import { PriceRuleText } from "#app/orders/prices/price-rule-text.tsx";
import { chargeFor } from "#app/orders/rules/charge-and-refund.ts";
import type { Quote } from "./quotes/quote.ts";

/** Names the tier that lowered the quoted charge. */
export function PriceRuleLine({ offer: { lowered, perOrder }, quoted }: { offer: Offer; quoted: Quote }) {
  if (!lowered || quoted.charge === null) return null;
  // Pieces are those of all runs, and of orders what is sold per order.
  const { pieces } = quoted;
  const counted = perOrder ? { quantity: 1, runs: pieces } : { quantity: pieces, runs: 1 };
  const usual = chargeFor({ rate: lowered.usualRate, ...counted, perOrder });
  return (
    usual !== null && (
      <p className="-mt-2 text-sm text-muted">
        <PriceRuleText rule={lowered} usual={usual} />
      </p>
    )
  );
}
