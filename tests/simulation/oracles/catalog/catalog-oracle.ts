import { type FollowerWorld, isSameList } from "../../world/catalog-follower.ts";
import type { Terms } from "../../world/catalog-model.ts";
import { type CatalogWorld, type ShopOrder, termsBetween } from "../../world/catalog-world.ts";
import { chargeBy } from "../../world/customers/order-customer.ts";
import type { World } from "../../world/open-world.ts";
import type { Site } from "../../world/site.ts";
import type { OrderRow, Violation } from "../violation.ts";

/**
 * An order is placed by terms that were in force while it was sent, or refused for terms that were. An import changes what
 * its preview showed, and a night only what catalog-model.ts allows: the rest waits for a decision. Nobody is charged more than a page showed or a program allowed. Judges charges of orders that nobody confirmed, too; those of others are the order oracle's.
 */
export function judgeCatalog(
  site: Site,
  world: World,
  { inForce, shopOrders, priceRefusals, lists, surprises }: CatalogWorld,
  rows: OrderRow[],
): Violation[] {
  const violations: Violation[] = [];
  const broken = (rule: string, subject: string, truth: unknown, product: unknown) =>
    violations.push({ rule, subject, world: truth, product });
  for (const { change, expected, found } of surprises) {
    broken("the catalog is what was imported or saved", change, expected, found);
  }
  for (const order of shopOrders) {
    const { placed, service, from, to } = order;
    const terms = termsBetween(inForce, service, { from, to });
    const link = world.linkOf(placed.event.name);
    const stored = rows.filter((row) => row.link === link);
    const subject = placed.event.name;
    const dearest = Math.max(0, ...stored.map(({ charge }) => charge));
    if (order.agreed !== null && dearest > order.agreed) {
      broken("no order is charged more than was shown or allowed", subject, order.agreed, stored);
    }
    const isMass = placed.event.surface === "mass";
    if (isMass && stored.some(({ charge }) => charge !== order.agreed)) {
      broken("a mass order is charged what its preview showed", subject, order.agreed, stored);
    }
    if (placed.refusal !== null && placed.id === null) {
      if (stored.length > 0) broken("a refused order changes nothing", subject, placed, stored);
      if (!isRefusedRightly(order, terms))
        broken("an order is refused for true terms", subject, { terms, from, to }, placed);
    } else if (stored.length > 0 && !terms.some((one) => isPlaceable(order, one))) {
      broken("an order of what is not on sale is refused", subject, { terms, from, to }, stored);
    }
  }
  for (const refusal of priceRefusals) {
    const terms = termsBetween(inForce, refusal.service, refusal);
    const { placed, rateShown, leftovers } = refusal;
    const subject = placed.event.name;
    if (!isRefusedRightly(refusal, terms)) broken("an order is refused for true terms", subject, terms, refusal);
    if (leftovers > 0) broken("an order that is refused for its price is not there", subject, 0, leftovers);
    if (!terms.some(({ rate }) => rate === rateShown)) {
      broken("a page that refuses a price shows the new one", subject, terms, rateShown);
    }
  }
  for (const { rates, from, to } of lists) {
    for (const [n, id] of (world.shop?.serviceIds ?? []).entries()) {
      const terms = termsBetween(inForce, n, { from, to });
      const shown = rates.get(id) ?? null;
      const isTrue = terms.some(({ rate, isOnSale }) => (isOnSale ? rate : null) === shown);
      if (!isTrue) broken("the list of services shows what is on sale, and its rates", `service ${id}`, terms, shown);
    }
    site.count("list of services compared");
  }
  return violations;
}

/** A list that is kept up to date by the changes since its version is the list of the newer one. */
export function judgeFollowers({ followed, surprises }: FollowerWorld): Violation[] {
  const rule = "the changes since a version rebuild the catalog";
  const differing = followed.filter((one) => !isSameList(one));
  return [
    ...surprises.map((surprise) => ({ rule, subject: "a program", world: null, product: surprise })),
    ...differing.map(({ since, version, kept, whole }) => {
      return { rule, subject: `version ${version} since ${since}`, world: whole, product: kept };
    }),
  ];
}

function isPlaceable({ placed: { event } }: ShopOrder, { isOnSale, min, max }: Terms): boolean {
  return isOnSale && event.quantity >= min && event.quantity <= max;
}

function isRefusedRightly(order: ShopOrder, terms: Terms[]): boolean {
  switch (order.placed.refusal) {
    case "service":
      return terms.some(({ isOnSale }) => !isOnSale);
    case "quantity":
      return terms.some((one) => one.isOnSale && !isPlaceable(order, one));
    case "price": {
      const { agreed, placed } = order;
      return terms.some(
        (one) => isPlaceable(order, one) && chargeBy(one.rate, placed.event) > (agreed ?? Number.POSITIVE_INFINITY),
      );
    }
    case "terms":
      // The form of a mass order says what was agreed, or that no line can be placed.
      return (
        terms.length > 1 ||
        terms.some((one) => !isPlaceable(order, one) || chargeBy(one.rate, order.placed.event) !== order.agreed)
      );
    default:
      return false;
  }
}
