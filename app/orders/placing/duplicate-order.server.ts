import { desc, eq } from "drizzle-orm";
import type { Db } from "#app/db/db.server.ts";
import { orders } from "#app/db/schema.server.ts";
import type { OrderFields } from "#app/orders/rules/order-input.ts";
import { digestOfOrder } from "#app/orders/rules/request-digest.server.ts";

const RECENT_MS = 5 * 60 * 1000;
const LOOKED_AT = 50;

/**
 * An order of exactly this content that the user placed by a form with another key a moment ago: a page that was loaded
 * again, or gone back to, has a new key. Whether a second one is meant, the person says. Null when there is none.
 */
export async function findTwin(
  db: Db,
  userId: string,
  asked: { serviceId: number; fields: OrderFields; idempotencyKey: string },
): Promise<{ id: number } | null> {
  const digest = digestOfOrder(asked.serviceId, asked.fields);
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
    .limit(LOOKED_AT);
  const recent = newest.filter(({ source, createdAt }) => source === "web" && createdAt > Date.now() - RECENT_MS);
  if (recent.some(({ key }) => key === asked.idempotencyKey)) return null;
  const twin = recent.find((order) => order.digest === digest);
  return twin ? { id: twin.id } : null;
}
