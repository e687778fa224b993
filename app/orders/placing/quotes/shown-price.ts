import { chargeFor } from "#app/orders/rules/charge-and-refund.ts";
import type { ParsedOrder } from "#app/orders/rules/order-input.ts";

// The price that the order form was rendered with goes back with it, also without scripts. The server computes the charge
// that the page showed, or would have shown, from it: no order is charged more.

/** Writes a price for a hidden field: "900000 per 1000", or "900000 per order". `rate` is micro-units. */
export function writeShownPrice({ rate, perOrder }: { rate: number; perOrder: boolean }): string {
  return `${rate} per ${perOrder ? "order" : "1000"}`;
}

/** Returns the charge of an order by a shown price in micro-units, or null if the text is no price. */
export function shownCharge(
  written: string,
  { quantity, runs }: Pick<ParsedOrder, "quantity" | "runs">,
): number | null {
  const [, rate, unit] = /^(\d{1,16}) per (1000|order)$/.exec(written) ?? [];
  if (rate === undefined || !Number.isSafeInteger(Number(rate))) return null;
  return chargeFor({ rate: Number(rate), quantity, runs, perOrder: unit === "order" });
}
