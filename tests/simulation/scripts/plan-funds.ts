import type { Random } from "#tests/faults/seeded-random.ts";
import { type PlaceEvent, planPlace, type Surface } from "./plan-orders.ts";
import { planDelivery, SHARED_CODES, type TopUpEvent } from "./plan-top-ups.ts";
import type { Profile } from "./profiles.ts";
import { HOUR, MINUTE, SECOND } from "./simulated-durations.ts";

export type FundsEvent =
  /** A customer without much money tries to order, and again after each top-up. More than one line is a mass order. */
  | { kind: "spend"; at: number; name: string; customer: number; by: Surface; lines: PlaceEvent[] }
  /** Customers try wrong codes at once, each so many: one from their own address, or several from one address. */
  | { kind: "guess"; at: number; by: "account" | "address"; customers: number[]; tries: number }
  /** A code ends: staff disable it or its batch, or its time is over. */
  | { kind: "end_code"; at: number; code: number; by: "disabled code" | "disabled batch" | "expiry" };

const SURFACES: Surface[] = ["v1", "v2_with_id", "rest", "form", "mass"];
const MAX_ROUNDS = 6;
/** Card payments of less than $10 are theirs alone, so that Stripe's side knows whose they are. */
const FIRST_CENTS = 500;
/** Some orders cost more than any top-up brings. */
const PIECES_AT_MOST = 4000;
/** Accounts that must try codes from one address to reach its limit. */
const ACCOUNTS_FOR_ADDRESS_LIMIT = 7;
const TRIES_PER_ACCOUNT = 9;
const GUESSES_PER_CUSTOMER = 0.5;
const ENDED_CODES = 12;

/** Customers top up a little, spend all of it and more, lose some of it to their card, and top up again. */
export function planFunds(random: Random, profile: Profile): FundsOrTopUp[] {
  const { durationMs, customers, poorCustomers } = profile;
  const poor = Array.from({ length: poorCustomers }, (_, n) => customers + n);
  const events: FundsOrTopUp[] = [];
  let names = 0;
  for (const customer of poor) {
    const rounds = Math.min(MAX_ROUNDS, Math.ceil(durationMs / HOUR));
    for (let round = 0; round < rounds; round++) {
      const start = Math.floor(((round + random.next()) * durationMs) / rounds);
      events.push(...planRound(random, profile, { customer, start, name: `funds-${names++}` }));
    }
  }
  for (let n = 0; n < poorCustomers * GUESSES_PER_CUSTOMER; n++) {
    const tries = 8 + random.upTo(20);
    events.push({ kind: "guess", at: random.upTo(durationMs), by: "account", customers: [random.pick(poor)], tries });
  }
  for (let at = 2 * HOUR; poorCustomers >= ACCOUNTS_FOR_ADDRESS_LIMIT && at < durationMs; at += 6 * HOUR) {
    const guess = { at: at + random.upTo(HOUR), customers: poor, tries: TRIES_PER_ACCOUNT };
    events.push({ kind: "guess", by: "address", ...guess });
  }
  for (let n = 0; n < ENDED_CODES; n++) {
    const by = random.pick(["disabled code", "disabled batch", "expiry"] as const);
    const at = random.upTo(durationMs);
    const code = random.upTo(SHARED_CODES);
    events.push({ kind: "end_code", at, code, by });
    // Somebody still has it.
    const when = at + random.upTo(30 * MINUTE);
    events.push({ kind: "redeem", at: when, code, customers: [random.upTo(customers)], copies: 1 });
  }
  return events;
}

type FundsOrTopUp = FundsEvent | TopUpEvent;

function planRound(
  random: Random,
  profile: Profile,
  { customer, start, name }: { customer: number; start: number; name: string },
): FundsOrTopUp[] {
  const events: FundsOrTopUp[] = [];
  const soon = () => start + random.upTo(20 * MINUTE);
  const delivery = () => planDelivery(random);
  if (random.chance(0.3)) {
    events.push({ kind: "redeem", at: soon(), code: random.upTo(SHARED_CODES), customers: [customer], copies: 1 });
  } else {
    const top_up = `${name} top-up`;
    const cents = FIRST_CENTS + Number(name.slice("funds-".length));
    const at = soon();
    events.push({ kind: "top_up", at, name: top_up, customer, cents, opening: "opens" });
    events.push({ kind: "pay", at: at + MINUTE, top_up, by: "card", delivery: delivery() });
    const lostAt = at + 20 * MINUTE + random.upTo(20 * MINUTE);
    const share = random.pick([1, 0.5]);
    const loss = random.next();
    if (loss < 0.3) {
      events.push({ kind: "refund", at: lostAt, top_up, share, by: "success", delivery: delivery() });
    } else if (loss < 0.5) {
      events.push({ kind: "dispute", at: lostAt, top_up, by: "lost", delivery: delivery() });
    }
  }
  for (let n = 2 + random.upTo(5); n > 0; n--) {
    const by = random.pick(SURFACES);
    const spend = `${name}-spend-${n}`;
    const at = start + random.upTo(HOUR) + random.upTo(20 * SECOND);
    const lines = Array.from({ length: by === "mass" ? 2 + random.upTo(3) : 1 }, (_, line) => {
      const provider = random.upTo(profile.providers);
      const place = { name: `${spend}-${line}`, at, customer, provider, key: 0, surface: by };
      return planPlace(random, place, PIECES_AT_MOST);
    });
    events.push({ kind: "spend", at, name: spend, customer, by, lines });
  }
  return events;
}
