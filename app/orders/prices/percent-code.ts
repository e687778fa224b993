/** Terms by which a percent code lowers an order's charge. Amounts in micro-units. */
export type CodeTerms = {
  id: number;
  name: string;
  basisPoints: number;
  /** The most that it takes off one order. Null: no limit. */
  maxDiscount: number | null;
};

const WHOLE = 10_000n;

/** Returns what a code takes off a charge: rounded down, once. */
export function discountBy(code: Pick<CodeTerms, "basisPoints" | "maxDiscount">, charge: number): number {
  const share = Number((BigInt(charge) * BigInt(code.basisPoints)) / WHOLE);
  return Math.min(share, code.maxDiscount ?? share);
}
