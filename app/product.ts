/** The name customers see. An operator who rebrands changes this and `name` in `wrangler.toml`. */
export const PRODUCT_NAME = "Growline";

/** ISO 4217. Every amount in the database is in millionths of it. */
export const CURRENCY = "USD";
