import type { QuarantineReason, services } from "#app/db/schema.server.ts";
import { sellsBelowCost, WHOLE } from "#app/orders/rules/margin.ts";
import { MAX_REFILL_DAYS } from "#app/product.ts";

/**
 * The rules for saving a service, wherever the change comes from, and the words of each refusal. A new refusal is a line in
 * REFUSALS and a line in `guard`; pages, cells, bulk changes, imports, quarantine and undo follow.
 */

type Service = typeof services.$inferSelect;

/** A service as it is judged, as far as it is known where it is changed. Rates in micro-units. */
export type JudgedService = Partial<Omit<Service, "id" | "version">> & {
  rate: number;
  enabled: boolean;
  /** The current or coming cost: also a higher rate that the provider offers while that waits for a decision. */
  providerRate: number | null;
  /** A change of the provider's catalog is decided before it goes on sale. */
  isBlocked?: boolean;
  /** False: the provider's catalog lacks it. */
  isListed?: boolean;
};

type Bounded = Partial<Pick<JudgedService, "rate" | "min" | "max" | "refillDays" | "providerId" | "providerServiceId">>;

/** What was agreed to. */
export type Agreed = {
  /** A person agreed to sell below cost. */
  toLoss?: boolean;
  /**
   * The provider's limit, for a change that nobody has seen: how far a night may move a rate from what was last decided, in
   * basis points. Without it, a person has seen the new terms and decides on them.
   */
  within?: number;
};

/** The highest rate that a form takes: nine digits before the point. Micro-units. */
export const MAX_RATE = 999_999_999_999_999;
export const MOST_CHARACTERS = { network: 60, category: 200, name: 300, description: 2000 };
/** Five times as much, or a fifth: another currency, another unit or a slip, rather than another price. */
const JUMP = 5;

/** The refusals of a value for what the service's other values are, with the field of the form that shows them. */
const BOUNDS = {
  too_high: { field: "rate", why: "the rate would be above the highest allowed", next: "Choose a lower one." },
  min_too_low: { field: "min", why: "the minimum must be at least 1", next: "Raise it." },
  max_below_min: { field: "max", why: "the maximum must be at least the minimum", next: "Change one of the two." },
  refill_days: {
    field: "refillDays",
    why: `refill days must be 1 to ${MAX_REFILL_DAYS}, or empty`,
    next: "Change them.",
  },
  half_forwarded: {
    field: "providerServiceId",
    why: "a provider and its service ID only go together",
    next: "Set both, or leave both empty.",
  },
} as const;

/** Each refusal as a clause, and what to do about it. */
export const REFUSALS = {
  ...BOUNDS,
  not_found: { why: "this service is gone", next: "Reload the page." },
  stale: { why: "this changed since you saw it, so nothing was saved", next: "Check how it is now." },
  provider_service_taken: { why: "another service already uses this provider service", next: "Choose another one." },
  unknown_provider: { why: "this provider is gone", next: "Choose another one." },
  waits: { why: "its provider's change waits for a decision in quarantine", next: "Decide it there first." },
  below_cost: { why: "this would sell below cost", next: "Tick the box to agree to that, or change it." },
} as const;
export type Refusal = keyof typeof REFUSALS;
type Bound = keyof typeof BOUNDS;

/** Why a provider's change waits for a person instead of being applied by a night, as staff read it. */
export const WAITING_REASONS: Record<QuarantineReason, { title: string; note: string }> = {
  jump: {
    title: "Implausible price",
    note: "Five times the price or more, or a fifth or less: a slip, another unit or another currency rather than a new price.",
  },
  below_cost: {
    title: "Costs more than our rate",
    note: "The provider asks more than the rate you set. Each order would lose money, so the service is paused.",
  },
  rise: {
    title: "Rises too far",
    note: "Since a person last decided, the price has risen by more than this provider's limit.",
  },
  drop: {
    title: "Falls too far",
    note: "Since a person last decided, our rate would fall by more than this provider's limit.",
  },
  type: {
    title: "Another type",
    note: "The provider takes other details for an order, or charges per order instead of per 1,000.",
  },
  limits: { title: "Narrower limits", note: "The provider refuses orders that our limits allow." },
  gone: { title: "Gone", note: "The provider no longer lists the service." },
};

/** Returns a refusal as a message: why, and what to do. */
export function refusalText(refusal: Refusal): string {
  return `${refusalSentence(refusal)}. ${REFUSALS[refusal].next}`;
}

/** Returns why, as the error of a field. */
export function refusalSentence(refusal: Refusal): string {
  const { why } = REFUSALS[refusal];
  return why.charAt(0).toUpperCase() + why.slice(1);
}

/**
 * Returns why a service may not be saved, or null. `before` is null for a new one. What nobody has seen is refused with the
 * reason why it waits for a person.
 */
export function guard(
  before: JudgedService | null,
  after: JudgedService,
  agreed: Agreed & { within: number },
): QuarantineReason | null;
export function guard(before: JudgedService | null, after: JudgedService, agreed: Agreed): Refusal | null;
export function guard(
  before: JudgedService | null,
  after: JudgedService,
  { toLoss = false, within }: Agreed,
): Refusal | QuarantineReason | null {
  if (within !== undefined) return before && reasonToWait(before, after, within);
  // What is beyond a bound already can be changed in other ways.
  const known = before ? brokenBounds(before) : [];
  const bound = brokenBounds(after).find((broken) => !known.includes(broken));
  if (bound) return bound;
  if (after.isBlocked && after.enabled && !before?.enabled) return "waits";
  // A service that already sells below cost can be changed in other ways without being asked about it.
  const isPriced = (["rate", "enabled", "providerRate"] as const).some((name) => before?.[name] !== after[name]);
  return isPriced && sellsBelowCost(after) && !toLoss ? "below_cost" : null;
}

/** Returns the bounds that terms are beyond, for all errors of a form at once. */
export function brokenBounds(terms: Bounded): Bound[] {
  const { rate = 0, min = 1, max = min, refillDays = null, providerId = null, providerServiceId = null } = terms;
  const broken: Record<Bound, boolean> = {
    too_high: rate > MAX_RATE,
    min_too_low: min < 1,
    max_below_min: max < min,
    refill_days: refillDays !== null && (refillDays < 1 || refillDays > MAX_REFILL_DAYS),
    half_forwarded: (providerId === null) !== (providerServiceId === null),
  };
  return (Object.keys(broken) as Bound[]).filter((bound) => broken[bound]);
}

export function fieldOfBound(bound: Bound): string {
  return BOUNDS[bound].field;
}

/** Returns why a night may not apply what a provider offers. */
function reasonToWait(before: JudgedService, after: JudgedService, within: number): QuarantineReason | null {
  if (after.enabled && after.isListed === false) return "gone";
  const cost = after.providerRate;
  if (cost !== null && cost !== before.providerRate) {
    const from = before.decidedCost ?? before.providerRate;
    if (from !== null && isJump(from, cost)) return "jump";
    if (sellsBelowCost(after)) return "below_cost";
    if (from !== null && cost > from && movedMoreThan(from, cost, within)) return "rise";
    const rateFrom = before.decidedRate ?? before.rate;
    if (after.rate !== before.rate && movedMoreThan(rateFrom, after.rate, within)) {
      return after.rate > rateFrom ? "rise" : "drop";
    }
  }
  if (!after.enabled) return null;
  if (after.type !== before.type) return "type";
  const [min = 0, max = 0, ourMin = 0, ourMax = 0] = [after.min, after.max, before.min, before.max];
  // An order within our limits would be refused there. Wider limits refuse none.
  return min > ourMin || max < ourMax ? "limits" : null;
}

function isJump(from: number, to: number): boolean {
  return to >= from * JUMP || to * JUMP <= from;
}

/** Returns whether a value differs from another by more than a part of it, in basis points. From 0, any change counts. */
function movedMoreThan(from: number, to: number, part: number): boolean {
  return BigInt(Math.abs(to - from)) * BigInt(WHOLE) > BigInt(from) * BigInt(part);
}
