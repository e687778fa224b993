/**
 * Why a provider takes no order at the moment. `link`: it has another order for this link, and takes those for others.
 * `busy`: it has to be asked again later. `key` and `funds`: it refuses every order until its settings or our balance
 * there are corrected.
 */
export type DeferralCause = "link" | "busy" | "key" | "funds";

/** The subject of an error: the order itself, or all orders for now. */
type ErrorMeaning = "order" | DeferralCause;

/**
 * Errors as panels write them, the first match counts. The convention has no error codes; these are the texts of its
 * common implementations, with their variants in spelling.
 */
const MEANINGS: [ErrorMeaning, RegExp][] = [
  ["funds", /\b(not enough|insufficient|low|no)\b.{0,20}\b(funds?|balance|money|credits?)\b/],
  ["key", /\b(api )?key\b|\bunauthori[sz]ed\b|\baccess denied\b|\bforbidden\b/],
  ["key", /\byour (account|user|profile|ip)\b.{0,30}\b(suspended|blocked|banned|disabled|inactive)\b/],
  [
    "key",
    /\byour (account|user|profile|ip)\b.{0,30}\bnot (active|activated|verified|approved|allowed|authori[sz]ed)\b/,
  ],
  ["link", /\bactive order\b|\blink duplicate\b/],
  ["busy", /\btoo (many|fast|frequent)|\brate.?limit|\blimit (exceeded|reached)\b|\btry (again|later)\b/],
  ["busy", /\bmaintenance\b|\btemporar|\bwait\b|\boverload|\bbusy\b/],
  ["order", /\b(link|url|username|profile|page|post|media|channel|hashtags?|video|group)\b/],
  ["order", /\baccount\b.{0,30}\b(private|not found|not exist|doesn't exist|closed)\b/],
  ["order", /\b(quantity|minim(al|um)|maxim(al|um)|min|max)\b/],
  ["order", /\b(service|package|comments?|keywords?|runs?|interval|drip.?feed|country|answer)\b/],
];

/** Returns what an error is about, or null if the text is not known. */
export function meaningOfError(error: string): ErrorMeaning | null {
  const text = error
    .toLowerCase()
    // The customer's link, in which any of the words may stand.
    .replaceAll(/\bhttps?:\S+/g, " ")
    .replaceAll(/[._]/g, " ");
  return MEANINGS.find(([, pattern]) => pattern.test(text))?.[0] ?? null;
}

/** Returns whether the error is about all orders for now. */
export function isDeferral(meaning: ErrorMeaning | null): boolean {
  return meaning !== null && meaning !== "order";
}

/** Returns the cause that an HTTP status states, whatever the body is. The provider took no order then. */
export function deferralOfStatus(httpStatus: number | null): DeferralCause | null {
  switch (httpStatus) {
    case 429:
      return "busy";
    case 401:
      return "key";
    case 402:
      return "funds";
    default:
      return null;
  }
}
