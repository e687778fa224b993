import type { Random } from "#tests/faults/seeded-random.ts";
import { type PlaceEvent, planPlace } from "./plan-orders.ts";
import type { PlatformEvent } from "./plan-platform.ts";
import { CODES, SHARED_CODES } from "./plan-top-ups.ts";
import type { Profile } from "./profiles.ts";

export type CodeOrderEvent =
  /**
   * A customer without the money for an order places it with the form, is led to the top-up page, and redeems a code there
   * with the order. The form may be sent `copies` times at once, and before that cut off. `lines` has one order.
   */
  {
    kind: "order_by_code";
    at: number;
    name: string;
    customer: number;
    code: number;
    hangsUpAfter: number | null;
    copies: number;
    lines: PlaceEvent[];
  };

const PER_POOR_CUSTOMER = 2;
/** Some codes pay for the order, some don't. */
const PIECES_AT_MOST = 3500;
/** Redeeming the code and placing the order take so many real ms together, on a busy machine. */
const KILL_WITHIN_MS = 120;

/** Customers whose order goes along to the top-up page, with kills while its form is sent. */
export function planCodeOrders(random: Random, profile: Profile): (CodeOrderEvent | PlatformEvent)[] {
  const { durationMs, customers, poorCustomers, providers, kills } = profile;
  const events: (CodeOrderEvent | PlatformEvent)[] = [];
  const visits = poorCustomers * PER_POOR_CUSTOMER;
  for (let n = 0; n < visits; n++) {
    const at = random.upTo(durationMs);
    const customer = customers + (n % poorCustomers);
    const name = `by-code-${n}`;
    const place = { name: `${name}-order`, at, customer, provider: random.upTo(providers), key: 0 };
    const line: PlaceEvent = {
      ...planPlace(random, { ...place, surface: "form" }, PIECES_AT_MOST),
      hangsUpAfter: null,
      copies: 1,
    };
    const code = SHARED_CODES + random.upTo(CODES.length - SHARED_CODES);
    const hangsUpAfter = random.chance(0.4) ? random.upTo(100) : null;
    const copies = random.chance(0.4) ? 2 + random.upTo(3) : 1;
    events.push({ kind: "order_by_code", at, name, customer, code, hangsUpAfter, copies, lines: [line] });
    // The others are killed by chance.
    if (n <= kills / 2) events.push({ kind: "kill", at, afterRealMs: random.upTo(KILL_WITHIN_MS), name });
  }
  return events;
}
