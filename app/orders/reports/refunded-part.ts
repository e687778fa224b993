import { WHOLE } from "#app/orders/rules/margin.ts";
import type { SalesFigures } from "#app/orders/sales/sales-figures.ts";

/** Returns the part of the charges that was refunded, in basis points. Null without charges. */
export function refundedPart({ revenue, refunded }: SalesFigures): number | null {
  const charged = revenue + refunded;
  return charged <= 0 ? null : Math.round((refunded * WHOLE) / charged);
}
