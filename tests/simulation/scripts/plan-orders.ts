import type { Random } from "#tests/faults/seeded-random.ts";
import type { Profile } from "./profiles.ts";
import { HOUR, MINUTE, SECOND } from "./simulated-durations.ts";

/** A provider's response when it is sent one order. `ok` and those below it take the order, `zero_id` and `html` don't. */
export type AddBehavior =
  | "refuses_link"
  | "refuses_quantity"
  | "vague_error"
  | "busy_once"
  | "ok"
  | "text_id"
  | "huge_id"
  | "reused_id"
  | "zero_id"
  | "no_response"
  | "cut"
  | "html";

/** A status as the provider writes it, from so long after it took the order. */
export type StatusStep = {
  after: number;
  status: string;
  remains?: unknown;
  startCount?: unknown;
  /** Posts of a subscription that have got an order. */
  orders?: number;
};
export type OrderPlan = {
  add: AddBehavior;
  steps: StatusStep[];
  cancelable: boolean;
  /** Absent in kept scripts that are older than refills. */
  refill?: RefillPlan;
};

/** How the provider responds to a refill, and the statuses that it gives from so long after. */
export type RefillPlan = {
  response: "taken" | "text_id" | "refused" | "busy_once" | "cut" | "html";
  steps: { after: number; status: string }[];
};

/**
 * The surface that an order is placed on. `v2` has no idempotency key, so that a lost response leaves the customer in
 * doubt. `mass` is a line of a mass order.
 */
export type Surface = "v1" | "v2_with_id" | "v2" | "rest" | "form" | "mass";

/** The fields of a subscription. Without new and old posts it covers the next 30. `delay` in minutes. */
export type Subscription = {
  min: number;
  posts: number | null;
  oldPosts: number | null;
  delay: number;
  expiry: string | null;
};

/** What a program keeps with an order. A reference is of this order alone, or of several of the customer's. */
export type OrderNotes = { reference: "own" | "shared" | null; hasMetadata: boolean };

export type PlaceEvent = {
  kind: "order";
  at: number;
  /** Unique; it is a part of the link. */
  name: string;
  customer: number;
  /** Which of their API keys they use. */
  key: number;
  provider: number;
  /** Number of a service of the provider whose catalog changes. */
  service?: number;
  surface: Surface;
  quantity: number;
  runs: number;
  /** Then `quantity` is the most for each post, and `runs` the posts, new and old together. */
  subscription?: Subscription;
  /** The client ends the request after so many real ms, and sends it again. */
  hangsUpAfter: number | null;
  /** The same request is sent so often at once. */
  copies: number;
  plan: OrderPlan;
  notes?: OrderNotes;
};
export type MassEvent = {
  kind: "mass";
  at: number;
  /** Unique. */
  name: string;
  customer: number;
  lines: PlaceEvent[];
  hangsUpAfter: number | null;
  copies: number;
};
export type OrderEvent =
  | PlaceEvent
  | MassEvent
  /** The customer's program sends an order again long afterwards, with its idempotency key. */
  | { kind: "repeat"; at: number; order: string }
  | { kind: "cancel"; at: number; order: string; by: "api" | "form" }
  | { kind: "refill"; at: number; order: string; by: "api" | "form" }
  /** The customer replaces an API key with a new one. */
  | { kind: "end_key"; at: number; customer: number; key: number; by: "revocation" | "rotation" };

export const KEYS_PER_CUSTOMER = 2;

const OPEN_ENDED_POSTS = 30;
const COMPLETED = ["Completed", "completed", "Complete", "COMPLETED"];
const IN_PROGRESS = ["In progress", "inprogress", "In_Progress", "Active", "Processing", "started"];
const PARTIAL = ["Partial", "partial", "PARTIAL", "Partially completed"];
const CANCELED = ["Canceled", "Cancelled", "canceled", "Refunded", "Fail"];
const STRANGE = ["Awaiting moon", "", "3", "Completed?"];
const SURFACES: Surface[] = ["v1", "v1", "v2_with_id", "v2", "rest", "form", "form"];
const ADDS: [AddBehavior, number][] = [
  ["refuses_link", 4],
  ["refuses_quantity", 2],
  ["vague_error", 1],
  ["busy_once", 4],
  ["text_id", 3],
  ["huge_id", 1],
  ["reused_id", 2],
  ["zero_id", 1],
  ["no_response", 1],
  ["cut", 2],
  ["html", 1],
  ["ok", 78],
];

/** Orders come in bursts, as from programs, and one by one, as from people. */
export function planOrders(random: Random, profile: Profile): OrderEvent[] {
  const events: OrderEvent[] = [];
  for (let n = 0; n < profile.orders; ) {
    const at = random.upTo(profile.durationMs);
    const provider = random.upTo(profile.providers);
    const customer = random.upTo(profile.customers);
    const burst = random.chance(0.05) ? 60 + random.upTo(60) : 1 + random.upTo(4);
    const key = random.upTo(KEYS_PER_CUSTOMER);
    const own: OrderEvent[] = [];
    for (let left = Math.min(burst, profile.orders - n); left > 0; left--, n++) {
      const place = { name: `order-${n}`, at: at + random.upTo(20 * SECOND), customer, provider, key };
      own.push(...planOrder(random, place));
    }
    events.push(...(random.chance(0.15) ? asMassOrder(random, own) : own));
    if (random.chance(0.05)) {
      const by = random.chance(0.5) ? "revocation" : "rotation";
      events.push({ kind: "end_key", at: at + random.upTo(20 * SECOND), customer, key, by });
    }
  }
  return events;
}

/** Returns the orders of a script, also those of mass orders and of customers without money. */
export function placesOf(events: { kind: string }[]): PlaceEvent[] {
  return (events as OrderEvent[]).flatMap((event) => {
    if (event.kind === "order") return [event];
    return "lines" in event ? event.lines : [];
  });
}

/** Places orders together that were drawn one by one. */
function asMassOrder(random: Random, events: OrderEvent[]): OrderEvent[] {
  const isLine = (event: OrderEvent): event is PlaceEvent => event.kind === "order" && !event.subscription;
  const lines = events
    .filter(isLine)
    .map((line): PlaceEvent => ({ ...line, surface: "mass", copies: 1, hangsUpAfter: null }));
  const [first] = lines;
  if (!first) return events;
  const { at, customer } = first;
  const mass: MassEvent = {
    kind: "mass",
    at,
    name: `mass of ${first.name}`,
    customer,
    lines,
    hangsUpAfter: random.chance(0.2) ? random.upTo(60) : null,
    copies: random.chance(0.2) ? 2 : 1,
  };
  return [mass, ...events.filter((event) => !isLine(event))];
}

/** Names the behaviors of an order, so that a run can count them. */
export function orderBehaviors({ plan, surface, runs, subscription, notes }: PlaceEvent): string[] {
  return [
    ...(notes?.reference ? [`${notes.reference} reference by ${surface}`] : []),
    ...(notes?.hasMetadata ? ["metadata"] : []),
    `add ${plan.add}`,
    `surface ${surface}`,
    ...plan.steps.map(({ status }) => `status ${status}`),
    ...(subscription
      ? ["subscription", subscription.posts === null && subscription.oldPosts === null ? "open-ended subscription" : ""]
      : []),
    ...(runs > 1 && !subscription ? ["drip-feed"] : []),
  ];
}

/** Draws the rest of an order. */
export function planPlace(
  random: Random,
  place: Pick<PlaceEvent, "name" | "at" | "customer" | "provider" | "key" | "surface">,
  atMost = 2000,
): PlaceEvent {
  const runs = random.chance(0.05) ? 2 + random.upTo(4) : 1;
  const quantity = 100 + random.upTo(atMost);
  const mayRepeat = place.surface !== "v2" && place.surface !== "mass";
  return {
    kind: "order",
    ...place,
    quantity,
    runs,
    plan: planDelivery(random, quantity * runs),
    hangsUpAfter: mayRepeat && random.chance(0.05) ? random.upTo(30) : null,
    copies: mayRepeat && random.chance(0.05) ? 2 + random.upTo(3) : 1,
  };
}

function planOrder(
  random: Random,
  { name, at, customer, provider, key }: Pick<PlaceEvent, "name" | "at" | "customer" | "provider" | "key">,
): OrderEvent[] {
  const surface = random.pick(SURFACES);
  const place = planPlace(random, { name, at, customer, provider, key, surface });
  if (random.chance(0.05)) return [asSubscription(random, place)];
  const events: OrderEvent[] = [place];
  if (surface !== "v2" && random.chance(0.1)) {
    events.push({ kind: "repeat", at: at + MINUTE + random.upTo(2 * HOUR), order: name });
  }
  const by = () => (random.chance(0.5) ? "form" : "api");
  if (random.chance(0.1)) events.push({ kind: "cancel", at: at + random.upTo(2 * HOUR), order: name, by: by() });
  if (random.chance(0.1)) events.push({ kind: "refill", at: at + random.upTo(6 * HOUR), order: name, by: by() });
  return events;
}

/** Orders so many pieces for each of an account's next posts, and perhaps some older ones. */
function asSubscription(random: Random, place: PlaceEvent): PlaceEvent {
  const quantity = 20 + random.upTo(200);
  const posts = random.chance(0.7) ? 1 + random.upTo(20) : null;
  const oldPosts = random.chance(0.3) ? 1 + random.upTo(5) : null;
  const runs = (posts ?? 0) + (oldPosts ?? 0) || OPEN_ENDED_POSTS;
  const expiry = random.chance(0.5) ? "31/12/2099" : null;
  const subscription = { min: 1 + random.upTo(20), posts, oldPosts, delay: random.pick([0, 5, 30, 600]), expiry };
  const end = 30 * MINUTE + random.upTo(2 * HOUR);
  const used = random.upTo(runs);
  const last = random.pick<StatusStep>([
    { after: end, status: "Completed", orders: runs },
    { after: end, status: "Expired", orders: used },
    { after: end, status: "expired", remains: spell(random, (runs - used) * quantity), orders: used },
    { after: end, status: "Canceled", remains: spell(random, runs * quantity) },
  ]);
  const begun: StatusStep = { after: MINUTE, status: random.pick(["Active", "Paused"]), orders: 0 };
  const steps = last.status === "Canceled" ? [last] : [begun, last];
  return { ...place, quantity, runs, subscription, plan: { ...place.plan, steps, cancelable: false } };
}

function planDelivery(random: Random, total: number): OrderPlan {
  const add = pickWeighted(random, ADDS);
  const delivered = MINUTE + random.upTo(3 * HOUR);
  const steps: StatusStep[] = [
    { after: 0, status: "Pending", remains: spell(random, total), startCount: "120" },
    {
      after: random.upTo(delivered),
      status: random.chance(0.05) ? random.pick(STRANGE) : random.pick(IN_PROGRESS),
      remains: spell(random, Math.ceil(total / 2)),
      startCount: "1,204",
    },
  ];
  const last = random.next();
  if (last < 0.6) {
    steps.push({ after: delivered, status: random.pick(COMPLETED), remains: spell(random, 0), startCount: "1204" });
    // A status that goes back, or a partial after the end.
    if (random.chance(0.05)) {
      const back = random.chance(0.5) ? random.pick(IN_PROGRESS) : random.pick(PARTIAL);
      steps.push({ after: delivered + HOUR, status: back, remains: spell(random, Math.ceil(total / 4)) });
    }
  } else if (last < 0.75) {
    const remains = random.upTo(total + 1);
    steps.push({
      after: delivered,
      status: random.pick(PARTIAL),
      remains: random.chance(0.1) ? strange(random) : spell(random, remains),
    });
  } else if (last < 0.9) {
    // Canceled before anything was delivered. Some panels then write 0, or nothing, for what remains.
    const remains = random.pick([spell(random, total), spell(random, total), "0", undefined]);
    steps.splice(1);
    steps.push({
      after: delivered,
      status: random.pick(CANCELED),
      remains,
      startCount: random.pick(["0", "", undefined]),
    });
  }
  return { add, steps, cancelable: random.chance(0.7), refill: planRefill(random) };
}

function planRefill(random: Random): RefillPlan {
  const response = random.pick(["taken", "taken", "taken", "text_id", "refused", "busy_once", "cut", "html"] as const);
  const steps = [{ after: random.upTo(30 * MINUTE), status: random.pick(["In progress", "inprogress", "Processing"]) }];
  const end = 30 * MINUTE + random.upTo(HOUR);
  const ends = ["Completed", "completed", "Complete", "Rejected", "Canceled", "Fail", null];
  const status = random.pick(ends);
  if (status !== null) steps.push({ after: end, status });
  return { response, steps };
}

/** Returns a count as panels write it. */
function spell(random: Random, count: number): unknown {
  return random.pick([count, String(count), String(count), `${count}.0`, count.toLocaleString("en-US")]);
}

function strange(random: Random): unknown {
  return random.pick([-5, "-5", null, undefined, "about half", "", {}, 1e21]);
}

function pickWeighted<T>(random: Random, items: [T, number][]): T {
  let left = random.upTo(items.reduce((sum, [, weight]) => sum + weight, 0));
  for (const [item, weight] of items) {
    left -= weight;
    if (left < 0) return item;
  }
  throw new Error("no items");
}
