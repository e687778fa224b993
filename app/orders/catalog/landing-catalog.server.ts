import { isByPosts, isPerOrder } from "#app/orders/rules/order-input.ts";
import type { Service } from "./catalog.server.ts";
import { type Offer, offerOf } from "./offers.server.ts";

/** What the landing page carries of the catalog: about the same at 40 services and at 5,000. */
export type LandingCatalog = {
  /** Services on sale, and networks that have any. */
  services: number;
  networkCount: number;
  /** The lowest rate per 1,000, in micro-units. Null: there are only packages. */
  lowestRate: number | null;
  /** The networks that the calculator offers, with how many of their services it can order. */
  networks: { name: string; count: number }[];
  /** The first offers of the first network. */
  offers: Offer[];
};

/** More networks are on the price list only. */
const MAX_NETWORKS = 16;
const MAX_OFFERS = 8;

const summaries = new WeakMap<Service[], LandingCatalog>();

/** Summarizes the services on sale, once for each array of them. */
export function summarizeCatalog(services: Service[]): LandingCatalog {
  const known = summaries.get(services);
  if (known) return known;
  const summary = summaryOf(services);
  summaries.set(services, summary);
  return summary;
}

/** Returns the offers of one network, in the catalog's order. */
export function offersOfNetwork(services: Service[], network: string): Offer[] {
  return services.filter((service) => service.network === network && !isByPosts(service.type)).map(offerOf);
}

function summaryOf(services: Service[]): LandingCatalog {
  const counts = new Map<string, number>();
  for (const service of services) {
    if (!isByPosts(service.type)) counts.set(service.network, (counts.get(service.network) ?? 0) + 1);
  }
  const networks = [...counts].slice(0, MAX_NETWORKS).map(([name, count]) => ({ name, count }));
  const rates = services.filter(({ type }) => !isPerOrder(type)).map(({ rate }) => rate);
  return {
    services: services.length,
    networkCount: new Set(services.map(({ network }) => network)).size,
    lowestRate: rates.length === 0 ? null : rates.reduce((lowest, rate) => Math.min(lowest, rate)),
    networks,
    offers: offersOfNetwork(services, networks[0]?.name ?? "").slice(0, MAX_OFFERS),
  };
}
