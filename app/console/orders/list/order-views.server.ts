import { and, eq, type SQL, sql } from "drizzle-orm";
import { ORDER_STATUSES, type OrderStatus, orders } from "#app/db/schema.server.ts";
import { IS_INDEXED, OPEN_ORDER_LIST } from "#app/orders/rules/open-statuses.server.ts";
import { type IndexedStatus, isIndexed } from "#app/orders/rules/order-status.ts";

export const ORDER_VIEWS = ["held", "manual", "open", ...ORDER_STATUSES, "all"] as const;
export type OrderView = (typeof ORDER_VIEWS)[number];

// Literals, so that SQLite can use the partial indexes.
export const LIVE = sql`${orders.isTest} = 0`;
export const HELD = sql`${orders.fulfillment} = 'held' and ${LIVE}`;
export const BY_HAND = sql`${orders.fulfillment} = 'manual' and ${LIVE} and ${orders.status} in ${OPEN_ORDER_LIST}`;

/** Returns the condition of the live orders of a view. */
export function inView(view: OrderView): SQL | undefined {
  switch (view) {
    case "held":
      return HELD;
    case "manual":
      return BY_HAND;
    case "open":
      return sql`${LIVE} and ${orders.status} in ${OPEN_ORDER_LIST}`;
    case "all":
      return LIVE;
    default:
      return isIndexed(view) ? withStatus(view) : and(LIVE, eq(orders.status, view satisfies OrderStatus));
  }
}

/** Returns the condition of the live orders with a status that an index holds. */
export function withStatus(status: IndexedStatus): SQL {
  return sql`${LIVE} and ${IS_INDEXED} and ${orders.status} = ${status}`;
}
