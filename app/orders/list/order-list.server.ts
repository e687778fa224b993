import { and, desc, eq, inArray, lt, type SQL, sql } from "drizzle-orm";
import type { Db } from "#app/db/db.server.ts";
import {
  cancellations,
  ORDER_STATUSES,
  type OrderStatus,
  orders,
  refills,
  services,
  wallets,
} from "#app/db/schema.server.ts";
import { OPEN_STATUSES } from "#app/orders/rules/order-status.ts";

export type OrderRow = Awaited<ReturnType<typeof readOrderRows>>[number];

export const ORDER_FILTERS = ["all", "open", ...ORDER_STATUSES] as const;
export type OrderFilter = (typeof ORDER_FILTERS)[number];

export type OrderPage = {
  rows: OrderRow[];
  /** The next page's cursor; null at the end. */
  next: number | null;
  /** Set when a search looked through as many orders as it may at once: there may be older ones. */
  searched: number | null;
};

/** Orders that one page of a search looks through. A customer with many more goes on from where it ended. */
export const SEARCH_WINDOW = 2000;
const MAX_IDS = 100;

/**
 * One page of the user's orders, newest first. `search` is one or more order numbers, or a part of a link or of what
 * else was given (usernames, comments). What is read does not grow with the number of orders.
 */
export async function listOrderPage(
  db: Db,
  userId: string,
  asked: { filter: OrderFilter; search: string; before: number | null },
  limit: number,
): Promise<OrderPage> {
  const search = asked.search.trim();
  const numbers = orderNumbers(search);
  if (numbers) {
    const rows = await readOrderRows(db, userId, numbers);
    return { rows: rows.filter(({ status }) => fits(status, asked.filter)), next: null, searched: null };
  }
  const window = search === "" ? limit + 1 : SEARCH_WINDOW;
  const statuses = statusesOf(asked.filter);
  // A part for each status, so that each is read from its index in order and no further than needed.
  const parts = (statuses ?? [null]).map((status) => newest(userId, status, asked.before, window));
  const candidates = sql`(select * from (${sql.join(parts, sql` union all `)}) order by id desc limit ${window})`;
  const matches =
    search === "" ? sql`1` : sql`instr(lower(link || ' ' || provider_fields), ${search.toLowerCase()}) > 0`;
  const [found, last] = await Promise.all([
    db.all<{ id: number }>(sql`select id from ${candidates} where ${matches} order by id desc limit ${limit + 1}`),
    search === ""
      ? []
      : db.all<{ id: number }>(sql`select id from ${candidates} order by id desc limit 1 offset ${window - 1}`),
  ]);
  const shown = found.slice(0, limit).map(({ id }) => id);
  const searchedTo = found.length > limit ? null : (last[0]?.id ?? null);
  return {
    rows: await readOrderRows(db, userId, shown),
    next: found.length > limit ? (shown.at(-1) ?? null) : searchedTo,
    searched: searchedTo === null ? null : window,
  };
}

/** Those of the ids that are the user's, newest first, with what a row of the list shows. */
export async function readOrderRows(db: Db, userId: string, orderIds: number[]) {
  if (orderIds.length === 0) return [];
  return selectRows(db)
    .where(and(own(userId), inArray(orders.id, sql`(select value from json_each(${JSON.stringify(orderIds)}))`)))
    .orderBy(desc(orders.id));
}

/** The one order with all that was given for it and its refills; null when it is not the user's. */
export async function readOrderDetail(db: Db, userId: string, orderId: number) {
  const [[row], [rest], asked] = await db.batch([
    selectRows(db)
      .where(and(own(userId), eq(orders.id, orderId)))
      .limit(1),
    db
      .select({
        intervalMinutes: orders.intervalMinutes,
        providerFields: orders.providerFields,
        source: orders.source,
        type: orders.type,
        updatedAt: orders.updatedAt,
        fulfillment: orders.fulfillment,
      })
      .from(orders)
      .where(and(own(userId), eq(orders.id, orderId)))
      .limit(1),
    db
      .select({ id: refills.id, status: refills.status, createdAt: refills.createdAt, updatedAt: refills.updatedAt })
      .from(refills)
      .where(and(eq(refills.orderId, orderId), eq(refills.userId, userId)))
      .orderBy(desc(refills.id))
      .limit(20),
  ]);
  return row && rest ? { ...row, ...rest, refills: asked } : null;
}

export type OrderDetail = NonNullable<Awaited<ReturnType<typeof readOrderDetail>>>;

/** How orders stand now, for a page that shows them: one row read for each, and the wallet. */
export async function readLiveOrders(db: Db, userId: string, orderIds: number[]) {
  const [rows, [wallet]] = await db.batch([
    db
      .select({
        id: orders.id,
        status: orders.status,
        remains: orders.remains,
        startCount: orders.startCount,
        refunded: orders.refunded,
        refill: openRefill(),
        cancellation: cancellation(),
      })
      .from(orders)
      // A join also makes drizzle name each column's table, without which the query inside would mean its own "id".
      .leftJoin(cancellations, eq(cancellations.orderId, orders.id))
      .where(
        and(
          own(userId),
          inArray(orders.id, sql`(select value from json_each(${JSON.stringify(orderIds.slice(0, MAX_IDS))}))`),
        ),
      )
      .orderBy(desc(orders.id)),
    db.select({ balance: wallets.balance }).from(wallets).where(eq(wallets.userId, userId)),
  ]);
  return { orders: rows, balance: wallet?.balance ?? 0 };
}

function selectRows(db: Db) {
  return db
    .select({
      id: orders.id,
      serviceId: orders.serviceId,
      service: services.name,
      link: orders.link,
      quantity: orders.quantity,
      runs: orders.runs,
      charge: orders.charge,
      refunded: orders.refunded,
      status: orders.status,
      startCount: orders.startCount,
      remains: orders.remains,
      createdAt: orders.createdAt,
      /** What the service promises. */
      canRefill: services.refill,
      canCancel: services.cancel,
      offered: services.enabled,
      refill: openRefill(),
      cancellation: cancellation(),
    })
    .from(orders)
    .innerJoin(services, eq(services.id, orders.serviceId))
    .leftJoin(cancellations, eq(cancellations.orderId, orders.id))
    .$dynamic();
}

/**
 * How the wish to cancel it stands; null when there was none. Under a name of its own: in a batch D1 answers rows by
 * column name, and a second "status" would take the place of the order's.
 */
function cancellation() {
  return sql<(typeof cancellations.$inferSelect)["status"] | null>`${cancellations.status}`.as("cancellation");
}

/** How its last refill stands; null when none was asked for. */
function openRefill() {
  return sql<
    (typeof refills.$inferSelect)["status"] | null
  >`(select ${refills.status} from ${refills} where ${refills.orderId} = ${orders.id} order by ${refills.id} desc limit 1)`;
}

function own(userId: string) {
  return and(eq(orders.userId, userId), eq(orders.isTest, false));
}

function newest(userId: string, status: OrderStatus | null, before: number | null, limit: number): SQL {
  const where = and(
    own(userId),
    status === null ? undefined : eq(orders.status, status),
    before === null ? undefined : lt(orders.id, before),
  );
  return sql`select * from (select ${orders.id} as id, ${orders.link} as link, ${orders.providerFields} as provider_fields from ${orders} where ${where} order by ${orders.id} desc limit ${limit})`;
}

function statusesOf(filter: OrderFilter): readonly OrderStatus[] | null {
  if (filter === "all") return null;
  return filter === "open" ? OPEN_STATUSES : [filter];
}

function fits(status: OrderStatus, filter: OrderFilter): boolean {
  return statusesOf(filter)?.includes(status) ?? true;
}

/** "#12, 13 14" → [12, 13, 14]; null for anything that is not only numbers. */
function orderNumbers(search: string): number[] | null {
  if (!/^#?\d{1,10}([\s,;]+#?\d{1,10})*$/.test(search)) return null;
  return search
    .split(/[\s,;]+/)
    .map((number) => Number(number.replace("#", "")))
    .slice(0, MAX_IDS);
}
