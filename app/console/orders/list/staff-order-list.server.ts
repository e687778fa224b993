import { and, desc, eq, type SQL, sql } from "drizzle-orm";
import { named } from "#app/db/column-names.server.ts";
import type { Db } from "#app/db/db.server.ts";
import { readOnce } from "#app/db/read-once.server.ts";
import { orders, profiles, providers, services } from "#app/db/schema.server.ts";
import { WAITS_TO_BE_TAUGHT } from "#app/orders/providers/dialect.server.ts";
import {
  FOR_STAFF_LIST,
  OPEN_CANCELLATION,
  OPEN_ORDER_LIST,
  OPEN_REFILL_LIST,
} from "#app/orders/rules/open-statuses.server.ts";
import { inView, type OrderView } from "./order-views.server.ts";

/** Orders of all customers, as the console shows them. Leaves out orders placed with a test key. */

export const COUNTED_TO = 100;

/**
 * Lists orders newest first, or in another `order` of their ids. Returns one row more than `limit` if there is another page.
 */
export function listStaffOrders(
  db: Db,
  filter: { view: OrderView; userId?: string | null; where?: SQL | undefined; order?: SQL[] },
  limit: number,
) {
  return db
    .select({
      id: orders.id,
      userId: orders.userId,
      email: profiles.email,
      service: named(services.name, "service"),
      provider: sql<string | null>`${providers.name}`.as("provider"),
      link: orders.link,
      quantity: orders.quantity,
      runs: orders.runs,
      remains: orders.remains,
      status: orders.status,
      fulfillment: orders.fulfillment,
      charge: orders.charge,
      refunded: orders.refunded,
      cost: orders.cost,
      heldFor: orders.heldFor,
      createdAt: orders.createdAt,
    })
    .from(orders)
    .innerJoin(services, eq(services.id, orders.serviceId))
    .leftJoin(profiles, eq(profiles.userId, orders.userId))
    .leftJoin(providers, eq(providers.id, orders.providerId))
    .where(and(inView(filter.view), filter.userId ? eq(orders.userId, filter.userId) : undefined, filter.where))
    .orderBy(...(filter.order ?? [desc(orders.id)]))
    .limit(limit + 1);
}

/** `unread`: words in providers' answers that nobody has said the meaning of. */
export type StaffCounts = Record<
  "held" | "manual" | "refills" | "cancellations" | "payments" | "catalog" | "unread",
  number
>;

/**
 * Counts what waits for a person, up to 100 each, once per request: the console's navigation shows it, and so do some of its
 * pages.
 */
export function countWaiting(db: Db): Promise<StaffCounts> {
  return readOnce(db, "what waits for staff", () => readWaiting(db));
}

/** "cross join" keeps SQLite from going through all orders first, as it does without statistics of the tables. */
async function readWaiting(db: Db): Promise<StaffCounts> {
  const upTo = (table: SQL) => sql`(select count(*) from (select 1 from ${table} limit ${COUNTED_TO}))`;
  const [counts] = await db.all<StaffCounts>(sql`select
    ${upTo(sql`orders where fulfillment = 'held' and is_test = 0`)} as held,
    ${upTo(sql`orders where fulfillment = 'manual' and is_test = 0 and status in ${OPEN_ORDER_LIST}`)} as manual,
    ${upTo(sql`refills r cross join orders o where o.id = r.order_id and r.status in ${OPEN_REFILL_LIST} and r.fulfillment in ${FOR_STAFF_LIST} and o.is_test = 0`)} as refills,
    ${upTo(sql`cancellations c cross join orders o where o.id = c.order_id and c.status = ${OPEN_CANCELLATION} and c.fulfillment in ${FOR_STAFF_LIST} and o.is_test = 0`)} as cancellations,
    ${upTo(sql`checkouts where status = 'review'`)} as payments,
    ${upTo(sql`quarantine where decided_at is null`)} as catalog,
    ${upTo(sql`unread_answers where ${WAITS_TO_BE_TAUGHT}`)} as unread`);
  return counts ?? { held: 0, manual: 0, refills: 0, cancellations: 0, payments: 0, catalog: 0, unread: 0 };
}
