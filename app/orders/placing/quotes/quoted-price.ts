import { type CodeTerms, discountBy } from "#app/orders/prices/percent-code.ts";
import type { Lowered } from "#app/orders/prices/tier-prices.ts";
import { chargeFor } from "#app/orders/rules/charge-and-refund.ts";
import type { Quote } from "./quote.ts";

/** A code as the form knows it, once it was checked. Amounts in micro-units. */
export type CheckedCode = Omit<CodeTerms, "id"> & { minCharge: number; network: string | null };

type Terms = { rate: number; perOrder: boolean; network: string; lowered?: Lowered };

/** Lines of the receipt: `lowered` names the rule that the charge follows, with the charge without it. */
export type QuotedPrice = {
  quoted: Quote;
  lowered: { name: string; basisPoints: number | null; usual: number } | null;
  /** Why the code takes nothing off. */
  codeFault: "network" | "too_small" | "tier_wins" | null;
};

/** Returns the charge of a quote by the customer's tier or a code, whichever is lower. The server computes it again. */
export function priceOfQuote(terms: Terms, quoted: Quote, code: CheckedCode | null): QuotedPrice {
  if (quoted.charge === null) return { quoted, lowered: null, codeFault: null };
  const usual = usualCharge(terms, quoted.pieces) ?? quoted.charge;
  const byTier = terms.lowered ? { ...named(terms.lowered), usual } : null;
  if (code === null) return { quoted, lowered: byTier, codeFault: null };
  const refuse = (codeFault: QuotedPrice["codeFault"]) => ({ quoted, lowered: byTier, codeFault });
  if (code.network !== null && code.network !== terms.network) return refuse("network");
  if (usual < code.minCharge) return refuse("too_small");
  const charge = usual - discountBy(code, usual);
  if (charge >= quoted.charge) return refuse(byTier ? "tier_wins" : null);
  return { quoted: { ...quoted, charge }, lowered: { ...named(code), usual }, codeFault: null };
}

/** Pieces are those of all runs, and of orders what is sold per order. */
function usualCharge({ rate, perOrder, lowered }: Terms, pieces: number): number | null {
  const counted = perOrder ? { quantity: 1, runs: pieces } : { quantity: pieces, runs: 1 };
  return chargeFor({ rate: lowered?.usualRate ?? rate, ...counted, perOrder });
}

function named({ name, basisPoints }: { name: string; basisPoints: number | null }) {
  return { name, basisPoints };
}
