import type { Random } from "#tests/faults/seeded-random.ts";
import { type PlaceEvent, planPlace, type Surface } from "./plan-orders.ts";
import type { Profile } from "./profiles.ts";
import { MINUTE } from "./simulated-durations.ts";

/** Services of the provider whose catalog changes. */
export const SHOP_SERVICES = 4;

export type CatalogEvent =
  /** The provider changes its catalog. `rate` in micro-units. "empty" is a mistake that its next change ends. */
  | { kind: "offer"; at: number; service: number; by: OfferChange; rate: number; min: number }
  /** An admin looks at the changes and imports them. They may have changed meanwhile. */
  | { kind: "import"; at: number; by: "preview" | "outdated preview" }
  /** An admin changes a service. `rate` in micro-units. */
  | { kind: "set_service"; at: number; service: number; by: ServiceChange; rate: number; min: number }
  /** A customer orders a service whose terms may just be changing. `lines` has one order. */
  | { kind: "shop"; at: number; name: string; by: Surface; seen?: "the price before"; lines: PlaceEvent[] }
  /** A customer's program reads the list of services. */
  | { kind: "read_services"; at: number; customer: number };
export type OfferChange = "price" | "limits" | "gone" | "back" | "unreadable" | "empty";
export type ServiceChange = "price" | "limits" | "off sale" | "on sale";

const OFFER_CHANGES: OfferChange[] = ["price", "price", "limits", "gone", "back", "back", "unreadable", "empty"];
const SERVICE_CHANGES: ServiceChange[] = ["price", "price", "limits", "off sale", "on sale", "on sale", "on sale"];
const SURFACES: Surface[] = ["v1", "v2_with_id", "rest", "form", "mass"];
const ORDERS_PER_CHANGE = 3;

/** Changes come one after the other, each with orders in the same moment and soon after it. */
export function planCatalog(random: Random, profile: Profile): CatalogEvent[] {
  const { durationMs, customers, providers, shopOrders } = profile;
  const events: CatalogEvent[] = [];
  for (let n = 0; n < shopOrders; ) {
    const at = random.upTo(durationMs);
    const service = random.upTo(SHOP_SERVICES);
    const terms = () => ({ rate: 100_000 + random.upTo(5_000_000), min: 1 + random.upTo(1500) });
    if (random.chance(0.5)) {
      events.push({ kind: "set_service", at, service, by: random.pick(SERVICE_CHANGES), ...terms() });
    } else {
      const by = random.chance(0.3) ? "outdated preview" : "preview";
      events.push({ kind: "offer", at: at - 2 * MINUTE, service, by: random.pick(OFFER_CHANGES), ...terms() });
      events.push({ kind: "import", at, by });
    }
    events.push({ kind: "read_services", at: at + random.upTo(2 * MINUTE), customer: random.upTo(customers) });
    for (let left = ORDERS_PER_CHANGE; left > 0; left--, n++) {
      const when = at + (random.chance(0.6) ? 0 : random.upTo(20 * MINUTE));
      const by = random.pick(SURFACES);
      const name = `shop-${n}`;
      const place = { name, at: when, customer: random.upTo(customers), provider: providers, key: 0, surface: by };
      const line: PlaceEvent = { ...planPlace(random, place), service };
      events.push({ kind: "shop", at: when, name: `${name} visit`, by, lines: [line] });
    }
  }
  return events.map((event) => ({ ...event, at: Math.max(0, event.at) }));
}
