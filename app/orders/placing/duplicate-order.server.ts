import { desc, eq } from "drizzle-orm";
import type { Db } from "#app/db/db.server.ts";
import { orders } from "#app/db/schema.server.ts";
import type { OrderFields } from "#app/orders/rules/order-input.ts";
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
    .where(eq(orders.userId, userId))
    .orderBy(desc(orders.id))
    .limit(ORDERS_COMPARED);
  const recent = newest.filter(({ source, createdAt }) => source === "web" && createdAt > Date.now() - RECENT_MS);
  if (recent.some(({ key }) => key === input.idempotencyKey)) return null;
  const duplicate = recent.find((order) => order.digest === digest);
  return duplicate ? { id: duplicate.id } : null;
}
