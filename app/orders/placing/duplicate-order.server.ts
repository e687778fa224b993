import { and, desc, eq, sql } from "drizzle-orm";
import type { Db } from "#app/db/db.server.ts";
import { orders } from "#app/db/schema.server.ts";
import { ownOrders, withStatus } from "#app/orders/list/order-rows.server.ts";
import { readLink } from "#app/orders/rules/links/read-link.ts";
import type { OrderFields } from "#app/orders/rules/order-input.ts";
import { OPEN_STATUSES } from "#app/orders/rules/order-status.ts";
import { digestOfOrder } from "#app/orders/rules/request-digest.server.ts";

const RECENT_MS = 5 * 60 * 1000;
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

/**
 * Finds the user's newest open order of the same service for the same link, in whichever form it was written. Two orders
 * at once count each other's deliveries. The rows read do not grow with the number of orders.
 */
export async function findOpenOrder(
  db: Db,
  userId: string,
  { serviceId, link, idempotencyKey }: { serviceId: number; link: string; idempotencyKey: string },
): Promise<{ id: number } | null> {
  if (link.trim() === "") return null;
  const { key } = readLink(link);
  const parts = OPEN_STATUSES.map((status) => {
    const own = and(ownOrders(userId), withStatus(status));
    return sql`select * from (select ${orders.id} as id, ${orders.serviceId} as service_id, ${orders.link} as link,
      ${orders.idempotencyKey} as placed_with from ${orders} where ${own} order by ${orders.id} desc limit ${OPEN_ORDERS_COMPARED})`;
  });
  const open = await db.all<{ id: number; link: string; placed_with: string }>(
    sql`select id, link, placed_with from (${sql.join(parts, sql` union all `)}) where service_id = ${serviceId} order by id desc`,
  );
  // A form that is sent again gets the order that it placed.
  if (open.some((order) => order.placed_with === idempotencyKey)) return null;
  const same = open.find(({ link }) => link !== "" && readLink(link).key === key);
  return same ? { id: same.id } : null;
}
