import { MICRO } from "#app/product.ts";
import { DAY_MS, HOUR_MS } from "#app/time.ts";
import type { Random } from "#tests/faults/seeded-random.ts";
import type { ShopService } from "./shop-catalog.ts";

/** Held orders are of the last hours, or of the newest. */
const HELD_WITHIN_MS = 12 * HOUR_MS;

/** An order of the filled shop as its row has it. Amounts are micro-units, times ms. */
export type ShopOrder = {
  id: number;
  customer: number;
  /** The index of the service. */
  service: number;
  quantity: number;
  charge: number;
  cost: number | null;
  refunded: number;
  status: "Pending" | "Completed" | "Partial" | "Canceled";
  remains: number;
  fulfillment: "accepted" | "held" | "manual";
  heldFor: "cut_off" | "unclear_answer" | null;
  createdAt: number;
  /** When it ended, or the last news of an open one. */
  updatedAt: number;
};

/** A change of a balance or of a cost, in the order of time. */
export type ShopEvent = { at: number } & (
  | { kind: "charge" | "refund"; order: ShopOrder; amount: number }
  | { kind: "cost"; order: ShopOrder; amount: number; costed: 0 | 1 }
);

/**
 * Makes orders up to now, more each week, with what each of them moves. A fiftieth of the services get half of the orders,
 * as in a real shop. Orders that take longer than they are old are open; `held` of the newest at providers are held.
 */
export function shopOrders(
  services: ShopService[],
  options: { orders: number; days: number; customers: number; held: number; firstId: number; now: number },
  random: Random,
): { orders: ShopOrder[]; events: ShopEvent[] } {
  const { next, chance, upTo } = random;
  const orders: ShopOrder[] = [];
  const events: ShopEvent[] = [];
  let held = 0;
  const placedAt = Array.from({ length: options.orders }, () => {
    // The square root makes the last days the busiest.
    return options.now - Math.floor((1 - Math.sqrt(next())) * options.days * DAY_MS);
  }).sort((one, other) => one - other);
  for (const [n, createdAt] of placedAt.entries()) {
    const index = chance(0.5) ? (upTo(Math.ceil(services.length / 50)) * 7) % services.length : upTo(services.length);
    const service = services[index];
    if (!service) throw new Error("no such service");
    const quantity = 10 * (1 + Math.floor(500 * next() ** 3));
    const left = options.orders - n;
    const order: ShopOrder = {
      id: options.firstId + n,
      // A tenth of the customers place most of the orders.
      customer: chance(0.7) ? upTo(Math.ceil(options.customers / 10)) : upTo(options.customers),
      service: index,
      quantity,
      charge: Math.ceil((service.rate * quantity) / 1000),
      cost: service.providerRate === null ? null : Math.ceil((service.providerRate * quantity) / 1000),
      refunded: 0,
      status: "Pending",
      remains: quantity,
      fulfillment: service.provider === null ? "manual" : "accepted",
      heldFor: null,
      createdAt,
      updatedAt: createdAt,
    };
    orders.push(order);
    events.push({ at: createdAt, kind: "charge", order, amount: -order.charge });
    const isRecent = options.now - createdAt < HELD_WITHIN_MS;
    const isHeld = left <= 2 * options.held || (isRecent && chance(0.05));
    if (held < options.held && service.provider !== null && isHeld) {
      held += 1;
      order.fulfillment = "held";
      order.heldFor = held % 3 === 0 ? "unclear_answer" : "cut_off";
      order.cost = null;
      continue;
    }
    const acceptedAt = createdAt + 2000 + upTo(60_000);
    if (order.cost !== null && acceptedAt > options.now) order.cost = null;
    if (order.cost !== null) events.push({ at: acceptedAt, kind: "cost", order, amount: order.cost, costed: 1 });
    // Half as long to four times as long as the median, as log-normal times are.
    const tookMs = service.medianMs * Math.exp(0.9 * (next() + next() + next() + next() - 2) * 1.7);
    const endedAt = Math.round(createdAt + 60_000 + tookMs);
    order.updatedAt = Math.min(endedAt, options.now);
    if (endedAt <= options.now) end(order, endedAt, random, events);
  }
  if (held < options.held) throw new Error(`only ${held} orders could be held`);
  // Stable, so that what happens at the same time stays in order.
  events.sort((one, other) => one.at - other.at);
  return { orders, events };
}

function end(order: ShopOrder, at: number, { chance, upTo }: Random, events: ShopEvent[]): void {
  if (chance(0.93)) order.status = "Completed";
  else order.status = chance(0.5) ? "Partial" : "Canceled";
  if (order.status === "Completed") order.remains = 0;
  if (order.status === "Partial") order.remains = 1 + upTo(order.quantity - 1);
  const refund = Math.floor((order.charge * order.remains) / order.quantity);
  if (refund > 0) {
    order.refunded = refund;
    events.push({ at, kind: "refund", order, amount: refund });
  }
  if (order.cost === null || order.remains === 0) return;
  const cost = Math.ceil((order.cost * (order.quantity - order.remains)) / order.quantity);
  events.push({ at, kind: "cost", order, amount: cost - order.cost, costed: 0 });
  order.cost = cost;
}

/** Returns how much a customer tops up when the balance doesn't cover a charge: whole dollars, as people pay. */
export function topUpFor(charge: number, { pick }: Random): number {
  return Math.max(pick([25, 50, 50, 100, 100, 250]), Math.ceil(charge / MICRO)) * MICRO;
}
