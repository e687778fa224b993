import { NIGHT } from "#app/monitoring/jobs/night.ts";

/** The cron triggers of wrangler.toml. */
export const EVERY_MINUTE = "* * * * *";
export const NIGHTLY = `${NIGHT.minute} ${NIGHT.hour} * * *`;
