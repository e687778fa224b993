/**
 * Returns the charge of an order in micro-units, rounded up, or null if it is more than a Number holds exactly.
 * `rate` is micro-units per 1,000 pieces, or per order if `perOrder`.
 */
export function chargeFor(order: { rate: number; quantity: number; runs: number; perOrder: boolean }): number | null {
  const rate = BigInt(order.rate);
  const runs = BigInt(order.runs);
  const exact = order.perOrder ? rate * runs * 1000n : rate * BigInt(order.quantity) * runs;
  const charge = Number((exact + 999n) / 1000n);
  return Number.isSafeInteger(charge) ? charge : null;
}

/** Returns the refund for undelivered pieces, less earlier refunds, rounded down. Micro-units. */
export function refundFor(order: { charge: number; refunded: number; remains: number; total: number }): number {
  const remains = BigInt(Math.min(order.remains, order.total));
  const due = Number((BigInt(order.charge) * remains) / BigInt(order.total));
  return Math.max(0, due - order.refunded);
}
