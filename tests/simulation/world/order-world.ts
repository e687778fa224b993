import type { OrderEvent } from "../scripts/plan-orders.ts";
import type { Handlers } from "./actor.ts";
import type { World } from "./open-world.ts";
import { callPanel, type PlacedOrder, placeOrder } from "./order-customer.ts";
import type { Site } from "./site.ts";

export type OrderWorld = { placed: PlacedOrder[]; handlers: Handlers<OrderEvent> };

/** Customers who place orders and ask for cancellations and refills. */
export function openOrders(site: Site, world: World): OrderWorld {
  const placed: PlacedOrder[] = [];
  const byName = new Map<string, PlacedOrder>();
  return {
    placed,
    handlers: {
      async order(event) {
        const order = await placeOrder(site, world, event);
        placed.push(order);
        byName.set(event.name, order);
      },
      cancel: ({ order }) => cancelOrder(site, world, byName.get(order)),
      refill: ({ order }) => refillOrder(site, world, byName.get(order)),
    },
  };
}

async function cancelOrder(site: Site, world: World, order: PlacedOrder | undefined): Promise<void> {
  const customer = world.customers[order?.event.customer ?? -1];
  if (!order || order.id === null || !customer) return;
  const body = await callPanel(site, customer, { action: "cancel", orders: String(order.id) });
  const [entry] = (Array.isArray(body) ? body : []) as { cancel?: unknown }[];
  if (entry?.cancel === 1) order.cancelAcceptedAt = world.now();
}

async function refillOrder(site: Site, world: World, order: PlacedOrder | undefined): Promise<void> {
  const customer = world.customers[order?.event.customer ?? -1];
  if (!order || order.id === null || !customer) return;
  const body = (await callPanel(site, customer, { action: "refill", order: String(order.id) })) as {
    refill?: string;
  } | null;
  order.refill = body?.refill ?? null;
}
