/** A count as a provider writes it. `over`: below zero, more was delivered than ordered. `unclear`: it can mean two numbers. */
export type Count = { kind: "count"; count: number } | { kind: "over" } | { kind: "unclear" } | { kind: "none" };

const NONE: Count = { kind: "none" };
/** Blanks and apostrophes between thousands. */
const GAPS = /(?<=\d)[\s'\u00A0\u2009\u202F](?=\d{3}(?!\d))/g;
const PLAIN = /^(\d{1,10})(?:\.0{1,2}|\.0{4,20})?$|^(\d{4,10}),0{1,2}$/;
/** Thousands in groups by one kind of separator, which the decimals don't have. */
const GROUPED = /^(\d{1,3}(?:,\d{3}){1,3})(?:\.0{1,20})?$|^(\d{1,3}(?:\.\d{3}){2,3})(?:,0{1,20})?$/;
/** 1.000 is a thousand in half of the world and one in the other. */
const UNCLEAR = /^[1-9]\d{0,2}\.\d{3}$/;
const ZERO = /^0[.,]0{1,20}$/;

/** Reads a count of pieces, such as 33, "33", "33.0", "1,000" or "1 000.00". Anything but a whole number is no count. */
export function readCount(value: unknown): Count {
  if (typeof value === "number") {
    if (!Number.isSafeInteger(value) || value > 9_999_999_999) return NONE;
    return value < 0 ? { kind: "over" } : { kind: "count", count: value };
  }
  if (typeof value !== "string" || value.length > 40) return NONE;
  const text = value.trim().replaceAll(GAPS, "");
  if (/^-\d{1,10}(?:\.\d{1,10})?$/.test(text))
    return /[1-9]/.test(text) ? { kind: "over" } : { kind: "count", count: 0 };
  if (ZERO.test(text)) return { kind: "count", count: 0 };
  if (UNCLEAR.test(text)) return { kind: "unclear" };
  const thousands = /^\d{4,10}\.000$/.test(text) ? text.slice(0, -4) : undefined;
  const [, dotted, whole] = PLAIN.exec(text) ?? [];
  const plain = thousands ?? dotted ?? whole;
  if (plain !== undefined) return { kind: "count", count: Number(plain) };
  const grouped = GROUPED.exec(text);
  const digits = grouped?.[1] ?? grouped?.[2];
  return digits === undefined ? NONE : { kind: "count", count: Number(digits.replaceAll(/[,.]/g, "")) };
}

/** Returns a count, or null if it isn't one for certain. */
export function countOf(value: unknown): number | null {
  const read = readCount(value);
  return read.kind === "count" ? read.count : null;
}

/** Digits, any decimals and a power of ten, which JSON writes for what is tiny. */
const AMOUNT = /^(-?)(\d{1,10})(?:\.(\d{1,20}))?(?:e([+-]?\d{1,2}))?$/i;
const MICRO_PLACES = 6;

/**
 * Parses an amount to micro-units by its digits, rounded to the nearest: a float would be off by some. Takes a currency
 * beside it, and groups of thousands. Returns null for anything but an amount, and for one that a Number can't hold.
 */
export function parseAmount(value: unknown): number | null {
  const text = typeof value === "number" ? String(value) : typeof value === "string" ? value : "";
  if (text.length > 60) return null;
  const [, sign, whole, fraction = "", power = "0"] = AMOUNT.exec(plainAmount(text)) ?? [];
  if (whole === undefined) return null;
  const digits = BigInt(whole + fraction);
  const places = MICRO_PLACES - fraction.length + Number(power);
  const unit = 10n ** BigInt(Math.abs(places));
  const micro = places >= 0 ? digits * unit : (digits + unit / 2n) / unit;
  if (micro > BigInt(Number.MAX_SAFE_INTEGER)) return null;
  return sign === "-" && micro > 0n ? -Number(micro) : Number(micro);
}

const CURRENCY_BESIDE = /^[$€£₹₺₽₦₫¥৳]\s?|\s?(?:[A-Za-z]{3}|[$€£₹₺₽₦₫¥৳])$/g;

/** Returns an amount without its currency and without separators of thousands. One that can mean two numbers is left. */
function plainAmount(text: string): string {
  const bare = text.trim().replaceAll(CURRENCY_BESIDE, "").replaceAll(GAPS, "");
  if (/^-?\d{1,3}(?:,\d{3}){1,3}\.\d{1,20}$/.test(bare) || /^-?\d{1,3}(?:,\d{3}){2,3}$/.test(bare)) {
    return bare.replaceAll(",", "");
  }
  if (/^-?\d{1,3}(?:\.\d{3}){1,3},\d{1,20}$/.test(bare)) return bare.replaceAll(".", "").replace(",", ".");
  // Decimals behind a comma: thousands would be three digits.
  return /^-?\d{1,10},\d{1,2}$/.test(bare) ? bare.replace(",", ".") : bare;
}

/** Returns the currency that an amount names, as a code or a sign, or an empty text. A dollar sign is taken for none. */
export function currencyIn(value: unknown): string {
  if (typeof value !== "string") return "";
  const text = value.trim().slice(0, 60);
  return /\b([A-Za-z]{3})$/.exec(text)?.[1]?.toUpperCase() ?? /[€£₹₺₽₦₫¥৳]/.exec(text)?.[0] ?? "";
}
