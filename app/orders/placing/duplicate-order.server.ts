import { and, desc, eq, sql } from "drizzle-orm";
import type { Db } from "#app/db/db.server.ts";
import { orders } from "#app/db/schema.server.ts";
import { ownOrders, withStatus } from "#app/orders/list/order-rows.server.ts";
import { trimLink } from "#app/orders/rules/links/link-text.ts";
import { readLink } from "#app/orders/rules/links/read-link.ts";
import type { OrderFields } from "#app/orders/rules/order-input.ts";
import { OPEN_STATUSES } from "#app/orders/rules/order-status.ts";
import { digestOfOrder } from "#app/orders/rules/request-digest.server.ts";
import { MINUTE_MS } from "#app/time.ts";

const RECENT_MS = 5 * MINUTE_MS;
const ORDERS_COMPARED = 50;

/**
 * Finds an order with the same content that the user placed moments ago with another idempotency key. A reloaded form has
 * a new key, so the customer has to confirm that they want a second order.
 */
export async function findDuplicate(
  db: Db,
  userId: string,
  input: { serviceId: number; fields: OrderFields; idempotencyKey: string },
): Promise<{ id: number } | null> {
  const digest = digestOfOrder(input.serviceId, input.fields);
  const newest = await db
    .select({
      id: orders.id,
      key: orders.idempotencyKey,
      digest: orders.requestDigest,
      source: orders.source,
      createdAt: orders.createdAt,
    })
    .from(orders)
    .where(ownOrders(userId))
    .orderBy(desc(orders.id))
    .limit(ORDERS_COMPARED);
  const recent = newest.filter(({ source, createdAt }) => source === "web" && createdAt > Date.now() - RECENT_MS);
  if (recent.some(({ key }) => key === input.idempotencyKey)) return null;
  const duplicate = recent.find((order) => order.digest === digest);
  return duplicate ? { id: duplicate.id } : null;
}

/**
 * Returns whether an order that the customer agreed to repeat has this content, or is for this service and link. The form
 * keeps the agreement while its fields are changed.
 */
export async function isRepeated(
  db: Db,
  userId: string,
  orderId: number | null,
  { serviceId, fields, link }: { serviceId: number; fields: OrderFields; link: string },
): Promise<boolean> {
  if (orderId === null) return false;
  const [agreed] = await db
    .select({ link: orders.link, digest: orders.requestDigest })
    .from(orders)
    .where(and(ownOrders(userId), eq(orders.id, orderId), eq(orders.serviceId, serviceId)));
  if (!agreed) return false;
  // A stored link may have another form than the one that was sent.
  return agreed.digest === digestOfOrder(serviceId, fields) || readLink(agreed.link).key === readLink(link).key;
}

/** Open orders of each status that are compared, the newest. */
const OPEN_ORDERS_COMPARED = 100;
/** The same for many orders at once. Reading 1,000 links takes about 20 ms of processor time. */
const MAX_OPEN_ORDERS_COMPARED = 1000;

type OpenOrder = { id: number; serviceId: number; link: string; placedWith: string };

/**
 * Returns the user's open orders of some services, newest first: of each status, those among the newest `compared`. The
 * rows read do not grow with the number of orders.
 */
async function readOpenOrders(db: Db, userId: string, serviceIds: number[], compared: number): Promise<OpenOrder[]> {
  const parts = OPEN_STATUSES.map((status) => {
    const own = and(ownOrders(userId), withStatus(status));
    return sql`select * from (select ${orders.id} as id, ${orders.serviceId} as serviceId, ${orders.link} as link,
      ${orders.idempotencyKey} as placedWith from ${orders} where ${own} order by ${orders.id} desc limit ${compared})`;
  });
  const isAmong = sql`serviceId in (select value from json_each(${JSON.stringify(serviceIds)}))`;
  return db.all<OpenOrder>(
    sql`select id, serviceId, link, placedWith from (${sql.join(parts, sql` union all `)}) where ${isAmong} order by id desc`,
  );
}

/** Names a service and a link, in whichever form it is written. Null without a link. */
export function targetOf(serviceId: number, link: string): string | null {
  return trimLink(link) === "" ? null : `${serviceId} ${readLink(link).key}`;
}

/** Says why an order may be wrong while another one for its service and link is open. */
export function openOrderText(id: number): string {
  return `Order ${id} for the same link is still open, and two at once can count each other's deliveries.`;
}

/** Returns the user's newest open order of each target. Compares about as many open orders as there are `orders`. */
export async function findOpenTargets(
  db: Db,
  userId: string,
  orders: { serviceId: number; target: string | null }[],
): Promise<Map<string, number>> {
  const asked = orders.filter(({ target }) => target !== null);
  if (asked.length === 0) return new Map();
  const serviceIds = [...new Set(asked.map(({ serviceId }) => serviceId))];
  const compared = Math.min(MAX_OPEN_ORDERS_COMPARED, Math.max(OPEN_ORDERS_COMPARED, asked.length));
  const open = await readOpenOrders(db, userId, serviceIds, compared);
  // Oldest first, so that the newest stays.
  const named = open.reverse().map(({ id, serviceId, link }) => [targetOf(serviceId, link), id] as const);
  return new Map(named.filter((one): one is readonly [string, number] => one[0] !== null));
}

/**
 * Finds the user's newest open order of the same service for the same link, in whichever form it was written. Two orders
 * at once count each other's deliveries.
 */
export async function findOpenOrder(
  db: Db,
  userId: string,
  { serviceId, link, idempotencyKey }: { serviceId: number; link: string; idempotencyKey: string },
): Promise<{ id: number } | null> {
  const target = targetOf(serviceId, link);
  if (target === null) return null;
  const open = await readOpenOrders(db, userId, [serviceId], OPEN_ORDERS_COMPARED);
  // A form that is sent again gets the order that it placed.
  if (open.some((order) => order.placedWith === idempotencyKey)) return null;
  const same = open.find((order) => targetOf(serviceId, order.link) === target);
  return same ? { id: same.id } : null;
}
