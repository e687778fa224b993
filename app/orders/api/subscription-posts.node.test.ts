import { expect, test } from "vitest";
import type { OrderStatus } from "#app/db/schema.server.ts";
import { refundFor } from "#app/orders/rules/charge-and-refund.ts";
import { isFinal } from "#app/orders/rules/order-status.ts";
import { MAX_INT32 } from "#app/product.ts";
import {
  isPostOf,
  parseSubOrderId,
  servedPosts,
  subOrder,
  subOrderId,
  subscriptionStatus,
} from "./subscription-posts.ts";

const SUBSCRIPTION = { id: 7, type: "Subscriptions", quantity: 100, runs: 5 } as const;
const CHARGE = 450_007;

function stateOf(status: OrderStatus, remains: number) {
  const total = SUBSCRIPTION.quantity * SUBSCRIPTION.runs;
  const refunded = isFinal(status) ? refundFor({ charge: CHARGE, refunded: 0, remains, total }) : 0;
  return { order: { ...SUBSCRIPTION, charge: CHARGE, refunded }, state: { status, remains } };
}

test.each([
  ["Pending", 500, "Active", 0],
  ["Processing", 500, "Active", 0],
  ["In progress", 300, "Active", 2],
  ["Completed", 0, "Completed", 5],
  ["Partial", 300, "Expired", 2],
  ["Partial", 500, "Expired", 0],
  ["Canceled", 500, "Canceled", 0],
  // A panel refunds all of a canceled subscription, and we keep the charge of what was delivered.
  ["Canceled", 120, "Expired", 4],
] as const)("calls an order that is %s with %d left %s, with %d posts", (status, remains, word, posts) => {
  const { order, state } = stateOf(status, remains);
  expect(subscriptionStatus(order, state)).toBe(word);
  expect(servedPosts(order, state)).toBe(posts);
});

test("charges the posts of an ended subscription what was not refunded, to the micro-unit", () => {
  for (const [status, remains] of [
    ["Completed", 0],
    ["Partial", 120],
    ["Partial", 499],
    ["Canceled", 333],
    ["Canceled", 500],
  ] as const) {
    const { order, state } = stateOf(status, remains);
    const posts = postsOf(order, state);
    expect(
      posts.reduce((sum, { charge }) => sum + charge, 0),
      status,
    ).toBe(order.charge - order.refunded);
    expect(
      posts.reduce((sum, one) => sum + 100 - one.remains, 0),
      status,
    ).toBe(500 - remains);
  }
});

test("lets a panel that refunds missing posts and the rest of a partial one refund its customer what it got from us", () => {
  for (const status of ["Completed", "Partial", "Canceled"] as const) {
    for (let remains = 0; remains <= 500; remains += 7) {
      const { order, state } = stateOf(status, status === "Completed" ? 0 : remains);
      const word = subscriptionStatus(order, state);
      const posts = postsOf(order, state);
      const missing = word === "Expired" ? 5 - posts.length : word === "Canceled" ? 5 : 0;
      const refunded =
        missing * 100 + posts.reduce((sum, one) => sum + (one.status === "Partial" ? one.remains : 0), 0);
      expect(refunded, `${status} ${remains}`).toBe(state.remains);
    }
  }
});

test("says of each post what it has, also of one that got nothing after all", () => {
  const { order, state } = stateOf("In progress", 350);
  const at = (post: number) => subOrder(order, state, post);
  expect(at(1)).toEqual({ status: "Completed", remains: 0, charge: 90_001 });
  expect(at(2)).toEqual({ status: "In progress", remains: 50, charge: 90_001 });
  expect(at(3)).toMatchObject({ status: "Pending", remains: 100 });
  const ended = stateOf("Partial", 350);
  expect(subOrder(ended.order, ended.state, 2)).toMatchObject({ status: "Partial", remains: 50 });
  expect(subOrder(ended.order, ended.state, 3)).toEqual({ status: "Canceled", remains: 100, charge: 0 });
});

test("gives each post an id that names it alone, in 32 bits for all but the longest", () => {
  const seen = new Set<number>();
  for (const id of [1, 2, 63, 64, 1000, 999_999, 31_000_000]) {
    for (const runs of [1, 64, 65, 1000]) {
      const order = { ...SUBSCRIPTION, id, runs };
      for (const post of [1, 2, runs]) {
        if (post > runs) continue;
        const own = subOrderId(order, post);
        if (runs <= 64) expect(own).toBeLessThanOrEqual(MAX_INT32);
        const parsed = parseSubOrderId(String(own));
        expect(parsed).toEqual({ orderId: id, post, id: own });
        expect(parsed && isPostOf(order, parsed)).toBe(true);
        // The same post of a longer subscription has the id of the other kind.
        expect(parsed && isPostOf({ ...order, runs: runs <= 64 ? 65 : 64 }, parsed)).toBe(false);
        seen.add(own);
      }
    }
  }
  // Of each order: the posts 1, 2 and 64 by short ids, and 1, 2, 65 and 1000 by long ones.
  expect(seen.size).toBe(7 * 7);
  // Short ids end with 32 bits.
  expect(subOrderId({ ...SUBSCRIPTION, id: 40_000_000 }, 1)).toBeGreaterThan(MAX_INT32);
  for (const text of ["", "x", "5", "99999999", " 100000448", "1e9", "100000448.0", "9".repeat(14)]) {
    expect(parseSubOrderId(text), text).toBeNull();
  }
});

test("knows no post of an order that is no subscription, and none behind the last", () => {
  const parsed = parseSubOrderId(String(subOrderId(SUBSCRIPTION, 5)));
  if (!parsed) throw new Error("not parsed");
  expect(isPostOf(SUBSCRIPTION, parsed)).toBe(true);
  expect(isPostOf({ ...SUBSCRIPTION, type: "Default" }, parsed)).toBe(false);
  expect(isPostOf({ ...SUBSCRIPTION, runs: 4 }, parsed)).toBe(false);
});

function postsOf(order: ReturnType<typeof stateOf>["order"], state: { status: OrderStatus; remains: number }) {
  return Array.from({ length: servedPosts(order, state) }, (_, index) => subOrder(order, state, index + 1));
}
