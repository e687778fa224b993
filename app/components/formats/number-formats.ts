import { CURRENCY, MICRO } from "#app/product.ts";

/** The number formats of one locale. Amounts are in micro-units. */
export type Formats = {
  /** BCP 47. */
  locale: string;
  /** "$237.71": rounded to cents. An amount below one cent keeps the digits it needs: "$0.00018". */
  money(micro: number): string;
  /** "$237.71429": cents, and more digits if needed. For rates, and wherever the exact amount matters. */
  exactMoney(micro: number): string;
  /** "$25": without cents if they are zero. */
  roundMoney(micro: number): string;
  /** "1,000". */
  number(count: number): string;
};

const CENT = MICRO / 100;
const MAX_LOCALES = 50;

const known = new Map<string, Formats>();

/** Returns a locale's formats, the same ones for every page that a server renders. */
export function formatsOf(locale: string): Formats {
  const formats = known.get(locale) ?? createFormats(locale);
  if (known.size >= MAX_LOCALES) known.clear();
  known.set(locale, formats);
  return formats;
}

/** Creating an `Intl` format takes a phone tens of milliseconds, so each is created on first use. */
function createFormats(locale: string): Formats {
  const cents = lazily(() => moneyFormat(locale, 2, 2));
  const exact = lazily(() => moneyFormat(locale, 2, 6));
  const round = lazily(() => moneyFormat(locale, 0, 6));
  const number = lazily(() => new Intl.NumberFormat(locale));
  return {
    locale,
    money: (micro) => (Math.abs(micro) < CENT && micro !== 0 ? exact() : cents()).format(micro / MICRO),
    exactMoney: (micro) => exact().format(micro / MICRO),
    roundMoney: (micro) => round().format(micro / MICRO),
    number: (count) => number().format(count),
  };
}

function lazily<T>(create: () => T): () => T {
  let created: T | undefined;
  return () => {
    created ??= create();
    return created;
  };
}

function moneyFormat(locale: string, minDigits: number, maxDigits: number): Intl.NumberFormat {
  const digits = { minimumFractionDigits: minDigits, maximumFractionDigits: maxDigits };
  return new Intl.NumberFormat(locale, { style: "currency", currency: CURRENCY, ...digits });
}
