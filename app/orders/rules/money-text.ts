import { formatsOf } from "#app/components/formats/number-formats.ts";
import { MICRO } from "#app/product.ts";

export { decimal } from "#app/product.ts";

/** Formats an amount in cents for texts the server writes, which are en-US for everybody. Components use `<Money>`. */
export function formatMoney(micro: number): string {
  return formatsOf("en-US").money(micro);
}

const AMOUNT = new Intl.NumberFormat("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 2 });

/** Formats an amount without a currency, such as one of a provider in a currency of its own: "1,250.00". */
export function amountOf(micro: number): string {
  return AMOUNT.format(micro / MICRO);
}

/** Parses "0.90" to micro-units. Returns null for anything but a plain decimal of at most six places. */
export function parseDecimal(text: string): number | null {
  const match = /^(\d{1,9})(?:\.(\d{1,6}))?$/.exec(text.trim());
  if (!match) return null;
  return Number(match[1]) * MICRO + Number((match[2] ?? "").padEnd(6, "0"));
}
