import type { FundsWorld, Purchase, PurchaseTry } from "../world/customers/funds-world.ts";
import type { World } from "../world/open-world.ts";
import type { OrderRow, Violation } from "./violation.ts";

/**
 * "Not enough funds on balance: top up the balance, then send the same request again" (/docs/api); "they can't place orders
 * until it is paid back" (docs/payments.md).
 */
export function judgeFunds(world: World, { purchases }: FundsWorld, rows: OrderRow[]): Violation[] {
  return purchases.flatMap((purchase) => {
    const { event, charge, tries, ids, repeated } = purchase;
    const rules: string[] = [];
    const links = new Set(event.lines.map(({ name }) => world.linkOf(name)));
    const stored = rows.filter(({ link }) => links.has(link));
    if (tries.some(({ leftovers }) => leftovers > 0)) rules.push("an order refused for its price changes nothing");
    if (stored.length !== 0 && stored.length !== links.size) rules.push("a mass order is placed whole, or not at all");
    if (tries.some((one) => isRefusedWrongly(one, charge))) rules.push("an order is refused only if money is missing");
    if (tries.some((one) => isPlacedWrongly(one))) rules.push("whoever owes places no order");
    if (ids.length > 0 && !isRepeatedAs(purchase)) rules.push("a placed order is repeated, whatever the balance");
    return rules.map((rule) => ({
      rule,
      subject: event.name,
      world: { charge, tries },
      product: { ids, repeated, stored },
    }));
  });
}

/** Judges only wallets that nothing else changed meanwhile. */
function isRefusedWrongly({ outcome, before, after }: PurchaseTry, charge: number): boolean {
  if (outcome !== "refused" || before.entry !== after.entry) return false;
  return before.owed === 0 && after.owed === 0 && before.balance >= charge && after.balance >= charge;
}

function isPlacedWrongly({ outcome, before, after, credits }: PurchaseTry): boolean {
  return outcome === "placed" && before.owed > 0 && credits === 0 && before.entry !== after.entry;
}

/** A response that was lost repeats nothing. */
function isRepeatedAs({ ids, repeated }: Purchase): boolean {
  return (repeated ?? ids).every((id, index) => id === null || id === ids[index]);
}
