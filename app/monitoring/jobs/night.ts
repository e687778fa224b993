/** When the nightly jobs start, UTC: the cron trigger of wrangler.toml. */
export const NIGHT = { hour: 3, minute: 17 };

/** "03:17 UTC" */
export const NIGHT_TEXT = `${String(NIGHT.hour).padStart(2, "0")}:${NIGHT.minute} UTC`;
