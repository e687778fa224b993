import type { OrderEvent } from "../../scripts/plan-orders.ts";
import type { Handlers } from "../actor.ts";
import type { Customer, World } from "../open-world.ts";
import type { Page } from "../people.ts";
import type { Site } from "../site.ts";
import { placeMassOrder } from "./mass-order.ts";
import { callPanel, type PlacedOrder, placeOrder } from "./order-customer.ts";

export type OrderWorld = {
  placed: PlacedOrder[];
  add(orders: PlacedOrder[]): void;
  handlers: Handlers<Exclude<OrderEvent, { kind: "end_key" }>>;
};

/** Customers who place orders and ask for cancellations and refills. */
export function openOrders(site: Site, world: World): OrderWorld {
  const placed: PlacedOrder[] = [];
  const byName = new Map<string, PlacedOrder>();
  const add = (orders: PlacedOrder[]) => {
    for (const order of orders) {
      order.confirmedAt = world.now();
      placed.push(order);
      byName.set(order.event.name, order);
    }
  };
  return {
    placed,
    add,
    handlers: {
      async order(event) {
        add([await placeOrder(site, world, event)]);
      },
      async mass(event) {
        add(await placeMassOrder(site, world, event));
      },
      async repeat({ order }) {
        const own = ownOrder(world, byName.get(order));
        if (!own || own.order.event.surface === "mass") return;
        const again = await placeOrder(site, world, { ...own.order.event, copies: 1, hangsUpAfter: null });
        if (again.id !== null && again.id !== own.id) {
          own.order.surprises.push(`id ${again.id} for the key of ${own.id}, sent again`);
        }
        own.order.surprises.push(...again.surprises);
        site.count("order repeated later");
      },
      async cancel({ order, by }) {
        const own = ownOrder(world, byName.get(order));
        if (own) await cancelOrder(site, world, own, by);
      },
      async refill({ order, by }) {
        const own = ownOrder(world, byName.get(order));
        if (own) await refillOrder(site, own, by);
      },
    },
  };
}

type OwnOrder = { customer: Customer; order: PlacedOrder; id: number };

/** Returns the order with its customer, or null while no response confirmed it or once the customer has left. */
function ownOrder({ customers }: World, order: PlacedOrder | undefined): OwnOrder | null {
  const customer = customers[order?.event.customer ?? -1];
  if (!order || order.id === null || !customer || customer.hasLeft) return null;
  return { customer, order, id: order.id };
}

async function cancelOrder(site: Site, world: World, { customer, order, id }: OwnOrder, by: "api" | "form") {
  if (by === "form") {
    const page = await submitIntent(customer, id, "cancel");
    // It may have been accepted if the response was lost.
    if (!page || page.status === 200 || page.status >= 500) order.cancelAcceptedAt = world.now();
  } else {
    const body = await callPanel(site, customer, { action: "cancel", orders: String(id) });
    const [entry] = (Array.isArray(body) ? body : []) as { cancel?: unknown }[];
    if (body === null || entry?.cancel === 1) order.cancelAcceptedAt = world.now();
  }
  site.count(`cancellation by ${by} ${order.cancelAcceptedAt === null ? "refused" : "accepted"}`);
}

async function refillOrder(site: Site, { customer, order, id }: OwnOrder, by: "api" | "form"): Promise<void> {
  if (by === "form") {
    const page = await submitIntent(customer, id, "refill");
    if (page?.status === 200) {
      const [row] = await site.query<{ id: number }>("select max(id) as id from refills where order_id = ?", id);
      order.refill = row ? String(row.id) : null;
    }
  } else {
    const body = (await callPanel(site, customer, { action: "refill", order: String(id) })) as {
      refill?: string;
    } | null;
    order.refill = body?.refill ?? null;
  }
  site.count(`refill by ${by} ${order.refill === null ? "refused" : "accepted"}`);
}

function submitIntent({ person }: Customer, order: number, intent: string): Promise<Page | null> {
  return person.submit(`/dashboard/orders/${order}`, { intent }).catch(() => null);
}
