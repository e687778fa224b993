import { SHOP_SERVICES } from "../../scripts/plan-catalog.ts";

/** A service as its provider offers it. `rate` in micro-units. */
export type OfferedService = {
  id: string;
  rate: number;
  min: number;
  max: number;
  isOffered: boolean;
  isReadable: boolean;
};
/** A catalog that the provider has sent. `at` in real ms since 1970. */
export type SentCatalog = { at: number; services: OfferedService[] };
export type ProviderCatalog = {
  services: OfferedService[];
  isEmpty: boolean;
  sent: SentCatalog[];
  /** Returns the catalog as panels write it. */
  list(): object[];
};

const FIRST_ID = 10;
const MICRO = 1_000_000;

/** A provider's catalog, which the script changes. */
export function providerCatalog(): ProviderCatalog {
  const services = Array.from({ length: SHOP_SERVICES }, (_, n) => ({
    id: String(FIRST_ID + n),
    rate: 1_000_000 + 333_333 * n,
    min: 1,
    max: 1_000_000,
    isOffered: true,
    isReadable: true,
  }));
  const catalog: ProviderCatalog = {
    services,
    isEmpty: false,
    sent: [],
    list() {
      const offered = catalog.isEmpty ? [] : services.filter(({ isOffered }) => isOffered);
      catalog.sent.push({ at: Date.now(), services: offered.map((service) => ({ ...service })) });
      return offered.map(({ id, rate, min, max, isReadable }) => ({
        service: Number(id),
        name: `Service ${id}`,
        category: "Instagram",
        type: "Default",
        rate: isReadable ? (rate / MICRO).toFixed(6) : "ask us",
        min: String(min),
        max: String(max),
        dripfeed: true,
        refill: true,
        cancel: true,
      }));
    },
  };
  return catalog;
}
