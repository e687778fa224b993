/** The name customers see. An operator who rebrands changes this and `name` in `wrangler.toml`. */
export const PRODUCT_NAME = "Growline";

/** ISO 4217. */
export const CURRENCY = "USD";

/** Amounts are integer micro-units: 1,000,000 to one unit of the currency. */
export const MICRO = 1_000_000;

/** Formats an amount for the API and for exports: "100.84292", with the decimals it needs, at least `least`, and no grouping. */
export function decimal(micro: number, least = 0): string {
  const sign = micro < 0 ? "-" : "";
  const digits = Math.abs(micro).toString().padStart(7, "0");
  const fraction = digits.slice(-6).replace(/0+$/, "").padEnd(least, "0");
  return sign + digits.slice(0, -6) + (fraction ? `.${fraction}` : "");
}

/** Numbers and ids are stored and sent to providers as 32-bit integers. */
export const MAX_INT32 = 2_147_483_647;

/** Ten years. */
export const MAX_REFILL_DAYS = 3650;

/** The cookie of a message for the next page: written by `app/http/cookies.ts`, read by `app/components/toast`. */
export const FLASH_COOKIE = "growline_flash";

/** In basis points. Nothing is sold for less than a tenth of its price by a slip of a key. */
export const MAX_DISCOUNT = 9000;
