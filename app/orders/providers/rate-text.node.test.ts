import { expect, test } from "vitest";
import { seededRandom } from "#tests/faults/seeded-random.ts";
import { decimalMarksOf, readRate } from "./rate-text.ts";

const DOTS = { dot: true, comma: false };
const NONE = { dot: false, comma: false };

test.each([
  ["0.90", 900_000],
  [0.9, 900_000],
  [" 8 ", 8_000_000],
  ["0", 0],
  [".5", 500_000],
  ["5.", 5_000_000],
  ["2.0E-5", 20],
  [2e-5, 20],
  [1e-7, 1],
  ["1,250.00", 1_250_000_000],
  ["1.250,00", 1_250_000_000],
  ["1 250,5", 1_250_500_000],
  ["1\u00a0250", 1_250_000_000],
  ["1'250.50", 1_250_500_000],
  ["2,5", 2_500_000],
  ["0,900", 900_000],
  ["1250.500", 1_250_500_000],
  ["$0.90", 900_000],
  ["0.90 USD", 900_000],
  ["\u200e0.90", 900_000],
])("reads the rate %j", (given, micro) => {
  expect(readRate(given, NONE)).toEqual({ ok: true, rate: micro });
});

test.each([
  ["1,250", "rate_ambiguous"],
  ["12.500", "rate_ambiguous"],
  ["$1,250", "rate_ambiguous"],
  ["€0.90", "rate_currency"],
  ["Rp 15.000", "rate_currency"],
  ["90 руб.", "rate_currency"],
  ["1000000.01", "rate_high"],
  ["9e99", "rate_high"],
  ["-1", "rate"],
  ["free", "rate"],
  ["1.2.3", "rate"],
  ["1,25.00", "rate"],
  ["5%", "rate"],
  ["1e999", "rate"],
  [Number.NaN, "rate"],
  [true, "rate"],
  [["1"], "rate"],
  ["1".repeat(200), "rate"],
  ["", "rate_missing"],
  [null, "rate_missing"],
  [undefined, "rate_missing"],
])("reads no rate in %j", (given, reason) => {
  expect(readRate(given, NONE)).toEqual({ ok: false, reason });
});

test("takes three digits after a dot for decimals only if the catalog's other rates show that dots are", () => {
  const read = (rates: unknown[]) => readRate(rates[0], decimalMarksOf(rates));
  expect(read(["1.250"])).toEqual({ ok: false, reason: "rate_ambiguous" });
  expect(read(["1.250", "15.000", "850", 0.5])).toEqual({ ok: false, reason: "rate_ambiguous" });
  expect(read(["1.250", "0.125"])).toEqual({ ok: true, rate: 1_250_000 });
  expect(read(["1.250", "2.5"])).toEqual({ ok: true, rate: 1_250_000 });
  expect(read(["1.250", "1,000.50"])).toEqual({ ok: true, rate: 1_250_000 });
  for (const comma of ["2,5", "1.250,00", "1.250.000"]) {
    expect(read(["1.250", "0.125", comma]), comma).toEqual({ ok: false, reason: "rate_ambiguous" });
  }
  expect(read(["1,250", "0.125"])).toEqual({ ok: false, reason: "rate_ambiguous" });
});

test("drops the error of a float, and rounds up what are real digits", () => {
  const sums = [0.1 + 0.2, 0.7 + 0.1, 1.1 * 3, 0.9 - 0.1 - 0.1, 4.35 * 100, 33.33 * 3, 1.15 * 1.1];
  expect(sums.map((sum) => readRate(sum, DOTS))).toEqual(
    [300_000, 800_000, 3_300_000, 700_000, 435_000_000, 99_990_000, 1_265_000].map((rate) => ({ ok: true, rate })),
  );
  expect(["0.1234561", "0.3333333333333333", "2.00000049"].map((rate) => readRate(rate, DOTS))).toEqual(
    [123_457, 333_334, 2_000_001].map((rate) => ({ ok: true, rate })),
  );
});

test("never reads a price other than the one that was written, however it is formatted", () => {
  const random = seededRandom(43);
  const formats = ["en-US", "de-DE", "fr-FR", "de-CH", "id-ID", "en-IN"].flatMap((locale) =>
    [0, 2, 3, 4].map((decimals) => ({ locale, decimals })),
  );
  let read = 0;
  for (let n = 0; n < 3000; n++) {
    const { locale, decimals } = random.pick(formats);
    const places = random.pick([0, 1, 2, 3, 4].filter((most) => most <= decimals));
    const digits = random.upTo(9_999_999);
    const text = (amount: number) =>
      new Intl.NumberFormat(locale, { minimumFractionDigits: decimals, maximumFractionDigits: decimals }).format(
        amount,
      );
    const value = digits / 10 ** places;
    const marks = decimalMarksOf([text(value), text(0.25), text(1234.5), text(8)]);
    const rate = readRate(text(value), marks);
    if (!rate.ok) {
      expect(["rate_ambiguous", "rate_high", "rate"]).toContain(rate.reason);
      continue;
    }
    read++;
    expect(rate.rate, `${locale} ${decimals}: ${text(value)}`).toBe(digits * 10 ** (6 - places));
  }
  expect(read).toBeGreaterThan(1500);
});
