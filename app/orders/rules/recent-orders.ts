import { HOUR_MS } from "#app/time.ts";

/** Age in ms up to which customers watch an order. Its changes at the provider show on an open page within 15 s. */
export const RECENT_MS = HOUR_MS;
/** Between two rounds at a provider that has recent orders, in ms. */
export const RECENT_ROUND_MS = 8000;
/** Between two polls of a page that shows a recent order, at most, in ms. */
export const MAX_RECENT_WAIT_MS = 5000;
