import { and, asc, eq, getTableColumns, inArray, type SQL, sql } from "drizzle-orm";
import type { Db } from "#app/db/db.server.ts";
import { favorites, ORDER_TYPES, type OrderType, orders, services, serviceTimes } from "#app/db/schema.server.ts";
import { HAS_TIMES, readServiceTimes, TIMES_COLUMNS } from "#app/orders/delivery/service-times.server.ts";
import { byTier, type Lowered } from "#app/orders/prices/tier-prices.ts";
import { tierTerms } from "#app/orders/prices/tier-terms.server.ts";
import { acceptedLink } from "#app/orders/rules/links/service-links.ts";
import { fieldsOfType, isByPosts, isPerOrder } from "#app/orders/rules/order-input.ts";
import { listServices, PUBLIC_COLUMNS, type Service, splitsComments, type TimedService } from "./catalog.server.ts";

/** `lowered` is there if the rate is that of the customer's tier. */
export type Offer = ReturnType<typeof offerOf> & { lowered?: Lowered };

/** The fields that a form shows for one type of order. */
export type TypeForm = ReturnType<typeof formOf>;

/** A service in the search. The rest of what an order form needs depends on the service's type. */
export type CatalogEntry = Omit<TimedService, "description">;
export type Catalog = { services: CatalogEntry[]; types: Record<OrderType, TypeForm> };

/**
 * The chosen service with its delivery times, null with too few orders, and what link it takes: "a post, like https://…",
 * null for any. `splitsComments`: it takes no comma in a comment.
 */
export type ChosenOffer = Offer & Pick<TimedService, "times"> & { takes: string | null; splitsComments: boolean };

const MAX_FOUND = 50;

/** Returns a service with what an order form needs, computed here so that no page loads the rules. */
export function offerOf(service: Service) {
  const { runs, ...form } = formOf(service.type);
  return { ...service, ...form, asksRuns: runs && service.dripfeed };
}

function formOf(type: OrderType) {
  const { link, quantity, runs, needs, countedBy } = fieldsOfType(type);
  const counted = { perOrder: isPerOrder(type), byPosts: isByPosts(type), countedBy };
  return { asksLink: link, asksQuantity: quantity, runs, needs, ...counted };
}

/** Returns all services on sale at the usual rates, for the search in the browser. */
export async function readCatalog(db: Db): Promise<Catalog> {
  const [offered, times] = await Promise.all([listServices(db), readServiceTimes(db)]);
  return catalogOf(offered.map((service) => ({ ...service, times: times.get(service.id) ?? null })));
}

/** Returns a list of services as the search in the browser takes it. */
export function catalogOf(listed: TimedService[]): Catalog {
  return {
    services: listed.map(({ description: _, ...entry }) => entry),
    types: Object.fromEntries(ORDER_TYPES.map((type) => [type, formOf(type)])) as Catalog["types"],
  };
}

/**
 * Returns one service at the rate of the customer's tier, or the first of the catalog without an id. Without a customer, at
 * the usual rate. Returns null if it is not on sale.
 */
export async function readOffer(
  db: Db,
  serviceId: number | null,
  userId: string | null = null,
): Promise<ChosenOffer | null> {
  const which = serviceId === null ? undefined : eq(services.id, serviceId);
  return chosenOffer(await selectOffer(db, which, userId));
}

/**
 * Selects the offer with which an order form starts: the service of the user's order `repeatedId`, the wanted service, or
 * else the first favorite, or else the first of the catalog. Favorites don't count if either names a service.
 */
export function selectFirstOffer(
  db: Db,
  userId: string,
  { serviceId, repeatedId }: { serviceId: number | null; repeatedId: number | null },
) {
  const onSale = eq(services.enabled, true);
  const repeated = sql`select ${orders.serviceId} from ${orders} where ${orders.id} = ${repeatedId} and ${orders.userId} = ${userId} and ${orders.isTest} = 0`;
  const wanted = repeatedId === null ? sql`${serviceId}` : sql`coalesce((${repeated}), ${serviceId})`;
  const favorite = sql`select ${services.id} from ${favorites} inner join ${services} on ${services.id} = ${favorites.serviceId} where ${favorites.userId} = ${userId} and ${onSale} order by ${services.network}, ${services.name} limit 1`;
  const preferred =
    serviceId === null && repeatedId === null
      ? favorite
      : sql`select iif(${wanted} is null, (${favorite}), (select ${services.id} from ${services} where ${services.id} = ${wanted} and ${onSale}))`;
  const first = sql`select ${services.id} from ${services} where ${services.enabled} = 1 order by ${services.position}, ${services.id} limit 1`;
  return selectOffer(db, eq(services.id, sql`coalesce((${preferred}), (${first}))`), userId);
}

export function chosenOffer([found]: Awaited<ReturnType<typeof selectOffer>>): ChosenOffer | null {
  if (!found) return null;
  const { times, tier, splitsComments, ...usual } = found;
  const service = byTier(usual, tier);
  const offer: Offer = offerOf(service);
  const takes = offer.asksLink && offer.linkCheck !== "off" ? acceptedLink(service) : null;
  return { ...offer, times, takes, splitsComments };
}

/** Without two columns of the same name, of which a batch would return one. */
function selectOffer(db: Db, which: SQL | undefined, userId: string | null) {
  const tier = userId === null ? sql<null>`null`.as("tier") : tierTerms(userId);
  return db
    .select({ ...PUBLIC_COLUMNS, splitsComments, tier, times: TIMES_COLUMNS })
    .from(services)
    .leftJoin(serviceTimes, and(eq(serviceTimes.serviceId, services.id), HAS_TIMES))
    .where(and(eq(services.enabled, true), which))
    .orderBy(asc(services.position), asc(services.id))
    .limit(1);
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
    .select({ ...getTableColumns(services), splitsComments })
    .from(services)
    .where(and(eq(services.enabled, true), inArray(services.id, ids)));
}
