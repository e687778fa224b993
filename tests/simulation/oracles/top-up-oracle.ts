import { CODES } from "../scripts/plan-top-ups.ts";
import type { CodeWorld } from "../world/customers/code-world.ts";
import type { Payment, TopUpWorld } from "../world/customers/top-up-world.ts";
import type { Violation } from "./violation.ts";

const MICRO_PER_CENT = 10_000;

/** Returns what a customer's payments and codes are worth, in micro-units, by the records of Stripe and of the world. */
export function creditsOf(customer: number, { payments }: TopUpWorld, { redemptions }: CodeWorld): number {
  const paid = payments.filter((payment) => payment.customer === customer).map(worthOf);
  const redeemed = redemptions
    .filter((redemption) => redemption.customer === customer && redemption.isCredited)
    .map(({ code }) => (CODES[code]?.cents ?? 0) * MICRO_PER_CENT);
  return [...paid, ...redeemed].reduce((sum, amount) => sum + amount, 0);
}

/** Money in another currency waits for staff, who never come here. */
function worthOf({ session, paidIn, lost }: Payment): number {
  if (paidIn !== "usd") return 0;
  const gone = [...lost.values()].reduce((sum, cents) => sum + cents, 0);
  return Math.max(0, session.cents - gone) * MICRO_PER_CENT;
}

export function judgeTopUps(topUps: TopUpWorld): Violation[] {
  const undelivered = topUps.undelivered();
  if (undelivered.length === 0) return [];
  return [{ rule: "Stripe's events are accepted", subject: "Stripe", world: undelivered, product: null }];
}
