import { priceChangedBy, priceForMargin, roundedUpTo } from "#app/orders/rules/margin.ts";
import { guard, type Refusal } from "#app/orders/services/service-guard.ts";

/** Bounds of what a form takes, in basis points. A price is neither made 0 nor more than eleven times what it was. */
export const PRICE_CHANGE = { min: -9_900, max: 100_000 };
export const MARGIN = { min: 0, max: 9_900 };

/** A change to each service of a selection. `step`: rates are rounded up to a multiple of it. Rates are micro-units. */
export type BulkChange =
  | { kind: "price"; part: number; step: number | null }
  | { kind: "margin"; margin: number; step: number | null }
  | { kind: "round"; step: number }
  | { kind: "category"; category: string }
  | { kind: "sale"; enabled: boolean };

/** The column that a change writes. */
export const BULK_FIELDS = ["rate", "category", "enabled"] as const;
export type BulkField = (typeof BULK_FIELDS)[number];
export type BulkValue = string | number | boolean;

/** A service as a bulk change reads it. */
export type BulkService = {
  id: number;
  version: number;
  name: string;
  category: string;
  rate: number;
  /** The current or coming cost: also a higher rate that the provider offers while that waits for a decision. */
  providerRate: number | null;
  enabled: boolean;
  /** A change of the provider's catalog is decided before it goes on sale. */
  isBlocked: boolean;
};

/** Why a service of the selection stays as it is. */
export type Left = "same" | "no_cost" | "changed_since" | Refusal;

export function fieldOf(change: BulkChange): BulkField {
  switch (change.kind) {
    case "price":
    case "margin":
    case "round":
      return "rate";
    case "category":
      return "category";
    case "sale":
      return "enabled";
    default:
      return change satisfies never;
  }
}

/** Returns the value that a change gives a service's field, or why the service is left alone. */
export function changedValue(service: BulkService, change: BulkChange): { to: BulkValue } | { left: Left } {
  switch (change.kind) {
    case "price":
      return rateOf(service, priceChangedBy(service.rate, change.part), change.step);
    case "margin":
      if (service.isBlocked) return { left: "waits" };
      // A cost of 0 is a provider's mistake or a trial: any price would do, and 0 least of all.
      if (!service.providerRate) return { left: "no_cost" };
      return rateOf(service, priceForMargin(service.providerRate, change.margin), change.step);
    case "round":
      return rateOf(service, service.rate, change.step);
    case "category":
      return valueFor(service, "category", change.category);
    case "sale":
      return valueFor(service, "enabled", change.enabled);
    default:
      return change satisfies never;
  }
}

function rateOf(service: BulkService, rate: number, step: number | null): { to: BulkValue } | { left: Left } {
  return valueFor(service, "rate", step === null ? rate : roundedUpTo(rate, step));
}

/** Returns a new value, or why the service is left alone. A sale below cost isn't: it is shown, and somebody may agree to it. */
export function valueFor(service: BulkService, field: BulkField, to: BulkValue): { to: BulkValue } | { left: Left } {
  if (service[field] === to) return { left: "same" };
  const refusal = guard(service, { ...service, [field]: to }, { toLoss: true });
  return refusal ? { left: refusal } : { to };
}
