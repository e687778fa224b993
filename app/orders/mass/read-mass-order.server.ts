import { and, asc, eq, gt } from "drizzle-orm";
import type { Db } from "#app/db/db.server.ts";
import { massOrders, orders } from "#app/db/schema.server.ts";
import { lineKey, lineOfKey, type MassOrder, ofMassOrder } from "./mass-order-keys.server.ts";

/** Returns the user's mass order that was placed with this key, or null. */
export async function findMassOrder(db: Db, userId: string, idempotencyKey: string): Promise<MassOrder | null> {
  const own = and(eq(massOrders.userId, userId), eq(massOrders.idempotencyKey, idempotencyKey));
  const [found] = await db.select().from(massOrders).where(own).limit(1);
  return found ?? null;
}

/** Returns what pages show of a mass order. */
export function shownMassOrder({ id, idempotencyKey, placed, skipped, charge, source }: MassOrder) {
  return { id, idempotencyKey, placed, skipped, charge, source };
}

/** Returns the user's mass order with this id, or null. */
export async function readMassOrder(db: Db, userId: string, id: number): Promise<MassOrder | null> {
  const own = and(eq(massOrders.userId, userId), eq(massOrders.id, id));
  const [found] = await db.select().from(massOrders).where(own).limit(1);
  return found ?? null;
}

/** Returns the ids of a mass order's orders by line, up to `limit` of those after the line `after`. */
export async function listMassLines(db: Db, massOrder: MassOrder, after: number, limit: number) {
  const { idempotencyKey } = massOrder;
  const rows = await db
    .select({ id: orders.id, key: orders.idempotencyKey })
    .from(orders)
    .where(and(ofMassOrder(massOrder), gt(orders.idempotencyKey, lineKey(idempotencyKey, after))))
    .orderBy(asc(orders.idempotencyKey))
    .limit(limit);
  return rows.map(({ id, key }) => ({ id, line: lineOfKey(idempotencyKey, key) }));
}
