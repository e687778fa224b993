import type { Random } from "#tests/faults/seeded-random.ts";
import type { Profile } from "./profiles.ts";
import { HOUR, MINUTE } from "./simulated-durations.ts";

/** How Stripe delivers an event: so long after it happened, so often at once, and once more so long after that. */
export type EventDelivery = { delayMs: number; copies: number; againAfterMs: number | null };
/** How Stripe responds when a checkout is opened. */
export type OpeningBehavior = "opens" | "refused" | "cut" | "slow";

export type TopUpEvent =
  /** A customer asks for a payment page. `cents` is unique, so that Stripe's side knows whose it is. */
  | { kind: "top_up"; at: number; name: string; customer: number; cents: number; opening: OpeningBehavior }
  | { kind: "pay"; at: number; top_up: string; by: "card" | "card in euros" | "bank"; delivery: EventDelivery }
  /** A bank payment ends after days. */
  | { kind: "bank"; at: number; top_up: string; by: "success" | "failure"; delivery: EventDelivery }
  | { kind: "expire"; at: number; top_up: string; delivery: EventDelivery }
  | { kind: "refund"; at: number; top_up: string; share: number; by: "success" | "failure"; delivery: EventDelivery }
  | { kind: "dispute"; at: number; top_up: string; by: "won" | "lost" | "inquiry"; delivery: EventDelivery }
  /** Customers redeem a code at the same time, each so often at once. */
  | { kind: "redeem"; at: number; code: number; customers: number[]; copies: number };

/** Amounts of the codes of a script, and the number of accounts that may use each. */
export type CodePlan = { cents: number; maxUses: number };

/** Anybody may have these codes. Those behind them are for customers who order with a code, and are never ended. */
export const SHARED_CODES = 40;
export const CODES: CodePlan[] = [
  ...Array.from({ length: SHARED_CODES }, (_, n) => ({ cents: 101 + 37 * n, maxUses: 1 + (n % 3) })),
  ...Array.from({ length: 20 }, (_, n) => ({ cents: 150 + 100 * (n % 5), maxUses: 1 })),
];
const OPENINGS: OpeningBehavior[] = ["opens", "opens", "opens", "opens", "opens", "refused", "cut", "slow"];
const MAX_TOP_UPS = 1000;

export function planTopUps(random: Random, { durationMs, customers, topUps }: Profile): TopUpEvent[] {
  const events: TopUpEvent[] = [];
  for (let n = 0; n < topUps; n++) {
    const at = random.upTo(durationMs);
    const cents = MAX_TOP_UPS * (1 + random.upTo(500)) + (n % MAX_TOP_UPS);
    const name = `top-up-${n}`;
    const customer = random.upTo(customers);
    events.push({ kind: "top_up", at, name, customer, cents, opening: random.pick(OPENINGS) });
    events.push(...planPayment(random, name, at + MINUTE + random.upTo(10 * MINUTE)));
  }
  for (let n = 0; n < topUps; n++) {
    const code = random.upTo(SHARED_CODES);
    const redeemers = Array.from({ length: 1 + random.upTo(3) }, () => random.upTo(customers));
    const copies = random.chance(0.3) ? 2 : 1;
    events.push({ kind: "redeem", at: random.upTo(durationMs), code, customers: [...new Set(redeemers)], copies });
  }
  return events;
}

function planPayment(random: Random, top_up: string, at: number): TopUpEvent[] {
  const delivery = () => planDelivery(random);
  if (random.chance(0.1)) return [{ kind: "expire", at: at + HOUR, top_up, delivery: delivery() }];
  const by = random.pick(["card", "card", "card", "card", "card in euros", "bank"] as const);
  const events: TopUpEvent[] = [{ kind: "pay", at, top_up, by, delivery: delivery() }];
  if (by === "bank") {
    const end = random.chance(0.7) ? "success" : "failure";
    events.push({ kind: "bank", at: at + random.upTo(HOUR), top_up, by: end, delivery: delivery() });
  }
  if (random.chance(0.1)) events.push({ kind: "expire", at: at + HOUR, top_up, delivery: delivery() });
  for (let n = random.chance(0.3) ? 1 + random.upTo(2) : 0; n > 0; n--) {
    const end = random.chance(0.8) ? "success" : "failure";
    const share = random.pick([1, 0.5, 0.33]);
    const when = at + MINUTE + random.upTo(HOUR);
    events.push({ kind: "refund", at: when, top_up, share, by: end, delivery: delivery() });
  }
  if (random.chance(0.2)) {
    const end = random.pick(["won", "lost", "inquiry"] as const);
    events.push({ kind: "dispute", at: at + MINUTE + random.upTo(HOUR), top_up, by: end, delivery: delivery() });
  }
  return events;
}

export function planDelivery(random: Random): EventDelivery {
  return {
    delayMs: random.chance(0.2) ? random.upTo(2 * HOUR) : 0,
    copies: random.chance(0.2) ? 2 : 1,
    againAfterMs: random.chance(0.1) ? random.upTo(HOUR) : null,
  };
}
