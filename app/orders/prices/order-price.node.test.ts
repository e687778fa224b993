import { expect, test } from "vitest";
import { MAX_DISCOUNT, MICRO } from "#app/product.ts";
import { seededRandom } from "#tests/faults/seeded-random.ts";
import { type OrderPrice, priceOf } from "./order-price.ts";
import { rateFor, type TierTerms } from "./tier-rate.ts";

const service = { rate: 900_000, type: "Default" as const };
const thousand = { quantity: 1000, runs: 1 };
const gold: TierTerms = { id: 3, name: "Gold", basisPoints: 1000, rate: null };
const fixed: TierTerms = { id: 4, name: "Partners", basisPoints: null, rate: 500_000 };
const code = { id: 9, name: "Spring", basisPoints: 2000, maxDiscount: null };

test("charges the usual price without a tier and without a code", () => {
  expect(priceOf(service, null, thousand)).toEqual({ charge: 900_000, discount: 0, rule: null });
});

test("takes a percent tier off the rate and names it", () => {
  const rule = { kind: "tier", id: 3, name: "Gold", basisPoints: 1000 };
  expect(priceOf(service, gold, thousand)).toEqual({ charge: 810_000, discount: 90_000, rule });
});

test("rounds the rate of a tier up to a micro-unit", () => {
  expect(rateFor(1, gold)).toBe(1);
  expect(rateFor(11, gold)).toBe(10);
  expect(rateFor(0, gold)).toBe(0);
  // The rate stays, so no rule lowered it.
  expect(priceOf({ ...service, rate: 1 }, gold, thousand)).toMatchObject({ charge: 1, rule: null });
});

test("uses a fixed tier's own rate, and the usual one where it has none or the usual one is lower", () => {
  const rule = { kind: "tier", id: 4, name: "Partners", basisPoints: null };
  expect(priceOf(service, fixed, thousand)).toEqual({ charge: 500_000, discount: 400_000, rule });
  expect(priceOf(service, { ...fixed, rate: null }, thousand)).toMatchObject({ charge: 900_000, rule: null });
  expect(priceOf({ ...service, rate: 400_000 }, fixed, thousand)).toMatchObject({ charge: 400_000, rule: null });
});

test("takes a code off the usual charge, at most its limit", () => {
  const rule = { kind: "code", id: 9, name: "Spring", basisPoints: 2000 };
  expect(priceOf(service, null, thousand, code)).toEqual({ charge: 720_000, discount: 180_000, rule });
  const limited = { ...code, maxDiscount: 50_000 };
  expect(priceOf(service, null, thousand, limited)).toEqual({ charge: 850_000, discount: 50_000, rule });
});

test("lets the lower charge win, and the tier when both are equal", () => {
  expect(priceOf(service, gold, thousand, code)).toMatchObject({ charge: 720_000, rule: { kind: "code" } });
  expect(priceOf(service, fixed, thousand, code)).toMatchObject({ charge: 500_000, rule: { kind: "tier" } });
  const equal = { ...code, basisPoints: 1000 };
  expect(priceOf(service, gold, thousand, equal)).toMatchObject({ charge: 810_000, rule: { kind: "tier" } });
});

test("has no price for what no Number holds", () => {
  expect(priceOf({ ...service, rate: 9e15 }, gold, { quantity: 2_000_000_000, runs: 1000 })).toBeNull();
});

test("agrees with exact fractions for 50,000 random prices and never charges more than the usual price", () => {
  const random = seededRandom(23);
  const upTo = (max: number) => random.upTo(max + 1);
  // One assertion for all, because each takes longer than what it checks.
  const wrong: object[] = [];
  for (let turn = 0; turn < 50_000; turn++) {
    const perOrder = upTo(4) === 0;
    const rate = upTo(upTo(1) === 0 ? 50 : 200 * MICRO);
    const counted = { quantity: perOrder ? 1 : upTo(100_000) + 1, runs: upTo(3) + 1 };
    const basisPoints = upTo(MAX_DISCOUNT);
    const tier = { id: 1, name: "T", basisPoints, rate: null };
    const percent = { id: 1, name: "C", basisPoints: upTo(MAX_DISCOUNT - 1) + 1, maxDiscount: null };
    const [usual, byTier, byCode] = [null, tier, null].map((one, index) =>
      priceOf({ rate, type: perOrder ? "Package" : "Default" }, one, counted, index === 2 ? percent : null),
    );
    if (!usual || !byTier || !byCode) throw new Error("no price");
    const pieces = BigInt(counted.quantity * counted.runs) * (perOrder ? 1000n : 1n);
    const tierRate = ceil(BigInt(rate) * BigInt(10_000 - basisPoints), 10_000n);
    const tierLeaves = ceil(tierRate * pieces, 1000n);
    const codeLeaves = ceil(BigInt(usual.charge) * BigInt(10_000 - percent.basisPoints), 10_000n);
    const isExact = BigInt(byTier.charge) === tierLeaves && BigInt(byCode.charge) === codeLeaves;
    const addsUp = ({ charge, discount, rule }: OrderPrice) =>
      charge + discount === usual.charge && discount >= 0 && (rule !== null || discount === 0);
    if (!isExact || !addsUp(byTier) || !addsUp(byCode))
      wrong.push({ rate, counted, basisPoints, percent, byTier, byCode });
  }
  expect(wrong).toEqual([]);
});

function ceil(numerator: bigint, denominator: bigint): bigint {
  return (numerator + denominator - 1n) / denominator;
}
