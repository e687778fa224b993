import { CURRENCY, MICRO } from "#app/product.ts";

/** How a reader writes figures. */
export type Formats = {
  /** BCP 47. */
  locale: string;
  /** "$4.50", "$0.00018": at least two decimals and as many as it needs. */
  money(micro: number): string;
  /** "$25": without decimals where there are none. */
  roundMoney(micro: number): string;
  /** "1,000". */
  number(count: number): string;
};

/** A format takes tens of milliseconds of a phone's time to make: each is made when it is first used. */
export function formatsOf(locale: string): Formats {
  const money = onceAsked(() => moneyFormat(locale, 2));
  const round = onceAsked(() => moneyFormat(locale, 0));
  const number = onceAsked(() => new Intl.NumberFormat(locale));
  return {
    locale,
    money: (micro) => money().format(micro / MICRO),
    roundMoney: (micro) => round().format(micro / MICRO),
    number: (count) => number().format(count),
  };
}

function onceAsked<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

function moneyFormat(locale: string, least: number): Intl.NumberFormat {
  const decimals = { minimumFractionDigits: least, maximumFractionDigits: 6 };
  return new Intl.NumberFormat(locale, { style: "currency", currency: CURRENCY, ...decimals });
}
