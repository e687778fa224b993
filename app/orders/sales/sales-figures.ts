import { marginOf } from "#app/orders/rules/margin.ts";

/** Sums of rows of sales. Amounts are micro-units. */
export type SalesSums = {
  orders: number;
  charged: number;
  refunds: number;
  refunded: number;
  cost: number;
  costed: number;
  byHand: number;
};

/** The sales of a period, and their cost. Amounts are micro-units. Staff with the role of an admin may see them. */
export type SalesFigures = {
  /** Charged orders. */
  orders: number;
  /** Charges less refunds. */
  revenue: number;
  /** Orders refunded in full or in part, and what they got back. */
  refunds: number;
  refunded: number;
  /** The amount that providers charged for orders. */
  cost: number;
  /** Orders whose cost became known. The others were fulfilled by staff, wait, or have a provider that names no price. */
  costed: number;
  /** The part of the revenue from orders without a provider. */
  byHand: number;
  /** Revenue of orders with a provider, less cost. */
  earned: number;
  /** `earned` as a part of that revenue, in basis points. Null: no such revenue. */
  margin: number | null;
};

export function figuresOf({ charged, ...sums }: SalesSums): SalesFigures {
  const revenue = charged - sums.refunded;
  const resold = revenue - sums.byHand;
  const { orders, refunds, refunded, cost, costed, byHand } = sums;
  return {
    orders,
    revenue,
    refunds,
    refunded,
    cost,
    costed,
    byHand,
    earned: resold - cost,
    margin: marginOf(resold, cost),
  };
}

const NOTHING_SOLD: SalesSums = { orders: 0, charged: 0, refunds: 0, refunded: 0, cost: 0, costed: 0, byHand: 0 };

/** Returns what several rows add up to. Their margins don't add up, so this computes it anew. */
export function figuresOfAll(rows: Iterable<SalesSums>): SalesFigures {
  const total = { ...NOTHING_SOLD };
  for (const row of rows) {
    for (const name of Object.keys(total) as (keyof SalesSums)[]) total[name] += row[name];
  }
  return figuresOf(total);
}

export function nothingSold(): SalesSums {
  return { ...NOTHING_SOLD };
}
