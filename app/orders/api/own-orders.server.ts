import { and, eq, inArray, lt, type SQL, sql } from "drizzle-orm";
import type { Db } from "#app/db/db.server.ts";
import { type Order, type OrderStatus, orders } from "#app/db/schema.server.ts";
import { COMPLETED_AFTER_MS, IN_PROGRESS_AFTER_MS } from "#app/orders/delivery/test-orders.ts";
import { ownOrders } from "#app/orders/list/order-rows.server.ts";
import type { OrderOwner } from "#app/orders/placing/place-order.server.ts";
import { IS_INDEXED } from "#app/orders/rules/open-statuses.server.ts";
import { isIndexed } from "#app/orders/rules/order-status.ts";

export type OwnOrdersQuery = {
  reference: string | null;
  status: OrderStatus | null;
  /** The last order of the page before, or null for the first page. */
  before: number | null;
  limit: number;
};

/** Orders that one page reads at most, if most of them have another status. The next page continues from there. */
export const PAGE_WINDOW = 500;

/**
 * Returns one page of the owner's orders, newest first, and the cursor of the next, or null if there is none. A page that
 * looks for a rare status may be short, or empty, and still have a next. A page costs the same however many orders there are.
 */
export async function listOwnOrders(
  db: Db,
  owner: OrderOwner,
  query: OwnOrdersQuery,
): Promise<{ orders: Order[]; next: number | null }> {
  const { status, limit } = query;
  const isMatch = status === null ? sql`1` : sql`${owner.isTest ? testStatus(Date.now()) : sql`status`} = ${status}`;
  const found = await db.all<{ id: number }>(
    sql`select id from (${candidates(owner, query)} limit ${PAGE_WINDOW}) where ${isMatch} limit ${limit + 1}`,
  );
  const page = found.length > limit ? pageOf(found, limit) : await readWindow(db, owner, query, isMatch);
  return { orders: page.ids.length === 0 ? [] : await readByIds(db, owner, page.ids), next: page.next };
}

type IdPage = { ids: number[]; next: number | null };

function pageOf(matching: { id: number }[], limit: number): IdPage {
  const ids = matching.slice(0, limit).map(({ id }) => id);
  return { ids, next: matching.length > limit ? (ids.at(-1) ?? null) : null };
}

/**
 * Reads the whole window in one statement: orders that arrive or end between two statements would move its end, and the
 * next page would repeat or skip some.
 */
async function readWindow(db: Db, owner: OrderOwner, query: OwnOrdersQuery, isMatch: SQL | undefined): Promise<IdPage> {
  const read = await db.all<{ id: number; matches: number }>(
    sql`select id, ${isMatch} as matches from (${candidates(owner, query)} limit ${PAGE_WINDOW})`,
  );
  const page = pageOf(
    read.filter(({ matches }) => matches === 1),
    query.limit,
  );
  const end = read.length === PAGE_WINDOW ? (read.at(-1)?.id ?? null) : null;
  return { ...page, next: page.next ?? end };
}

/** Selects orders by the index that fits, newest first. The conditions of partial indexes are repeated literally. */
function candidates({ userId, isTest }: OrderOwner, { reference, status, before }: OwnOrdersQuery): SQL {
  const isRare = status !== null && isIndexed(status) && !isTest;
  const where = and(
    ownOrders(userId, { isTest }),
    before === null ? undefined : lt(orders.id, before),
    reference === null ? undefined : and(eq(orders.reference, reference), sql`${orders.reference} is not null`),
    reference === null && isRare ? and(eq(orders.status, status), IS_INDEXED) : undefined,
  );
  return sql`select ${orders.id} as id, ${orders.status} as status, ${orders.createdAt} as created_at from ${orders} where ${where} order by ${orders.id} desc`;
}

/** The status of a test order, whose progress is simulated. */
function testStatus(now: number): SQL {
  return sql`case when status <> 'Pending' or created_at > ${now - IN_PROGRESS_AFTER_MS} then status
    when created_at > ${now - COMPLETED_AFTER_MS} then 'In progress' else 'Completed' end`;
}

async function readByIds(db: Db, owner: OrderOwner, ids: number[]): Promise<Order[]> {
  const given = sql`(select value from json_each(${JSON.stringify(ids)}))`;
  const read = await db
    .select()
    .from(orders)
    .where(and(ownOrders(owner.userId, owner), inArray(orders.id, given)));
  return read.sort((one, other) => other.id - one.id);
}
