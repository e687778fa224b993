import { isDeepStrictEqual } from "node:util";
import type { Terms } from "../../world/catalog-model.ts";
import { type CatalogWorld, termsBetween } from "../../world/catalog-world.ts";
import type { WebhookWorld } from "../../world/customers/webhook-world.ts";
import type { World } from "../../world/open-world.ts";
import type { Arrival } from "../../world/outside/world-receiver.ts";
import type { Site } from "../../world/site.ts";
import type { Violation } from "../violation.ts";

/** Terms as an event tells them. Null: not on sale. */
type Told = { rate: string; min: number; max: number } | null;
type CatalogEvent = {
  type: string;
  data: { since: number; version: number; services: { service: number; before: Told; after: Told }[] };
};
type ToldTerms = { rate: number; min: number; max: number } | null;

const MICRO = 1_000_000;

/**
 * Follows the shop's services through the `service.changed` events of each webhook: what one event says after the change is
 * what the next one says before it, all of it was once in force, and in the end it is what is in force now.
 */
export function judgeCatalogEvents(
  site: Site,
  world: World,
  { webhooks, receiver }: WebhookWorld,
  { inForce }: CatalogWorld,
): Violation[] {
  const violations: Violation[] = [];
  const serviceIds = world.shop?.serviceIds ?? [];
  for (const webhook of webhooks) {
    if (webhook.customer.hasLeft || webhook.wants === "orders") continue;
    const broken = (rule: string, truth: unknown, product: unknown) =>
      violations.push({ rule, subject: webhook.path, world: truth, product });
    const arrivals = receiver.arrivals.filter(({ path }) => path === webhook.path);
    const told = new Map<number, ToldTerms>();
    const seen = new Set<string>();
    for (const { id, body } of arrivals) {
      const event = JSON.parse(body) as CatalogEvent;
      if (event.type !== "service.changed" || seen.has(id)) continue;
      seen.add(id);
      for (const { service, before, after } of event.data.services) {
        const n = serviceIds.indexOf(service);
        // The world's other services are opened before anybody has a webhook.
        if (n === -1) {
          broken("only what changed is told", serviceIds, event);
          continue;
        }
        const [was, is] = [termsOf(before), termsOf(after)];
        const known = told.get(n);
        if (known !== undefined && !isDeepStrictEqual(known, was)) {
          broken("an event of the catalog goes on from the one before", known, event);
        }
        if (isDeepStrictEqual(was, is)) broken("an event of the catalog tells a difference", null, event);
        const ever = inForce.filter((one) => one.service === n).map(({ terms }) => onSale(terms));
        for (const one of [was, is]) {
          if (!ever.some((terms) => isDeepStrictEqual(terms, one)))
            broken("what was told was in force once", ever, event);
        }
        told.set(n, is);
        site.count("change of a service told");
      }
    }
    if (webhook.endedAt !== null || isWaiting(arrivals)) continue;
    for (const n of serviceIds.keys()) {
      const now = onSale(inForce.findLast((one) => one.service === n)?.terms);
      const before = termsBetween(inForce, n, webhook.created).map(onSale);
      const known = told.has(n) ? [told.get(n)] : before;
      if (!known.some((terms) => isDeepStrictEqual(terms, now))) {
        broken("each change of a service is told", { service: serviceIds[n], now, before }, { told: told.get(n) });
      } else if (told.has(n)) site.count("service followed by webhook to the end");
    }
  }
  return violations;
}

/** Returns whether something is yet to come, or nothing ever will: an attempt failed and none has worked since. */
function isWaiting(arrivals: Arrival[]): boolean {
  const accepted = new Set(arrivals.filter(({ isAccepted }) => isAccepted).map(({ id }) => id));
  return arrivals.some(({ id }) => !accepted.has(id));
}

function termsOf(told: Told): ToldTerms {
  return told && { rate: Math.round(Number(told.rate) * MICRO), min: told.min, max: told.max };
}

function onSale(terms: Terms | undefined): ToldTerms {
  return terms?.isOnSale ? { rate: terms.rate, min: terms.min, max: terms.max } : null;
}
