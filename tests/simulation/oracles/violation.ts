import { FINAL_STATUSES } from "#app/orders/rules/order-status.ts";
import type { SimulatedProduct } from "../product/simulated-product.ts";

/** A rule that the product broke, with what the world knows and what the product says. */
export type Violation = { rule: string; subject: string; world: unknown; product: unknown };

/** The columns of an order that the oracles compare. Money in micro-units, times in simulated ms. */
export type OrderRow = {
  id: number;
  user_id: string;
  /** A subscription has its account's link. */
  link: string;
  stored_link: string;
  status: string;
  fulfillment: string;
  charge: number;
  refunded: number;
  remains: number;
  provider_id: number;
  provider_order_id: string | null;
  /** Null in older commits, whose orders had none. */
  history: string | null;
  created_at: number;
  updated_at: number;
};

/**
 * Reads all orders. Older commits name the column "fulfilment", and its state "unknown" means what "held" means in later
 * ones.
 */
export async function readOrders(product: SimulatedProduct): Promise<OrderRow[]> {
  const columns = await product.query<{ name: string }>("select name from pragma_table_info('orders')");
  const column = columns.find(({ name }) => name === "fulfillment" || name === "fulfilment")?.name;
  const history = columns.some(({ name }) => name === "history") ? "history" : "null";
  const link = "iif(link = '' and username is not null, 'https://instagram.com/p/' || username, link) as link";
  const hasFields = columns.some(({ name }) => name === "provider_fields");
  const username = hasFields ? "provider_fields ->> '$.username'" : "null";
  return product.query<OrderRow>(
    `with named as (select *, ${username} as username from orders)
      select id, user_id, ${link}, link as stored_link, status, iif(${column} = 'unknown', 'held', ${column}) as fulfillment, charge, refunded,
      remains, provider_id, provider_order_id, ${history} as history, created_at, updated_at from named where user_id not like 'seed%' order by id`,
  );
}

export const FINAL: readonly string[] = FINAL_STATUSES;
