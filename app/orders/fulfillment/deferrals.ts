import type { Order } from "#app/db/schema.server.ts";
import {
  type DeferralCause,
  MEANINGS,
  type Meaning,
  meaningRule,
} from "#app/orders/providers/conventions/error-meanings.ts";
import { ownValue } from "#app/own-value.ts";
import { WEEK_MS } from "#app/time.ts";

/** The columns of an order that say why, how often in a row and since when its provider refuses it for the moment. */
export type Deferral = { deferredFor: Meaning; deferrals: number; deferredSince: number };

/** Meanings of refusals that have only an HTTP status and no text. */
const MEANING_OF_CAUSE: Record<DeferralCause, Meaning> = {
  key: "key",
  funds: "funds",
  service: "service_paused",
  active_order: "active_order",
  link: "link_limit",
  busy: "rate_limit",
};

/** Returns an order's columns after one more refusal. Another reason begins anew. */
export function deferralOf(
  before: Pick<Order, "deferredFor" | "deferrals" | "deferredSince">,
  { cause, meaning }: { cause: DeferralCause; meaning: Meaning | null },
  now: number,
): Deferral {
  const deferredFor = meaning ?? MEANING_OF_CAUSE[cause];
  if (before.deferredFor !== deferredFor) return { deferredFor, deferrals: 1, deferredSince: now };
  return { deferredFor, deferrals: before.deferrals + 1, deferredSince: before.deferredSince };
}

/** Limit on an order whose provider keeps changing its reason, counted from when the order was placed. */
const LONGEST_MS = WEEK_MS;

/** Returns whether this was the last refusal: the order is held, and a person decides. */
export function isLastDeferral(
  { deferredFor, deferrals, deferredSince }: Deferral,
  before: Pick<Order, "deferredFor" | "createdAt">,
  now: number,
): boolean {
  const rule = meaningRule(deferredFor);
  if (rule.outcome !== "deferred") return true;
  if (before.deferredFor !== null && now - before.createdAt >= LONGEST_MS) return true;
  return deferrals >= rule.attempts || now - deferredSince >= rule.maxAgeMs;
}

/** Returns why an order's provider refuses it, for staff, or null. */
export function deferralText(deferredFor: string | null): string | null {
  return deferredFor === null ? null : (ownValue(MEANINGS, deferredFor)?.says ?? null);
}
