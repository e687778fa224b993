import { and, eq, inArray, type SQL, sql } from "drizzle-orm";
import { type HoldReason, orders } from "#app/db/schema.server.ts";
import { isPastExpected, isStill } from "#app/orders/delivery/late-orders.server.ts";
import { INDEXED_STATUSES, type IndexedStatus, OPEN_STATUSES } from "#app/orders/rules/order-status.ts";
import type { FoundOrders } from "./find-orders.server.ts";
import { BY_HAND, HELD, inView, LIVE, type OrderView, withStatus } from "./order-views.server.ts";

/** What narrows a list of orders. Null and false: nothing. */
export type OrderFilter = {
  view: OrderView;
  service: number | null;
  /** "none": fulfilled by hand. */
  provider: number | "none" | null;
  source: "web" | "api" | null;
  heldFor: HoldReason | null;
  /** Open, and past the time by which it was expected. */
  late: boolean;
  /** Open, and nothing has changed for a day. */
  still: boolean;
};

/**
 * Where a list of orders is read from: the parts of indexes that hold all of them, each in the order of the ids. `rest` is
 * what the indexes don't hold, undefined if they hold it all.
 */
export type OrderSource = { branches: SQL[]; rest: SQL | undefined };

/** Chooses the parts of indexes that leave the fewest orders to look through. */
export function sourceOf(filter: OrderFilter, found: FoundOrders | null, now: number): OrderSource {
  const conditions = conditionsOf(filter, now);
  const { branches, holds } = branchesOf(filter, found);
  const rest = Object.entries(conditions).filter(([name]) => !holds.includes(name as keyof OrderFilter));
  return { branches, rest: and(...rest.map(([, condition]) => condition)) };
}

function conditionsOf(filter: OrderFilter, now: number): Partial<Record<keyof OrderFilter, SQL>> {
  const { view, service, provider, source, heldFor, late, still } = filter;
  const isOpen = inView("open");
  return {
    ...(view !== "all" && { view: inView(view) as SQL }),
    ...(service !== null && { service: sql`${orders.serviceId} = ${service}` }),
    ...(provider !== null && {
      provider: provider === "none" ? sql`${orders.providerId} is null` : sql`${orders.providerId} = ${provider}`,
    }),
    ...(source !== null && { source: sql`${orders.source} = ${source}` }),
    ...(heldFor !== null && { heldFor: sql`${HELD} and ${orders.heldFor} = ${heldFor}` }),
    ...(late && { late: sql`${isOpen} and ${isPastExpected(now)}` }),
    ...(still && { still: sql`${isOpen} and ${isStill(now)}` }),
  };
}

function branchesOf(filter: OrderFilter, found: FoundOrders | null): { branches: SQL[]; holds: (keyof OrderFilter)[] } {
  const { view, service, heldFor, late, still } = filter;
  if (found !== null) {
    const [only, ...others] = branchesFound(found);
    const isOfOne = found.customers.length === 1 && others.length === 0;
    // The index of one customer's orders by status.
    return isOfOne && indexedStatusOf(view) !== null
      ? { branches: [sql`${only} and ${inView(view)}`], holds: ["view"] }
      : { branches: branchesFound(found), holds: [] };
  }
  if (heldFor !== null) {
    return {
      branches: [sql`${HELD} and ${orders.heldFor} = ${heldFor}`],
      holds: view === "held" ? ["heldFor", "view"] : ["heldFor"],
    };
  }
  if (view === "held") return { branches: [HELD], holds: ["view"] };
  if (view === "manual") return { branches: [BY_HAND], holds: ["view"] };
  const open = openStatusesOf(view, late || still);
  if (open.length > 0) return { branches: open.map(withStatus), holds: view === "all" ? [] : ["view"] };
  if (service !== null) return { branches: [sql`${orders.serviceId} = ${service} and ${LIVE}`], holds: ["service"] };
  const status = indexedStatusOf(view);
  if (status !== null) return { branches: [withStatus(status)], holds: ["view"] };
  return { branches: [LIVE], holds: [] };
}

/** Returns the open statuses that a list is of, or none if it isn't of open orders only. */
function openStatusesOf(view: OrderView, isOfOpen: boolean): IndexedStatus[] {
  if (view === "open" || (view === "all" && isOfOpen)) return OPEN_STATUSES;
  return OPEN_STATUSES.filter((status) => status === view);
}

/** Returns the view's status, or null if it is of none that an index holds. */
function indexedStatusOf(view: OrderView): IndexedStatus | null {
  return INDEXED_STATUSES.find((status) => status === view) ?? null;
}

function branchesFound({ ids, linkKey, reference, customers }: FoundOrders): SQL[] {
  const branches: (SQL | undefined)[] = customers.map(({ userId }) => and(eq(orders.userId, userId), LIVE));
  if (ids.length > 0) branches.push(and(inArray(orders.id, ids), LIVE));
  if (linkKey !== null)
    branches.push(sql`${orders.linkKey} is not null and ${orders.linkKey} = ${linkKey} and ${LIVE}`);
  if (reference !== null) branches.push(and(eq(orders.reference, reference), LIVE));
  return branches.filter((branch) => branch !== undefined);
}
