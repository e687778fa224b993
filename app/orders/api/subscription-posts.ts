import type { Order, OrderStatus } from "#app/db/schema.server.ts";
import { isByPosts } from "#app/orders/rules/order-input.ts";
import { isFinal } from "#app/orders/rules/order-status.ts";
import { MAX_INT32 } from "#app/product.ts";

// A subscription as the panel convention describes it: a status of its own, and a sub-order for each post. We store none of
// the sub-orders: what a post got follows from the pieces that the whole order has left.

/** Statuses of a subscription. The convention also has Paused, which our orders never are. */
export const SUBSCRIPTION_STATUSES = ["Active", "Completed", "Expired", "Canceled"] as const;
export type SubscriptionStatus = (typeof SUBSCRIPTION_STATUSES)[number];

type Terms = Pick<Order, "id" | "type" | "quantity" | "runs">;
type State = Pick<Order, "status" | "remains">;

export function isSubscription({ type }: Pick<Order, "type">): boolean {
  return isByPosts(type);
}

/**
 * Returns a subscription's status in the convention's words. Panels refund all of a Canceled one and the missing posts of an
 * Expired one, so one that ended early is Canceled only if no post got anything.
 */
export function subscriptionStatus(order: Terms, state: State): SubscriptionStatus {
  if (!isFinal(state.status)) return "Active";
  if (state.status === "Completed") return "Completed";
  return state.status === "Canceled" && deliveredOf(order, state) === 0 ? "Canceled" : "Expired";
}

/** Returns how many posts got an order so far. Posts are served one after the other. */
export function servedPosts(order: Terms, state: State): number {
  return Math.ceil(deliveredOf(order, state) / order.quantity);
}

/** Describes the sub-order of one post, counted from 1. `charge` in micro-units. */
export function subOrder(
  order: Terms & Pick<Order, "charge" | "refunded">,
  state: State,
  post: number,
): { status: OrderStatus; remains: number; charge: number } {
  const { quantity, runs } = order;
  const delivered = deliveredOf(order, state);
  const ended = isFinal(state.status);
  const own = Math.min(Math.max(delivered - (post - 1) * quantity, 0), quantity);
  // The charge after refunds is spread over the delivered pieces, so the sub-orders add up to it.
  const chargedFor = ended ? delivered : quantity * runs;
  const chargeUpTo = (posts: number) =>
    chargedFor === 0 ? 0 : share(order.charge - order.refunded, Math.min(posts * quantity, chargedFor), chargedFor);
  return {
    status:
      own === quantity ? "Completed" : ended ? (own > 0 ? "Partial" : "Canceled") : own > 0 ? "In progress" : "Pending",
    remains: quantity - own,
    charge: chargeUpTo(post) - chargeUpTo(post - 1),
  };
}

function deliveredOf({ quantity, runs }: Terms, { remains }: State): number {
  return Math.max(0, quantity * runs - remains);
}

function share(amount: number, part: number, whole: number): number {
  return Number((BigInt(amount) * BigInt(part)) / BigInt(whole));
}

/** Panels keep ids in 32-bit columns, and a database holds fewer than 30 million orders: each gets this many such ids. */
const SHORT_POSTS = 64;
const FIRST_SHORT_ID = 100_000_000;
/** A subscription may have this many posts. Those with more than have short ids get longer ones. */
const LONG_POSTS = 1000;
const FIRST_LONG_ID = 10_000_000_000;

/** Returns the id of a post's sub-order, which never changes. */
export function subOrderId({ id, runs }: Pick<Terms, "id" | "runs">, post: number): number {
  const short = FIRST_SHORT_ID + id * SHORT_POSTS;
  const isShort = runs <= SHORT_POSTS && short + SHORT_POSTS <= MAX_INT32;
  return (isShort ? short : FIRST_LONG_ID + id * LONG_POSTS) + post - 1;
}

/** Returns the order and the post that an id names if it is a sub-order's. The order may have no such post, see `isPostOf`. */
export function parseSubOrderId(text: string): { orderId: number; post: number; id: number } | null {
  const id = /^\d{9,13}$/.test(text) ? Number(text) : 0;
  if (id < FIRST_SHORT_ID) return null;
  const [first, posts] = id < FIRST_LONG_ID ? [FIRST_SHORT_ID, SHORT_POSTS] : [FIRST_LONG_ID, LONG_POSTS];
  return { orderId: Math.floor((id - first) / posts), post: ((id - first) % posts) + 1, id };
}

/** Returns whether a parsed id is the one of a post of this order. */
export function isPostOf(order: Terms, { post, id }: { post: number; id: number }): boolean {
  return isSubscription(order) && post <= order.runs && subOrderId(order, post) === id;
}
