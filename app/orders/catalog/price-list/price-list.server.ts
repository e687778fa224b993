import { cutText } from "#app/cut-text.ts";
import type { Db } from "#app/db/db.server.ts";
import { readServiceTimes } from "#app/orders/delivery/service-times.server.ts";
import { acceptedLink } from "#app/orders/rules/links/service-links.ts";
import { fieldsOfType, isByPosts, isPerOrder } from "#app/orders/rules/order-input.ts";
import type { Listed, Service } from "../catalog.server.ts";
import { type Indexed, indexCatalog, search } from "../catalog-search.ts";
import type { PriceListQuery } from "./price-list-paths.ts";

export const PRICES_PER_PAGE = 100;
const SEARCH_MAX_CHARS = 100;
const MAX_SIMILAR = 6;

/** A line of the price list. */
export type PriceLine = ReturnType<typeof lineOf>;

type Kept = { indexed: Indexed<Service>[]; networks: Map<string, string[]>; byId: Map<number, Service> };

const keptOf = new WeakMap<Service[], Kept>();

/** Reads the filters of a URL. Ignores a category that the chosen network doesn't have. */
export function readPriceListQuery(services: Service[], params: URLSearchParams): PriceListQuery & { page: number } {
  const { networks } = prepare(services);
  const asked = { network: params.get("network") ?? "", category: params.get("category") ?? "" };
  const network = networks.has(asked.network) ? asked.network : "";
  const category = categoriesOf(services, network).includes(asked.category) ? asked.category : "";
  const page = /^[1-9]\d{0,3}$/.test(params.get("page") ?? "") ? Number(params.get("page")) : 1;
  return { q: cutText((params.get("q") ?? "").trim(), SEARCH_MAX_CHARS), network, category, page };
}

/** Returns one page of the services that match. Reads delivery times of that page only, the services from memory. */
export async function readPriceList(db: Db, { services }: Listed, query: PriceListQuery & { page: number }) {
  const { indexed, networks } = prepare(services);
  const { q, network, category } = query;
  const found = search(indexed, { words: q, network, category, only: null });
  const pages = Math.max(1, Math.ceil(found.length / PRICES_PER_PAGE));
  const page = Math.min(query.page, pages);
  const shown = found.slice((page - 1) * PRICES_PER_PAGE, page * PRICES_PER_PAGE);
  const times = await readServiceTimes(
    db,
    shown.map(({ id }) => id),
  );
  return {
    found: found.length,
    total: services.length,
    page,
    pages,
    lines: shown.map((service) => ({ ...lineOf(service), time: times.get(service.id) ?? null })),
    networks: [...networks.keys()],
    categories: categoriesOf(services, network),
  };
}

/** Returns a service on sale with its delivery time and others like it, or null if it is not on sale. */
export async function readPricedService(db: Db, { services }: Listed, id: number) {
  const service = prepare(services).byId.get(id);
  if (!service) return null;
  const similar = services
    .filter((one) => one.network === service.network && one.category === service.category && one.id !== id)
    .slice(0, MAX_SIMILAR);
  const shown = [service, ...similar];
  const times = await readServiceTimes(
    db,
    shown.map((one) => one.id),
  );
  const timed = (one: Service) => ({ ...lineOf(one), time: times.get(one.id) ?? null });
  const { link, quantity } = fieldsOfType(service.type);
  return {
    ...timed(service),
    description: service.description,
    similar: similar.map(timed),
    takes: link ? acceptedLink(service) : null,
    asksQuantity: quantity,
    byPosts: isByPosts(service.type),
  };
}

function lineOf({ type, description: _, ...line }: Service) {
  const { network, category } = line;
  // Many panels' categories begin with their network.
  const group = category.startsWith(network) ? category : `${network} ${category}`;
  return { ...line, group, perOrder: isPerOrder(type) };
}

function categoriesOf(services: Service[], network: string): string[] {
  const { networks } = prepare(services);
  return network === "" ? [...new Set([...networks.values()].flat())] : (networks.get(network) ?? []);
}

/** Prepares the services for searching, once for each array of them. */
function prepare(services: Service[]): Kept {
  const known = keptOf.get(services);
  if (known) return known;
  const networks = new Map<string, Set<string>>();
  for (const { network, category } of services) {
    networks.set(network, (networks.get(network) ?? new Set()).add(category));
  }
  const kept = {
    indexed: indexCatalog(services),
    networks: new Map([...networks].map(([network, categories]) => [network, [...categories]])),
    byId: new Map(services.map((service) => [service.id, service])),
  };
  keptOf.set(services, kept);
  return kept;
}
