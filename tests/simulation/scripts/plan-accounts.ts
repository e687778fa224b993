import type { Random } from "#tests/faults/seeded-random.ts";
import type { Profile } from "./profiles.ts";

/** Attempts with another customer's ids. */
export type Prying =
  | "order page"
  | "order status"
  | "order cancellation"
  | "order refill"
  | "refill status"
  | "mass order"
  | "receipt"
  | "checkout"
  | "conversation"
  | "webhook"
  | "API key";
export type AccountEvent =
  /** A session ends, and the customer logs in again. */
  | { kind: "end_session"; at: number; customer: number; by: "log-out" | "password change" | "log-out elsewhere" }
  | { kind: "delete_account"; at: number; customer: number }
  | { kind: "pry"; at: number; customer: number; victim: number; by: Prying };

const PRYING: Prying[] = [
  "order page",
  "order status",
  "order cancellation",
  "order refill",
  "refill status",
  "mass order",
  "receipt",
  "checkout",
  "conversation",
  "webhook",
  "API key",
];
const ENDS = ["log-out", "password change", "log-out elsewhere"] as const;
const SESSION_ENDS_PER_CUSTOMER = 2;
const PRYING_PER_CUSTOMER = 8;

export function planAccounts(random: Random, { durationMs, customers }: Profile): AccountEvent[] {
  const events: AccountEvent[] = [];
  for (let customer = 0; customer < customers; customer++) {
    const at = () => random.upTo(durationMs);
    for (let n = 0; n < SESSION_ENDS_PER_CUSTOMER; n++) {
      events.push({ kind: "end_session", at: at(), customer, by: random.pick(ENDS) });
    }
    for (let n = 0; n < PRYING_PER_CUSTOMER; n++) {
      const victim = random.upTo(customers);
      if (victim !== customer) events.push({ kind: "pry", at: at(), customer, victim, by: random.pick(PRYING) });
    }
    // Somebody stays.
    if (customer > 0 && random.chance(0.25)) {
      events.push({ kind: "delete_account", at: random.upTo(durationMs / 3) + (2 * durationMs) / 3, customer });
    }
  }
  return events;
}
