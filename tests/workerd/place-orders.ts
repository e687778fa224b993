import { env } from "cloudflare:workers";
import { eq, getTableColumns, inArray, type SQL, sql } from "drizzle-orm";
import { type Order, orders, providers } from "#app/db/schema.server.ts";
import { placeOrder } from "#app/orders/placing/place-order.server.ts";
import type { Provider } from "#app/orders/providers/provider-link.server.ts";
import { linkKeyOf } from "#app/orders/rules/links/link-key.server.ts";
import { credit } from "#app/orders/wallet/ledger.server.ts";
import { MICRO } from "#app/product.ts";
import { db, service } from "./customer.ts";
import { accountWithoutPassword } from "./new-account.ts";
import { sandboxProvider } from "./sandbox-service.ts";

const columns = Object.values(getTableColumns(orders)).map(({ name }) => name);

/**
 * Places one order per link through the sandbox provider: a new one, unless `providerId` names another. The first is placed as
 * a customer does it, the others are copies that are charged too.
 */
export async function placeOrders(
  links: string[],
  providerId?: number,
): Promise<{ providerId: number; userId: string; orderIds: number[] }> {
  const at = providerId ?? (await sandboxProvider());
  const serviceId = await service({ providerId: at, providerServiceId: crypto.randomUUID(), cancel: true });
  const { userId } = await accountWithoutPassword();
  await credit(db, userId, { kind: "topup", amount: links.length * MICRO, note: "test" });
  const [link, ...others] = links;
  if (link === undefined) return { providerId: at, userId, orderIds: [] };
  const input = { serviceId, fields: { link, quantity: "1000" }, idempotencyKey: null, source: "api" } as const;
  const placed = await placeOrder(db, userId, input);
  if (!placed.ok) throw new Error(placed.fault.reason);
  const copies = others.length > 0 ? await placeCopies(placed.order, others) : [];
  return { providerId: at, userId, orderIds: [placed.order.id, ...copies] };
}

/** Copies the only order of its customer for each link, with its charge. Returns their ids in the order of the links. */
async function placeCopies({ id, userId }: Order, links: string[]): Promise<number[]> {
  const own = ["id", "idempotency_key", "link", "link_key"];
  const copied = columns.filter((name) => !own.includes(name)).join();
  const given = JSON.stringify(links.map((link) => ({ link, key: linkKeyOf(link) })));
  const results = await env.DB.batch<{ id: number }>([
    env.DB.prepare(
      `insert into orders (idempotency_key, link, link_key, ${copied})
       select lower(hex(randomblob(16))), value ->> 'link', value ->> 'key', ${copied.replaceAll(/\w+/g, "o.$&")}
       from json_each(?1) n, orders o where o.id = ?2 order by n.key returning id`,
    ).bind(given, id),
    env.DB.prepare(
      `insert into ledger (user_id, order_id, kind, amount, balance_after, created_at)
       select o.user_id, o.id, 'charge', -o.charge, w.balance - sum(o.charge) over (order by o.id), o.created_at
       from orders o join wallets w on w.user_id = o.user_id where o.user_id = ?1 and o.id > ?2 order by o.id`,
    ).bind(userId, id),
    env.DB.prepare(
      `update wallets set balance = balance - (select sum(charge) from orders where user_id = ?1 and id > ?2)
       where user_id = ?1`,
    ).bind(userId, id),
  ]);
  return (results[0]?.results ?? []).map((row) => row.id).toSorted((one, other) => one - other);
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
