import { isDeepStrictEqual } from "node:util";
import type { PlaceEvent } from "../scripts/plan-orders.ts";
import { notesOf } from "../world/customers/order-customer.ts";
import { type ListedOrder, listOrders, type ProgramWorld, STATUSES } from "../world/customers/program-world.ts";
import type { Customer, World } from "../world/open-world.ts";
import type { Site } from "../world/site.ts";
import type { OrderRow, Violation } from "./violation.ts";

const MICRO = 1_000_000;
const LIMITS = [100, 7];
const REFERENCES_AT_MOST = 25;

type Report = (rule: string, truth: unknown, product: unknown) => void;

/**
 * Compares the lists of orders that programs read with the orders there are: each one once, newest first, with what was
 * sent with it, and nobody else's. `places` are all orders that anybody tried to place.
 */
export async function judgeOrderLists(
  site: Site,
  world: World,
  { readLists }: ProgramWorld,
  { rows, places }: { rows: OrderRow[]; places: PlaceEvent[] },
): Promise<Violation[]> {
  const violations: Violation[] = [];
  const eventOf = new Map(places.map((event) => [world.linkOf(event.name), event] as const));
  for (const { customer, by, filter, limit, upTo, confirmed, listed } of readLists) {
    const broken: Report = (rule, truth, product) =>
      violations.push({ rule, subject: `${customer.person.email}, by ${by}, ${limit} a page`, world: truth, product });
    const own = rows.filter(({ user_id }) => user_id === customer.userId);
    // The orders of a deleted account are under another id.
    if (customer.hasLeft) continue;
    judgeOrder(listed, own, broken);
    if (by === "status" && listed.some(({ status }) => status !== filter.status)) {
      broken(
        "a list by status has no other status",
        filter.status,
        listed.map(({ status }) => status),
      );
    }
    // Statuses change while the list is read.
    if (by === "status") continue;
    const isDue = ({ link }: OrderRow) => by === "everything" || referenceOf(eventOf.get(link)) === filter.reference;
    const due = own.filter((row) => row.id <= upTo && isDue(row)).map(({ id }) => id);
    const before = listed.map(({ id }) => id).filter((id) => id <= upTo);
    if (!isSameSet(due, before)) broken("a list has each order that was there once", due, before);
    const ids = new Set(before);
    const lost = by === "everything" ? confirmed.filter((id) => !ids.has(id)) : [];
    if (lost.length > 0) broken("a list has each confirmed order", lost, before);
  }
  for (const customer of world.customers) {
    if (customer.hasLeft) continue;
    const broken: Report = (rule, truth, product) =>
      violations.push({ rule, subject: customer.person.email, world: truth, product });
    const own = rows.filter(({ user_id }) => user_id === customer.userId);
    await judgeLists(site, customer, { own, eventOf }, broken);
  }
  return violations;
}

/** Compares what each filter lists at the end. */
async function judgeLists(
  site: Site,
  customer: Customer,
  { own, eventOf }: { own: OrderRow[]; eventOf: Map<string, PlaceEvent> },
  broken: Report,
): Promise<void> {
  for (const limit of LIMITS) {
    const listed = (await listOrders(site, customer, {}, limit)) ?? [];
    judgeOrder(listed, own, broken);
    const ids = listed.map(({ id }) => id);
    if (
      !isSameSet(
        ids,
        own.map(({ id }) => id),
      )
    )
      broken(`the list of orders is whole, ${limit} a page`, own.length, ids);
    for (const order of listed) judgeListed(order, own, eventOf, broken);
  }
  for (const status of STATUSES) {
    const ids = ((await listOrders(site, customer, { status }, 20)) ?? []).map(({ id }) => id);
    const due = own.filter((row) => row.status === status).map(({ id }) => id);
    if (!isSameSet(ids, due)) broken(`the list of ${status} orders is whole`, due, ids);
  }
  const byReference = Map.groupBy(own, ({ link }) => referenceOf(eventOf.get(link)));
  for (const [reference, due] of [...byReference].slice(0, REFERENCES_AT_MOST)) {
    if (reference === null) continue;
    const ids = ((await listOrders(site, customer, { reference }, 3)) ?? []).map(({ id }) => id);
    if (
      !isSameSet(
        ids,
        due.map(({ id }) => id),
      )
    )
      broken("a reference finds its orders", { reference, due }, ids);
    site.count("reference looked up at the end");
  }
  site.count("lists of orders compared");
}

function judgeListed(order: ListedOrder, own: OrderRow[], eventOf: Map<string, PlaceEvent>, broken: Report): void {
  const row = own.find(({ id }) => id === order.id);
  if (!row) return;
  const event = eventOf.get(row.link);
  const { reference = null, metadata = null } = event ? notesOf(event) : {};
  const truth = {
    charge: row.charge,
    refunded: row.refunded,
    status: row.status,
    remains: row.remains,
    createdAt: row.created_at,
    reference,
    metadata,
  };
  const shown = {
    charge: Math.round(Number(order.charge) * MICRO),
    refunded: Math.round(Number(order.refunded) * MICRO),
    status: order.status,
    remains: order.remains,
    createdAt: Date.parse(order.created_at),
    reference: order.reference,
    metadata: order.metadata,
  };
  if (!isDeepStrictEqual(shown, truth)) broken("a list shows an order as it is", truth, order);
}

function judgeOrder(listed: ListedOrder[], own: OrderRow[], broken: Report): void {
  const ids = listed.map(({ id }) => id);
  if (ids.some((id, n) => n > 0 && id >= (ids[n - 1] ?? 0)))
    broken("a list is newest first, each order once", null, ids);
  const known = new Set(own.map(({ id }) => id));
  const foreign = ids.filter((id) => !known.has(id));
  if (foreign.length > 0) broken("a list has only own orders", null, foreign);
}

/** Returns the reference that the order was sent with, or null. */
function referenceOf(event: PlaceEvent | undefined): string | null {
  return (event && notesOf(event).reference) ?? null;
}

function isSameSet(some: number[], others: number[]): boolean {
  return isDeepStrictEqual(
    some.toSorted((a, b) => a - b),
    others.toSorted((a, b) => a - b),
  );
}
