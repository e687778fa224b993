import { discountBy } from "#app/orders/prices/percent-code.ts";
import { chargeFor } from "#app/orders/rules/charge-and-refund.ts";
import type { ParsedOrder } from "#app/orders/rules/order-input.ts";
import type { CheckedCode } from "./quoted-price.ts";

// The price that the order form was rendered with goes back with it, also without scripts. The server computes the charge
// that the page showed, or would have shown, from it: no order is charged more.

/**
 * Writes a price for a hidden field: "900000 per 1000", "900000 per order", or "900000 of 1000000 per 1000" where a tier
 * lowers the usual rate. Rates are micro-units.
 */
export function writeShownPrice({
  rate,
  perOrder,
  lowered,
}: {
  rate: number;
  perOrder: boolean;
  lowered?: { usualRate: number } | undefined;
}): string {
  return `${rate}${lowered ? ` of ${lowered.usualRate}` : ""} per ${perOrder ? "order" : "1000"}`;
}

/**
 * Returns the charge of an order by a shown price in micro-units, or null if the text is no price. A code lowers it as on the
 * page: what a code takes off never changes.
 */
export function shownCharge(
  written: string,
  { quantity, runs }: Pick<ParsedOrder, "quantity" | "runs">,
  code: Pick<CheckedCode, "basisPoints" | "maxDiscount" | "minCharge"> | null = null,
): number | null {
  const [, rate, usualRate = rate, unit] = /^(\d{1,16})(?: of (\d{1,16}))? per (1000|order)$/.exec(written) ?? [];
  if (rate === undefined || ![rate, usualRate].every((text) => Number.isSafeInteger(Number(text)))) return null;
  const counted = { quantity, runs, perOrder: unit === "order" };
  const charge = chargeFor({ rate: Number(rate), ...counted });
  if (charge === null || code === null) return charge;
  const usual = chargeFor({ rate: Number(usualRate), ...counted });
  return usual === null || usual < code.minCharge ? charge : Math.min(charge, usual - discountBy(code, usual));
}
