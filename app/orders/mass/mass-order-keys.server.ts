import { and, eq, gte, lt } from "drizzle-orm";
import { type massOrders, orders } from "#app/db/schema.server.ts";

export type MassOrder = typeof massOrders.$inferSelect;
export type MassOrderKey = Pick<MassOrder, "userId" | "idempotencyKey">;

const LINE_DIGITS = 5;

/**
 * The idempotency key of one line's order: the mass order's key, a space, and the line's number. Keys of the API contain
 * no space, so nobody can take a line's key.
 */
export function lineKey(idempotencyKey: string, line: number): string {
  return `${idempotencyKey} ${String(line).padStart(LINE_DIGITS, "0")}`;
}

export function lineOfKey(idempotencyKey: string, key: string): number {
  return Number(key.slice(idempotencyKey.length + 1));
}

/** Selects the orders of a mass order, by the range of their keys. */
export function ofMassOrder({ userId, idempotencyKey }: MassOrderKey) {
  return and(
    eq(orders.userId, userId),
    gte(orders.idempotencyKey, `${idempotencyKey} `),
    // The character after the space.
    lt(orders.idempotencyKey, `${idempotencyKey}!`),
  );
}
