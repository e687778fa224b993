import { DAY_MS } from "#app/time.ts";

/** What was promised about refills of an order. */
export type RefillTerms = {
  /** Whether its service offers refills now. */
  refill: boolean;
  /** The service's refill days when the order was placed. */
  refillDays: number | null;
  /** Set when the order ended. */
  refillUntil: number | null;
};

/** Returns from when on an order that ended now can't be refilled, or null if no days were promised. */
export function refillDeadline(refillDays: number | null, endedAt: number): number | null {
  return refillDays === null ? null : endedAt + refillDays * DAY_MS;
}

/**
 * Returns whether a delivered order may be refilled. Days that were promised count to their end, whatever became of the
 * service; without any, the service decides.
 */
export function refillState(
  { refill, refillDays, refillUntil }: RefillTerms,
  now: number,
): "offered" | "expired" | "none" {
  if (refillUntil !== null) return now < refillUntil ? "offered" : "expired";
  return refill || refillDays !== null ? "offered" : "none";
}

const MAX_STATED_DAYS = 365;
const UNIT = String.raw`[\s-]*(?:days?|d)\b`;
const WORD = "(?:refill|guarantee|guaranteed|warranty)";
const STATED = [
  // "30 days refill", "365-day auto refill"
  new RegExp(String.raw`\b(\d{1,4})${UNIT}[\s-]*(?:auto(?:matic)?[\s-]*)?${WORD}\b`, "gi"),
  // "Refill: 30 days", "refilled for 30 days"
  new RegExp(String.raw`\b${WORD}(?:ed)?(?:\s+(?:period|for|within|button))*[\s:-]*(\d{1,4})${UNIT}`, "gi"),
  // "R30"
  /(?<![\w#])R(\d{1,3})\b(?!\s*%)/g,
];

/** Returns the refill days that a service's texts name plainly, or null if they name none or several. */
export function statedRefillDays(text: string): number | null {
  if (/\b(?:no|non|without|not?)[\s-]+refill/i.test(text)) return null;
  const stated = new Set(STATED.flatMap((pattern) => [...text.matchAll(pattern)].map(([, days]) => Number(days))));
  const [days = 0] = stated;
  return stated.size === 1 && days >= 1 && days <= MAX_STATED_DAYS ? days : null;
}
