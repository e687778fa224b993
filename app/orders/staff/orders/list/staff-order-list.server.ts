import { and, desc, eq, type SQL, sql } from "drizzle-orm";
import type { Db } from "#app/db/db.server.ts";
import { ORDER_STATUSES, type OrderStatus, orders, profiles, providers, services } from "#app/db/schema.server.ts";
import { parseWrittenId } from "#app/http/requests/id-param.ts";
import {
  FOR_STAFF_LIST,
  OPEN_CANCELLATION,
  OPEN_ORDER_LIST,
  OPEN_REFILL_LIST,
} from "#app/orders/rules/open-statuses.server.ts";

/** Orders of all customers, as the console shows them. Leaves out orders placed with a test key. */

export const ORDER_VIEWS = ["held", "manual", ...ORDER_STATUSES, "all"] as const;
export type OrderView = (typeof ORDER_VIEWS)[number];

export const COUNTED_TO = 100;

// Literals, so that SQLite can use the partial indexes.
const LIVE = sql`${orders.isTest} = 0`;
const BY_HAND = sql`${orders.fulfillment} = 'manual' and ${LIVE} and ${orders.status} in ${OPEN_ORDER_LIST}`;
const HELD = sql`${orders.fulfillment} = 'held' and ${LIVE}`;

function inView(view: OrderView): SQL | undefined {
  switch (view) {
    case "held":
      return HELD;
    case "manual":
      return BY_HAND;
    case "all":
    case "Completed":
      return view === "all" ? LIVE : and(LIVE, eq(orders.status, view));
    default:
      return and(LIVE, sql`${orders.status} <> 'Completed'`, eq(orders.status, view satisfies OrderStatus));
  }
}

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
      service: services.name,
      provider: providers.name,
      link: orders.link,
      quantity: orders.quantity,
      runs: orders.runs,
      remains: orders.remains,
      status: orders.status,
      fulfillment: orders.fulfillment,
      charge: orders.charge,
      refunded: orders.refunded,
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

export type StaffCounts = Record<"held" | "manual" | "refills" | "cancellations" | "payments" | "catalog", number>;

/**
 * Counts what waits for a person, up to 100 each. "cross join" keeps SQLite from going through all orders first, as it does
 * without statistics of the tables.
 */
export async function countWaiting(db: Db): Promise<StaffCounts> {
  const upTo = (table: SQL) => sql`(select count(*) from (select 1 from ${table} limit ${COUNTED_TO}))`;
  const [counts] = await db.all<StaffCounts>(sql`select
    ${upTo(sql`orders where fulfillment = 'held' and is_test = 0`)} as held,
    ${upTo(sql`orders where fulfillment = 'manual' and is_test = 0 and status in ${OPEN_ORDER_LIST}`)} as manual,
    ${upTo(sql`refills r cross join orders o where o.id = r.order_id and r.status in ${OPEN_REFILL_LIST} and r.fulfillment in ${FOR_STAFF_LIST} and o.is_test = 0`)} as refills,
    ${upTo(sql`cancellations c cross join orders o where o.id = c.order_id and c.status = ${OPEN_CANCELLATION} and c.fulfillment in ${FOR_STAFF_LIST} and o.is_test = 0`)} as cancellations,
    ${upTo(sql`checkouts where status = 'review'`)} as payments,
    ${upTo(sql`quarantine where decided_at is null`)} as catalog`);
  return counts ?? { held: 0, manual: 0, refills: 0, cancellations: 0, payments: 0, catalog: 0 };
}

/** Orders that one id can name: one of ours, and one at each provider. */
const SAME_ID_SHOWN = 50;

/** Finds orders by an id of ours and by that of their providers, or a customer by email. One id can name several orders. */
export async function findOrdersOrCustomer(
  db: Db,
  text: string,
): Promise<{ kind: "orders"; orderIds: number[] } | { kind: "customer"; userId: string } | null> {
  const query = text.trim();
  if (query.includes("@")) {
    const [found] = await db
      .select({ userId: profiles.userId })
      .from(profiles)
      .where(eq(profiles.email, query))
      .limit(1);
    return found ? { kind: "customer", userId: found.userId } : null;
  }
  const found = await findOrders(db, query);
  return found.length === 0 ? null : { kind: "orders", orderIds: found.map(({ id }) => id) };
}

/** Finds orders by an id of ours, which comes first, and by those of their providers. */
export async function findOrders(db: Db, text: string) {
  const select = (isWanted: SQL) =>
    db
      .select({ id: orders.id, service: services.name, status: orders.status })
      .from(orders)
      .innerJoin(services, eq(services.id, orders.serviceId))
      .where(and(isWanted, LIVE))
      .limit(SAME_ID_SHOWN);
  const [ours, theirs] = await db.batch([
    select(eq(orders.id, parseWrittenId(text) ?? 0)),
    select(eq(orders.providerOrderId, text)),
  ]);
  return [...ours, ...theirs.filter(({ id }) => id !== ours[0]?.id)];
}
