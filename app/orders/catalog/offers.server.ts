import { and, asc, eq, inArray, sql } from "drizzle-orm";
import type { Db } from "#app/db/db.server.ts";
import { ORDER_TYPES, type OrderType, services, serviceTimes } from "#app/db/schema.server.ts";
import { fieldsOfType, isPerOrder } from "#app/orders/rules/order-input.ts";
import { listServices, PUBLIC_COLUMNS, type Service } from "./catalog.server.ts";

export type Offer = ReturnType<typeof offerOf>;

/** The fields that a form shows for one type of order. */
export type TypeForm = ReturnType<typeof formOf>;

/** A service in the search. The rest of what an order form needs depends on the service's type. */
export type CatalogEntry = Omit<Service, "description">;
export type Catalog = { services: CatalogEntry[]; types: Record<OrderType, TypeForm> };

/** The chosen service with its average delivery time in ms, null before an order has completed. */
export type ChosenOffer = Offer & { averageMs: number | null; completed: number };

const MAX_FOUND = 50;

/** Returns a service with what an order form needs, computed here so that no page loads the rules. */
export function offerOf(service: Service) {
  const { runs, ...form } = formOf(service.type);
  return { ...service, ...form, asksRuns: runs && service.dripfeed };
}

function formOf(type: OrderType) {
  const { link, quantity, runs, needs, countedBy } = fieldsOfType(type);
  const byPosts = type === "Subscriptions";
  return { asksLink: link, perOrder: isPerOrder(type), byPosts, asksQuantity: quantity, runs, needs, countedBy };
}

/** Returns all services on sale, for the search in the browser. */
export async function readCatalog(db: Db): Promise<Catalog> {
  const offered = await listServices(db);
  return {
    services: offered.map(({ description: _, ...entry }) => entry),
    types: Object.fromEntries(ORDER_TYPES.map((type) => [type, formOf(type)])) as Catalog["types"],
  };
}

/** Returns one service, or the first of the catalog without an id. Returns null if it is not on sale. */
export async function readOffer(db: Db, serviceId: number | null): Promise<ChosenOffer | null> {
  const [found] = await selectOffers(db, serviceId === null ? undefined : eq(services.id, serviceId)).limit(1);
  if (!found) return null;
  const { averageMs, completed, ...service } = found;
  return { ...offerOf(service), averageMs, completed: completed ?? 0 };
}

/** Returns services whose name or category contains each word, for pages without scripts. */
export async function findOffers(db: Db, words: string) {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean).slice(0, 5);
  if (wanted.length === 0) return [];
  const text = sql`lower(${services.network} || ' ' || ${services.category} || ' ' || ${services.name})`;
  return db
    .select({ id: services.id, network: services.network, name: services.name })
    .from(services)
    .where(and(eq(services.enabled, true), ...wanted.map((word) => sql`instr(${text}, ${word}) > 0`)))
    .orderBy(asc(services.position), asc(services.id))
    .limit(MAX_FOUND);
}

/** Returns the requested services that are on sale, for a mass order. */
export async function readOrderable(db: Db, serviceIds: number[]) {
  const ids = sql`(select value from json_each(${JSON.stringify([...new Set(serviceIds)])}))`;
  return db
    .select()
    .from(services)
    .where(and(eq(services.enabled, true), inArray(services.id, ids)));
}

function selectOffers(db: Db, which: ReturnType<typeof eq> | undefined) {
  return db
    .select({ ...PUBLIC_COLUMNS, averageMs: serviceTimes.averageMs, completed: serviceTimes.completed })
    .from(services)
    .leftJoin(serviceTimes, eq(serviceTimes.serviceId, services.id))
    .where(and(eq(services.enabled, true), which))
    .orderBy(asc(services.position), asc(services.id));
}
