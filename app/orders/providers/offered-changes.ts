import type { OfferedTerms } from "#app/db/schema.server.ts";
import { linkKindOf } from "#app/orders/rules/links/service-links.ts";
import type { DecidedColumns, ServiceChange } from "#app/orders/services/service-change.ts";
import { networkOf, type OfferedService } from "./provider-catalog.server.ts";

/** What a provider's offer changes of our services. Rates in micro-units. */

type Known = DecidedColumns & { id: number; version: number };

/** A decision about a service's new terms. */
type TakenTerms = {
  /** The provider's terms, as ours. */
  terms: Omit<OfferedTerms, "category">;
  ourRate: number;
  /** Null: the rate is one that staff set. */
  ruleRate: number | null;
  /** A person decided on these terms: what nights change adds up from here. */
  isDecided: boolean;
  enabled: boolean;
};

/** Returns the change that gives a service a provider's terms. */
export function takeTerms(ours: Known, { terms, ourRate, ruleRate, isDecided, enabled }: TakenTerms): ServiceChange {
  const { type, min, max, dripfeed, refill, cancel, rate: cost } = terms;
  return {
    before: ours,
    set: {
      ...{ type, min, max, dripfeed, refill, cancel },
      rate: ourRate,
      providerRate: cost,
      ruleRate,
      decidedRate: isDecided ? ourRate : (ours.decidedRate ?? ours.rate),
      decidedCost: isDecided ? cost : (ours.decidedCost ?? ours.providerRate ?? cost),
      enabled,
      keptWhileGone: false,
    },
  };
}

/** Returns the change that puts a service on or off sale. `keptWhileGone`: on sale without being in the catalog. */
export function switchSale(
  ours: Known,
  { enabled, keptWhileGone = false }: { enabled: boolean; keptWhileGone?: boolean },
): ServiceChange {
  return { before: ours, set: { enabled, keptWhileGone } };
}

/** Returns the change that adds a service off sale, with the rate that its rule gives. */
export function addOffered(
  providerId: number,
  { service, ourRate }: { service: OfferedService; ourRate: number },
): ServiceChange {
  const { rate: cost, ...offered } = service;
  const network = networkOf(`${service.category} ${service.name}`);
  return {
    before: null,
    set: {
      ...offered,
      network,
      linkKind: linkKindOf({ ...service, network }),
      linkCheck: "warn",
      enabled: false,
      providerId,
      rate: ourRate,
      ruleRate: ourRate,
      decidedRate: ourRate,
      providerRate: cost,
      decidedCost: cost,
    },
  };
}
