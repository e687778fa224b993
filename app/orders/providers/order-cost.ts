import type { Order } from "#app/db/schema.server.ts";
import { chargeFor } from "#app/orders/rules/charge-and-refund.ts";
import { isPerOrder } from "#app/orders/rules/order-input.ts";
import { CURRENCY, MICRO } from "#app/product.ts";
import type { Report } from "./reading/status-report.ts";

/** The columns of an order that say what its provider takes for it. */
export type OrderCost = { cost: number | null; costIsReported: boolean | null };

/** No order costs more. A provider that says so means something else. */
const MAX_COST = 1_000_000 * MICRO;

export const UNKNOWN: OrderCost = { cost: null, costIsReported: null };

/** The cost of an order that its provider refused or never got. */
export const NOTHING: OrderCost = { cost: 0, costIsReported: true };

/** Returns whether amounts in a provider's currency are amounts in ours. One that doesn't name its currency means ours. */
export function isOurCurrency(currency: string): boolean {
  return currency === "" || currency.toUpperCase() === CURRENCY;
}

/**
 * Returns what an order costs by the rate of its provider, in micro-units, rounded up. Not known without a rate, and for
 * what no provider could charge.
 */
export function costByRate(order: Pick<Order, "quantity" | "runs" | "type">, providerRate: number | null): OrderCost {
  if (providerRate === null) return UNKNOWN;
  const cost = chargeFor({ ...order, rate: providerRate, perOrder: isPerOrder(order.type) });
  return cost === null || cost > MAX_COST ? UNKNOWN : { cost, costIsReported: false };
}

/**
 * Returns what an order costs after an answer about it. The provider's own charge counts, if it is in our currency. Panels
 * that don't know theirs say 0, so that counts only for a canceled order. `end` is how the order ends, if it does: without a
 * charge, what was not delivered costs nothing.
 */
export function costAfter(
  order: Pick<Order, "cost" | "costIsReported" | "quantity" | "runs">,
  { charge, currency }: Pick<Report, "charge" | "currency">,
  end: { status: string; remains: number } | null,
): OrderCost {
  const { cost, costIsReported } = order;
  const counts =
    charge !== null && isOurCurrency(currency) && charge <= MAX_COST && (charge > 0 || end?.status === "Canceled");
  if (counts) return { cost: charge, costIsReported: true };
  if (end === null || cost === null) return { cost, costIsReported };
  const total = BigInt(order.quantity) * BigInt(order.runs);
  const delivered = total - BigInt(Math.min(end.remains, Number(total)));
  return { cost: Number((BigInt(cost) * delivered + total - 1n) / total), costIsReported };
}
