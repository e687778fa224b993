import { eq, getTableColumns, inArray, type SQL, sql } from "drizzle-orm";
import { type Order, orders, providers } from "#app/db/schema.server.ts";
import { CatalogCache } from "#app/orders/catalog/catalog.server.ts";
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
  // Remembers the service, so that an order takes one trip instead of three.
  const catalog = new CatalogCache();
  for (const link of links) {
    const input = { serviceId, fields: { link, quantity: "1000" }, idempotencyKey: null, source: "api" } as const;
    const placed = await placeOrder(db, userId, input, catalog);
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
    .where(isOneOf(orderIds));
}

/** Is true for these orders. Binds all ids as one parameter, because D1 allows 100. */
export function isOneOf(orderIds: number[]): SQL {
  return inArray(orders.id, sql`(select value from json_each(${JSON.stringify(orderIds)}))`);
}

/**
 * Copies a stored order, each time with an idempotency key of its own and, if it has one, an id at its provider. The copies
 * were never charged for. Returns their ids, oldest first.
 */
export async function copyOrder(orderId: number, count: number): Promise<number[]> {
  const own = ["id", "idempotency_key", "provider_order_id"];
  const columns = Object.values(getTableColumns(orders)).map(({ name }) => name);
  const copied = sql.raw(columns.filter((name) => !own.includes(name)).join());
  const copies = await db.all<{ id: number }>(sql`
    with recursive n(i) as (select 1 where ${count} > 0 union all select i + 1 from n where i < ${count})
    insert into orders (idempotency_key, provider_order_id, ${copied})
    select 'copy ' || i || ' of ' || id, iif(provider_order_id is null, null, 'p' || i), ${copied}
    from n, orders where id = ${orderId} returning id`);
  return copies.map(({ id }) => id).toSorted((one, other) => one - other);
}

export function idThere(orderId: number | undefined): string {
  return `there-${orderId}`;
}

export async function readProvider(providerId: number): Promise<Provider> {
  const [provider] = await db.select().from(providers).where(eq(providers.id, providerId));
  if (!provider) throw new Error("provider not found");
  return provider;
}
