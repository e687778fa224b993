import { formatsOf } from "#app/components/formats/number-formats.ts";
import { MICRO } from "#app/product.ts";

export { MICRO };

/**
 * What an order costs, in micro-units, rounded up so that a fraction is never given away.
 * `rate` is micro-units per 1,000 pieces, or per order where `perOrder`. Null when it is more than a Number holds exactly.
 */
export function chargeFor(order: { rate: number; quantity: number; runs: number; perOrder: boolean }): number | null {
  const rate = BigInt(order.rate);
  const runs = BigInt(order.runs);
  const exact = order.perOrder ? rate * runs * 1000n : rate * BigInt(order.quantity) * runs;
  const charge = Number((exact + 999n) / 1000n);
  return Number.isSafeInteger(charge) ? charge : null;
}

/** What goes back for pieces that were not delivered, less what went back before. Micro-units. */
export function refundFor(order: { charge: number; refunded: number; remains: number; total: number }): number {
  const remains = BigInt(Math.min(order.remains, order.total));
  const due = Number((BigInt(order.charge) * remains) / BigInt(order.total));
  return Math.max(0, due - order.refunded);
}

/** "100.84292": as many decimals as it needs, `least` at the least. The API's form, no grouping. */
export function decimal(micro: number, least = 0): string {
  const sign = micro < 0 ? "-" : "";
  const digits = Math.abs(micro).toString().padStart(7, "0");
  const fraction = digits.slice(-6).replace(/0+$/, "").padEnd(least, "0");
  return sign + digits.slice(0, -6) + (fraction ? `.${fraction}` : "");
}

/** Formats an amount in cents for texts the server writes, which are en-US for everybody. Components use `<Money>`. */
export function formatMoney(micro: number): string {
  return formatsOf("en-US").money(micro);
}

/** Micro-units out of "0.90" or 0.9; null for anything that is not a plain decimal of at most six places. */
export function parseDecimal(text: string): number | null {
  const match = /^(\d{1,9})(?:\.(\d{1,6}))?$/.exec(text.trim());
  if (!match) return null;
  return Number(match[1]) * MICRO + Number((match[2] ?? "").padEnd(6, "0"));
}
