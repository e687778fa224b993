/** The cron triggers of wrangler.toml. */
export const EVERY_MINUTE = "* * * * *";
export const NIGHTLY = "17 3 * * *";
