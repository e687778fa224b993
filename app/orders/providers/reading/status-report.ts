import { cutText } from "#app/cut-text.ts";
import type { Order, OrderStatus } from "#app/db/schema.server.ts";
import { isPerOrder } from "#app/orders/rules/order-input.ts";
import { leavesNothing } from "#app/orders/rules/order-status.ts";
import { ownValue } from "#app/own-value.ts";
import { countOf, currencyIn, parseAmount, readCount } from "./answer-numbers.ts";
import { isRecord, type Members, memberOf } from "./members.ts";
import { type Reader, wordKey } from "./reader.ts";

/** What a provider says of one of our orders. */
export type Report = {
  kind: "report";
  status: OrderStatus;
  /** Pieces that are not delivered yet. Null: it does not say, or not for certain. */
  remains: number | null;
  /** It counts below zero: more was delivered than ordered. Then `remains` is 0. */
  isOverdelivered: boolean;
  /** It says what remains, and not in a number that means one thing. */
  isUnclear: boolean;
  startCount: number | null;
  /** The provider's charge for the order, in micro-units of its currency, or null if it does not say. */
  charge: number | null;
  /** The provider's spelling. Empty if it does not say. */
  currency: string;
  /** Orders that a subscription made for posts, or a drip-feed for runs. Null if it lists none. */
  usedPosts: number | null;
  /** The report has members of a subscription or drip-feed: a list of orders, posts or runs. */
  isInParts: boolean;
};

/** Returns the status that a word means: what staff taught, or else the convention's. Null for an unknown word. */
export function statusOf(word: string, { convention, words }: Reader): OrderStatus | null {
  const key = wordKey(word);
  return ownValue(words.states, key) ?? ownValue(convention.states, key) ?? null;
}

/** Reads the numbers of a report whose status is known. */
export function reportOf(status: OrderStatus, members: Members, { convention }: Reader): Report {
  const names = convention.members;
  const charge = memberOf(members, names.charge);
  const currency = memberOf(members, names.currency);
  const said = memberOf(members, names.remains);
  const remains = readCount(said);
  const counted = remains.kind === "count" ? remains.count : remains.kind === "over" ? 0 : null;
  const subOrders = names.subOrders
    .map((name) => members.get(name))
    .find((one) => typeof one === "object" && one !== null);
  return {
    kind: "report",
    status,
    // Panels write 0 as long as they haven't counted.
    remains: status === "Pending" && counted === 0 ? null : counted,
    isOverdelivered: remains.kind === "over",
    isUnclear: said !== undefined && (remains.kind === "unclear" || remains.kind === "none"),
    startCount: countOf(memberOf(members, names.startCount)),
    charge: nonNegative(parseAmount(charge)),
    currency: typeof currency === "string" ? cutText(currency.trim(), 10) : currencyIn(charge),
    usedPosts: Array.isArray(subOrders) ? subOrders.length : isRecord(subOrders) ? Object.keys(subOrders).length : null,
    isInParts: subOrders !== undefined || names.parts.some((name) => members.get(name) !== undefined),
  };
}

function nonNegative(amount: number | null): number | null {
  return amount === null || amount < 0 ? null : amount;
}

type Ordered = Pick<Order, "quantity" | "runs" | "type" | "intervalMinutes">;

/**
 * Returns how much of an order that its provider ended is certainly not delivered, in pieces, or null if that isn't certain:
 * then a person decides about the refund. Members of one type of order never decide about another type:
 *
 * - Completed: nothing.
 * - Canceled with nothing remaining, or more than was ordered: all, if it cost nothing, since panels report an order that
 *   never began so. Otherwise not certain.
 * - A subscription: the posts that it did not see, as its list of orders says. Without the list, all of it if it was
 *   canceled with all of its pieces remaining.
 * - A drip-feed: what remains, unless the report lists orders or runs, since it may count one run then.
 * - Partial with nothing remaining: not certain, since panels write 0 where they don't know. Below zero, it is nothing.
 * - A package: not certain if anything remains, since it may count the package's pieces.
 * - Any other order: what remains. Not certain where that is more than was ordered.
 */
export function undeliveredOf(order: Ordered, report: Report): number | null {
  const { status, remains, usedPosts, isInParts, isOverdelivered } = report;
  if (leavesNothing(status)) return 0;
  const total = order.quantity * order.runs;
  if (order.type === "Subscriptions" && usedPosts !== null) {
    return Math.max(0, order.runs - usedPosts) * order.quantity;
  }
  if (status === "Canceled" && (!remains || remains > total)) return isUntouched(order, report) ? total : null;
  if (order.type === "Subscriptions") return status === "Canceled" && remains === total ? total : null;
  if (remains === null || remains > total) return null;
  if (isInParts && isDripFeed(order)) return null;
  if (status === "Partial" && remains === 0) return isOverdelivered ? 0 : null;
  return isPerOrder(order.type) && status === "Partial" ? null : remains;
}

/** Returns whether a canceled order cost nothing, and nothing else in its report says that some of it was delivered. */
function isUntouched(order: Ordered, { charge, usedPosts, isOverdelivered, isUnclear }: Report): boolean {
  const hasParts = (order.type === "Subscriptions" || isDripFeed(order)) && usedPosts !== null && usedPosts > 0;
  return charge === 0 && !hasParts && !isOverdelivered && !isUnclear;
}

function isDripFeed({ type, runs, intervalMinutes }: Ordered): boolean {
  return type !== "Subscriptions" && (intervalMinutes !== null || runs > 1);
}
