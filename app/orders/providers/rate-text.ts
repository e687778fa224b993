import { CURRENCY } from "#app/product.ts";

/** Marks that a catalog's rates use for decimals, as far as rates show that can be read in one way only. */
export type DecimalMarks = { dot: boolean; comma: boolean };

/** A rate in micro-units, or the reason that it can't be read. */
export type ReadRate = { ok: true; rate: number } | { ok: false; reason: RateFault };
export type RateFault = "rate_missing" | "rate" | "rate_ambiguous" | "rate_currency" | "rate_high";

/** $1,000,000 per 1,000 pieces or per order. A higher rate is a mistake, and a price made from it would not be exact. */
const MAX_RATE = 1_000_000_000_000n;
const MAX_CHARACTERS = 60;
/** A float holds 15 digits for certain. Longer ones end in the error of a calculation. */
const CERTAIN_DIGITS = 15;
/** Digits that are left of a float with such an error, which several steps may have carried forward. */
const KEPT_DIGITS = 12;
const MICRO_PLACES = 6;

const SIGN_BEFORE = /^[\p{Sc}\p{L}]{1,4}\.?/u;
const SIGN_AFTER = /[\p{Sc}\p{L}]{1,4}\.?$/u;
/** A sign, digits with any marks, a power of ten. */
const NUMBER = /^([-+]?)([.,]?\d[\d.,'\u2019\s]*)(?:e([-+]?\d{1,2}))?$/i;

const OUR_SIGNS = new Set(
  (["symbol", "narrowSymbol", "code"] as const).flatMap((currencyDisplay) =>
    new Intl.NumberFormat("en-US", { style: "currency", currency: CURRENCY, currencyDisplay })
      .formatToParts(0)
      .filter(({ type }) => type === "currency")
      .map(({ value }) => value),
  ),
);

/** Returns which marks stand for decimals in rates that can't be read otherwise, such as "0.90" and "1.250,00". */
export function decimalMarksOf(rates: Iterable<unknown>): DecimalMarks {
  const marks = { dot: false, comma: false };
  for (const rate of rates) {
    const amount = typeof rate === "string" ? amountOf(rate) : null;
    const read = amount && readDigits(amount.number, null);
    if (read === null || read === "ambiguous") continue;
    if (read.mark === ".") marks.dot = true;
    if (read.mark === "," || read.group === ".") marks.comma = true;
  }
  return marks;
}

/**
 * Reads a rate as panels write it: a number or a text, with thousands grouped by commas, dots, blanks or apostrophes, with a
 * power of ten, with our currency. What could be read in two ways is ambiguous: "1,250" always, "1.250" unless the catalog's
 * other rates show that its dots are for decimals. More decimals than a micro-unit holds are rounded up, unless they are the
 * error of a float.
 */
export function readRate(value: unknown, marks: DecimalMarks): ReadRate {
  if (value === undefined || value === null || value === "") return { ok: false, reason: "rate_missing" };
  if (typeof value === "number") return rateOf(amountOf(String(value)), { dot: true, comma: false });
  return rateOf(typeof value === "string" ? amountOf(value) : null, marks);
}

type Amount = { number: string; isNegative: boolean; power: number; isInOurCurrency: boolean };

/** Splits an amount into its parts. Returns null if the text isn't an amount. */
function amountOf(text: string): Amount | null {
  if (text.length > MAX_CHARACTERS) return null;
  // Without what fonts do not draw.
  const visible = text.replaceAll(/\p{Cf}/gu, "").trim();
  const before = SIGN_BEFORE.exec(visible)?.[0] ?? "";
  const rest = visible.slice(before.length);
  const after = SIGN_AFTER.exec(rest)?.[0] ?? "";
  const match = NUMBER.exec(rest.slice(0, rest.length - after.length).trim());
  if (!match) return null;
  const [, sign, number = "", power = "0"] = match;
  const isInOurCurrency = [before, after].every(isOurs);
  return { number: number.trimEnd(), isNegative: sign === "-", power: Number(power), isInOurCurrency };
}

function rateOf(amount: Amount | null, marks: DecimalMarks): ReadRate {
  if (!amount || amount.isNegative) return { ok: false, reason: "rate" };
  const digits = readDigits(amount.number, marks);
  if (digits === null) return { ok: false, reason: "rate" };
  if (!amount.isInOurCurrency) return { ok: false, reason: "rate_currency" };
  if (digits === "ambiguous") return { ok: false, reason: "rate_ambiguous" };
  const micro = microOf(digits, amount.power);
  return micro > MAX_RATE ? { ok: false, reason: "rate_high" } : { ok: true, rate: Number(micro) };
}

function isOurs(sign: string): boolean {
  return sign === "" || OUR_SIGNS.has(sign.toUpperCase().replace(/\.$/, ""));
}

type Digits = { whole: string; fraction: string; mark: "." | "," | null; group: "." | null };

/** Returns the digits before and after the decimal mark, or null if the text isn't a number. Without `marks`, every doubtful mark is ambiguous. */
function readDigits(number: string, marks: DecimalMarks | null): Digits | "ambiguous" | null {
  const grouped = /^\d{1,3}(?:[\s'\u2019]\d{3})+(?=[.,]|$)/.exec(number)?.[0];
  const text = grouped ? number.replace(grouped, grouped.replaceAll(/\D/g, "")) : number;
  if (!/^[\d.,]+$/.test(text)) return null;
  const dots = text.split(".").length - 1;
  const commas = text.split(",").length - 1;
  if (dots + commas === 0) return { whole: text, fraction: "", mark: null, group: null };
  if (dots > 0 && commas > 0) return bothMarks(text);
  if (dots + commas > 1) {
    if (!/^\d{1,3}(?:[.,]\d{3})+$/.test(text)) return null;
    return { whole: text.replaceAll(/\D/g, ""), fraction: "", mark: null, group: dots > 0 ? "." : null };
  }
  const mark = dots > 0 ? "." : ",";
  const [whole = "", fraction = ""] = text.split(mark);
  const canBeGroup = fraction.length === 3 && /^[1-9]\d{0,2}$/.test(whole) && !grouped;
  const isDecimal = mark === "." && marks?.dot === true && !marks.comma;
  return canBeGroup && !isDecimal ? "ambiguous" : { whole, fraction, mark, group: null };
}

/** The last mark is the decimal one: "1,250.00", "1.250,00". */
function bothMarks(text: string): Digits | null {
  const [, whole = "", mark, fraction = ""] = /^(\d{1,3}(?:,\d{3})+)(\.)(\d+)$/.exec(text) ??
    /^(\d{1,3}(?:\.\d{3})+)(,)(\d+)$/.exec(text) ?? [undefined, ""];
  if (mark !== "." && mark !== ",") return null;
  return { whole: whole.replaceAll(/\D/g, ""), fraction, mark, group: mark === "," ? "." : null };
}

/** Returns micro-units, rounded up. */
function microOf({ whole, fraction }: Digits, power: number): bigint {
  const all = (whole + fraction).replace(/^0+/, "");
  const excess = all.length >= CERTAIN_DIGITS ? all.length - KEPT_DIGITS : 0;
  const rounding = excess > 0 ? 5n * 10n ** BigInt(excess - 1) : 0n;
  const digits = (BigInt(all || "0") + rounding) / 10n ** BigInt(excess);
  const places = MICRO_PLACES + power - fraction.length + excess;
  const unit = 10n ** BigInt(Math.abs(places));
  return places >= 0 ? digits * unit : (digits + unit - 1n) / unit;
}
