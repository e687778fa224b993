import { eq, inArray, sql } from "drizzle-orm";
import { type Order, orders, providers } from "#app/db/schema.server.ts";
import { placeOrder } from "#app/orders/placing/place-order.server.ts";
import type { Provider } from "#app/orders/providers/provider-calls.server.ts";
import { MICRO } from "#app/product.ts";
import { customerWith, db, service } from "./customer.ts";
import { sandboxProvider } from "./sandbox-service.ts";

/** Places one order per link through the sandbox provider: a new one, unless `providerId` names another. */
export async function placeOrders(
  links: string[],
  providerId?: number,
): Promise<{ providerId: number; userId: string; orderIds: number[] }> {
  const at = providerId ?? (await sandboxProvider());
  const serviceId = await service({ providerId: at, providerServiceId: crypto.randomUUID(), cancel: true });
  const { userId } = await customerWith(links.length * MICRO);
  const orderIds: number[] = [];
  for (const link of links) {
    const input = { serviceId, fields: { link, quantity: "1000" }, idempotencyKey: null, source: "api" } as const;
    const placed = await placeOrder(db, userId, input);
    if (!placed.ok) throw new Error(placed.fault.reason);
    orderIds.push(placed.order.id);
  }
  return { providerId: at, userId, orderIds };
}

export async function readOrder(orderId: number): Promise<Order> {
  const [order] = await db.select().from(orders).where(eq(orders.id, orderId));
  if (!order) throw new Error("order not found");
  return order;
}

/** Marks orders as accepted by their provider, under the id that `idThere` returns. */
export async function acceptOrders(orderIds: number[]): Promise<void> {
  await db
    .update(orders)
    .set({ fulfillment: "accepted", providerOrderId: sql`'there-' || ${orders.id}`, leaseUntil: 0 })
    .where(inArray(orders.id, orderIds));
}

export function idThere(orderId: number | undefined): string {
  return `there-${orderId}`;
}

export async function readProvider(providerId: number): Promise<Provider> {
  const [provider] = await db.select().from(providers).where(eq(providers.id, providerId));
  if (!provider) throw new Error("provider not found");
  return provider;
}
