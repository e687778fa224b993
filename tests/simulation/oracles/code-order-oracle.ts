import { CODES } from "../scripts/plan-top-ups.ts";
import type { CodeAnswer, CodeOrderWorld, CodeVisit } from "../world/customers/code-order-world.ts";
import type { World } from "../world/open-world.ts";
import type { OrderRow, Violation } from "./violation.ts";

const MICRO_PER_CENT = 10_000;

/**
 * "Redeem and place order": the order that the page carries is placed once, however often its form is sent and wherever it
 * is cut off, and a page that asks for more money has not placed it. The wallet and the code have oracles of their own.
 */
export function judgeCodeOrders(world: World, { visits }: CodeOrderWorld, rows: OrderRow[]): Violation[] {
  return visits.flatMap((visit) => {
    const { event, charge, chargeShown, placed, answers, ledTo, surprises, end } = visit;
    if (world.customers[event.customer]?.hasLeft) return [];
    const stored = rows.filter(({ link }) => link === world.linkOf(placed.event.name));
    const rules: string[] = [];
    if (end === "placed" && stored.length !== 1) rules.push("an order that a code pays for is placed once");
    if (end === "not placed" && stored.length > 0) rules.push("a page that asks for money has not placed the order");
    if (stored.length > 1) rules.push("a form that is sent again places no second order");
    if (surprises.length > 0 || ledTo.some((id) => id !== placed.id))
      rules.push("a form that is sent again leads to the order that it placed");
    if (chargeShown !== null && chargeShown !== String(charge))
      rules.push("the top-up page shows what the order costs");
    if (answers.some((answer) => isRefusedWrongly(visit, answer))) rules.push("a code that covers the order places it");
    return rules.map((rule) => ({
      rule,
      subject: event.name,
      world: { event, charge, answers, surprises },
      product: { chargeShown, ledTo, stored },
    }));
  });
}

/** Judges only wallets that nothing but the code changed meanwhile. */
function isRefusedWrongly({ event, charge }: CodeVisit, { said, after, entries }: CodeAnswer): boolean {
  const credit = (CODES[event.code]?.cents ?? 0) * MICRO_PER_CENT;
  const isAlone = entries.length === 0 || (entries.length === 1 && entries[0] === credit);
  return said === "not ordered" && isAlone && after.owed === 0 && after.balance >= charge;
}
