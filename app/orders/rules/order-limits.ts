/** Limits of what a customer may submit for an order, whichever way it comes in. */
export const MAX_LINK_CHARACTERS = 2000;
export const MAX_TEXT_CHARACTERS = 500;
/** A whole list, its line breaks included. */
export const MAX_LIST_CHARACTERS = 200_000;
/** Runs of a drip-feed, or posts of a subscription. */
export const MAX_RUNS = 1000;
/**
 * New posts that a subscription covers if it names none. The panel convention means "without limit" by that, but a
 * subscription is paid in advance.
 */
export const OPEN_ENDED_POSTS = 30;
export const MAX_INTERVAL_MINUTES = 30 * 24 * 60;
