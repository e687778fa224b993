import { type Random, seededRandom } from "#tests/faults/seeded-random.ts";
import {
  type AddBehavior,
  HOUR,
  MINUTE,
  type OrderEvent,
  type OrderPlan,
  type ProviderMode,
  type ProviderPlan,
  type Script,
  SECOND,
  type StatusStep,
  type Surface,
  type WorldEvent,
} from "./script.ts";

/** How a world is: how long, how busy, and how often things fail. Counts are for the whole run. */
export type Profile = {
  durationMs: number;
  providers: number;
  customers: number;
  orders: number;
  visitors: number;
  agents: number;
  messages: number;
  kills: number;
  databaseFaults: number;
  modesPerProvider: number;
};

export const PROFILES = {
  short: {
    durationMs: 6 * HOUR,
    providers: 4,
    customers: 5,
    orders: 400,
    visitors: 5,
    agents: 2,
    messages: 200,
    kills: 2,
    databaseFaults: 2,
    modesPerProvider: 2,
  },
  week: {
    durationMs: 7 * 24 * HOUR,
    providers: 8,
    customers: 20,
    orders: 5000,
    visitors: 40,
    agents: 4,
    messages: 3000,
    kills: 10,
    databaseFaults: 20,
    modesPerProvider: 12,
  },
} satisfies Record<string, Profile>;
export type ProfileName = keyof typeof PROFILES;

const MODES: ProviderMode[] = [
  "dead",
  "busy",
  "maintenance",
  "slow",
  "hanging",
  "failing",
  "redirecting",
  "endless",
  "compressed",
  "no_funds",
  "bad_key",
];
/** A hanging call takes real time, up to the product's timeout. */
const HANGS_AT_MOST = 2 * MINUTE;

const COMPLETED = ["Completed", "completed", "Complete", "COMPLETED"];
const IN_PROGRESS = ["In progress", "inprogress", "In_Progress", "Active", "Processing", "started"];
const PARTIAL = ["Partial", "partial", "PARTIAL", "Partially completed"];
const CANCELED = ["Canceled", "Cancelled", "canceled", "Refunded", "Fail"];
const TEXTS = ["hello", "¿dónde está?", "متى", "🙂👩‍👩‍👧‍👦", "<b>bold</b>", "a\nb", "x".repeat(3900)];
const STRANGE = ["Awaiting moon", "", "3", "Completed?"];
const SURFACES: Surface[] = ["v1", "v1", "v2_with_id", "v2"];
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

/** Draws a script. The same seed and profile give the same script. */
export function writeScript(seed: number, name: ProfileName): Script {
  const random = seededRandom(seed);
  const profile = PROFILES[name];
  const providers = Array.from({ length: profile.providers }, () => planProvider(random, profile));
  const events: WorldEvent[] = [];
  // Orders come in bursts, as from programs, and one by one, as from people.
  for (let n = 0; n < profile.orders; ) {
    const at = random.upTo(profile.durationMs);
    const provider = random.upTo(profile.providers);
    const customer = random.upTo(profile.customers);
    const burst = random.chance(0.05) ? 60 + random.upTo(60) : 1 + random.upTo(4);
    for (let left = Math.min(burst, profile.orders - n); left > 0; left--, n++) {
      events.push(...planOrder(random, { name: `order-${n}`, at: at + random.upTo(20 * SECOND), customer, provider }));
    }
  }
  events.push(...planChats(random, profile));
  for (let n = 0; n < profile.kills; n++) {
    events.push({ kind: "kill", at: random.upTo(profile.durationMs), afterRealMs: random.upTo(400) });
  }
  // A kill matters most while there is work.
  for (const event of events.filter(({ kind }) => kind === "kill")) {
    const busy = random.pick(events.filter(({ kind }) => kind === "order" || kind === "say"));
    event.at = busy.at;
  }
  for (let n = 0; n < profile.databaseFaults; n++) {
    const at = random.upTo(profile.durationMs);
    const to = at + MINUTE + random.upTo(10 * MINUTE);
    const fault = random.pick([
      { refuse: 0.3, lose: 0, slowMs: 0 },
      { refuse: 0, lose: 0.1, slowMs: 0 },
      { refuse: 0, lose: 0, slowMs: 100 },
      { refuse: 1, lose: 0, slowMs: 0 },
    ]);
    events.push({ kind: "database", at, to, ...fault });
  }
  events.sort((a, b) => a.at - b.at);
  const { durationMs, customers, visitors, agents } = profile;
  return { seed, profile: name, durationMs, providers, customers, visitors, agents, events };
}

function planProvider(random: Random, { durationMs, modesPerProvider }: Profile): ProviderPlan {
  const modes = Array.from({ length: random.upTo(modesPerProvider + 1) }, () => {
    const from = random.upTo(durationMs);
    const mode = random.pick(MODES);
    const length = mode === "hanging" ? random.upTo(HANGS_AT_MOST) : MINUTE + random.upTo(HOUR);
    return { from, to: from + length, mode };
  });
  return { modes };
}

/** Conversations come in bursts, with what interrupts them. */
function planChats(random: Random, { durationMs, visitors, agents, messages }: Profile): WorldEvent[] {
  const events: WorldEvent[] = [];
  for (let n = 0; n < messages; ) {
    const at = random.upTo(durationMs);
    const visitor = random.upTo(visitors);
    const partner = random.upTo(agents);
    const length = random.chance(0.03) ? 60 : 1 + random.upTo(12);
    for (let left = Math.min(length, messages - n); left > 0; left--, n++) {
      const agent = random.chance(0.5) ? partner : null;
      const when = at + random.upTo(10 * MINUTE);
      events.push({ kind: "say", at: when, visitor, agent, text: `message ${n} ${random.pick(TEXTS)}` });
    }
    if (random.chance(0.4)) {
      const agent = random.chance(0.5) ? partner : null;
      events.push({ kind: "drop", at: at + random.upTo(10 * MINUTE), visitor, agent });
    }
    if (random.chance(0.15)) {
      const by = random.chance(0.7) ? "log_out" : "demotion";
      events.push({ kind: "end_agent", at: at + random.upTo(10 * MINUTE), agent: partner, by });
    }
    if (random.chance(0.2)) events.push({ kind: "evict", at: at + random.upTo(20 * MINUTE), visitor });
  }
  return events;
}

function planOrder(
  random: Random,
  { name, at, customer, provider }: Pick<OrderEvent, "name" | "at" | "customer" | "provider">,
): WorldEvent[] {
  const runs = random.chance(0.05) ? 2 + random.upTo(4) : 1;
  const quantity = 100 + random.upTo(2000);
  const surface = random.pick(SURFACES);
  const plan = planDelivery(random, quantity * runs);
  const order: OrderEvent = {
    kind: "order",
    at,
    name,
    customer,
    provider,
    surface,
    quantity,
    runs,
    hangsUpAfter: surface !== "v2" && random.chance(0.05) ? random.upTo(30) : null,
    copies: surface !== "v2" && random.chance(0.05) ? 2 + random.upTo(3) : 1,
    plan,
  };
  const events: WorldEvent[] = [order];
  if (random.chance(0.1)) events.push({ kind: "cancel", at: at + random.upTo(2 * HOUR), order: name });
  if (random.chance(0.05)) events.push({ kind: "refill", at: at + random.upTo(6 * HOUR), order: name });
  return events;
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
  return { add, steps, cancelable: random.chance(0.7) };
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
