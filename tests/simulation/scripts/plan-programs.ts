import type { Random } from "#tests/faults/seeded-random.ts";
import { type CatalogEvent, SHOP_SERVICES } from "./plan-catalog.ts";
import { type OrderNotes, type PlaceEvent, placesOf, planPlace, type Surface } from "./plan-orders.ts";
import type { Profile } from "./profiles.ts";
import { MINUTE } from "./simulated-durations.ts";

export type ListFilter = "everything" | "status" | "reference";
export type ProgramEvent =
  /**
   * A program loses the response to an order and looks the order up by its reference. Then it sends it again with its
   * idempotency key, or leaves it at that. `lines` has one order.
   */
  | { kind: "lose_response"; at: number; name: string; by: "lookup" | "lookup and repeat"; lines: PlaceEvent[] }
  /** A program reads its list of orders to the end, `limit` at a time. `number` picks the status or the reference. */
  | { kind: "list_orders"; at: number; customer: number; by: ListFilter; limit: number; number: number }
  /** A program that keeps the list of services brings it up to date with what changed since it last did. */
  | { kind: "follow_catalog"; at: number; customer: number; by: "list" | "panel" };

/** References that several orders of a customer share. */
export const SHARED_REFERENCES = 3;
/** Few, so that each has missed something when it asks again. */
const FOLLOWERS = 2;
const LIST_LIMITS = [1, 3, 7, 20, 50, 100];
const LOSING_SURFACES: Surface[] = ["v1", "v1", "v2_with_id", "rest"];
const STALE_SURFACES: Surface[] = ["v1", "v2_with_id", "rest", "form", "form", "mass"];
const NOTES: (OrderNotes | null)[] = [
  null,
  null,
  { reference: "own", hasMetadata: true },
  { reference: "own", hasMetadata: false },
  { reference: "shared", hasMetadata: true },
  { reference: null, hasMetadata: true },
];

/** Programs that find what they made, list it, and follow the catalog. */
export function planPrograms(random: Random, { durationMs, customers, providers, orders }: Profile): ProgramEvent[] {
  const events: ProgramEvent[] = [];
  const anyTime = () => random.upTo(durationMs);
  const someone = () => random.upTo(customers);
  for (let n = Math.min(40, 3 + Math.floor(orders / 15)); n > 0; n--) {
    const by = random.pick(["lookup", "lookup and repeat"] as const);
    // Without a key, nothing but the reference tells whether there is an order.
    const surface = by === "lookup" && random.chance(0.5) ? "v2" : random.pick(LOSING_SURFACES);
    const place = { name: `lost-${n}`, at: anyTime(), customer: someone(), provider: random.upTo(providers), key: 0 };
    const line: PlaceEvent = {
      ...planPlace(random, { ...place, surface }),
      notes: { reference: "own", hasMetadata: random.chance(0.5) },
      hangsUpAfter: random.upTo(120),
      copies: 1,
    };
    events.push({ kind: "lose_response", at: line.at, name: `${line.name} visit`, by, lines: [line] });
  }
  for (let n = Math.min(30, 4 + Math.floor(orders / 20)); n > 0; n--) {
    const by = random.pick(["everything", "everything", "status", "reference"] as const);
    const limit = random.pick(LIST_LIMITS);
    events.push({ kind: "list_orders", at: anyTime(), customer: someone(), by, limit, number: random.upTo(60) });
  }
  for (let n = Math.min(40, 10 + Math.floor(orders / 20)); n > 0; n--) {
    const customer = random.upTo(Math.min(customers, FOLLOWERS));
    events.push({ kind: "follow_catalog", at: anyTime(), customer, by: random.pick(["list", "panel"]) });
  }
  return events;
}

/** Customers who order by the price that a page or list showed before it changed. */
export function planStalePrices(random: Random, profile: Profile): CatalogEvent[] {
  const { durationMs, customers, providers, shopOrders } = profile;
  return Array.from({ length: Math.ceil(shopOrders / 6) }, (_, n): CatalogEvent[] => {
    const at = random.upTo(durationMs);
    const service = random.upTo(SHOP_SERVICES);
    const rate = 100_000 + random.upTo(5_000_000);
    const by = random.pick(STALE_SURFACES);
    const name = `stale-${n}`;
    const when = at + 2 * MINUTE + random.upTo(MINUTE);
    const place = { name, at: when, customer: random.upTo(customers), provider: providers, key: 0, surface: by };
    const line = planPlace(random, place);
    // A program that allows what it has seen.
    const quantity = line.quantity - (line.quantity % 2);
    const lines = [{ ...line, service, quantity, copies: 1, hangsUpAfter: null }];
    return [
      { kind: "set_service", at, service, by: "price", rate, min: 1 },
      { kind: "shop", at: when, name: `${name} visit`, by, seen: "the price before", lines },
    ];
  }).flat();
}

/** Gives some of the orders that programs place a reference, metadata or both. Changes the events. */
export function addNotes(random: Random, events: { kind: string }[]): void {
  for (const place of placesOf(events)) {
    const notes = random.pick(NOTES);
    if (notes && place.surface !== "form" && place.surface !== "mass") place.notes = notes;
  }
}
