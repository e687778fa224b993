import { openMainDatabase } from "#tests/product/copy-database.ts";
import { freePort } from "#tests/product/local-copy.ts";
import { seedOrders } from "#tests/product/order-history.ts";
import { judgeChats } from "../oracles/chat-oracle.ts";
import { judgeDialects } from "../oracles/dialect-oracle.ts";
import { judgeLog } from "../oracles/log-oracle.ts";
import { judgeOrders } from "../oracles/order-oracle.ts";
import { judgePace } from "../oracles/pace-oracle.ts";
import { judgeRefillDeadlines } from "../oracles/refill-deadline-oracle.ts";
import { watchResources } from "../oracles/resource-oracle.ts";
import { judgeResponses } from "../oracles/response-oracle.ts";
import { readOrders, type Violation } from "../oracles/violation.ts";
import { type SimulatedProduct, startSimulated } from "../product/simulated-product.ts";
import { placesOf } from "../scripts/plan-orders.ts";
import type { Script, WorldEvent } from "../scripts/script.ts";
import { DAY, HOUR, MINUTE } from "../scripts/simulated-durations.ts";
import { countDrawn } from "../scripts/write-script.ts";
import type { Handlers } from "./actor.ts";
import { openChats } from "./chat-world.ts";
import { openClocks } from "./clock-world.ts";
import { openCustomers } from "./customers/customers.ts";
import { openWorld, type World } from "./open-world.ts";
import { startOutsideServers } from "./outside/outside-servers.ts";
import { openPlatform } from "./platform-world.ts";
import { openSite, type Site } from "./site.ts";

export type RunResult = {
  violations: Violation[];
  /** Counts of each behavior in the script. */
  drawn: Map<string, number>;
  /** Counts of what happened to the world's people. */
  happened: Map<string, number>;
  realMs: number;
  orders: number;
  messages: number;
};

const EVERY_MINUTE = "* * * * *";
const NIGHTLY = "17 3 * * *";
const NIGHTLY_AT = 3 * HOUR + 17 * MINUTE;
/** Once the last delivery has ended, the product has so long to see it: it asks for old and held orders rarely. */
const SETTLE = 4 * HOUR;
/** Minutes in which nobody does anything pass together. */
const QUIET_STEP = 5 * MINUTE;

/**
 * Runs a script against a product built by `buildSimulated`, and judges what is left of it. After `minutes` of real time
 * its remaining events are left out.
 */
export async function runScript(options: {
  tree: string;
  stateDir: string;
  script: Script;
  minutes?: number;
}): Promise<RunResult> {
  const { script } = options;
  const started = Date.now();
  const port = await freePort();
  const servers = await startOutsideServers(`http://127.0.0.1:${port}`, script.customers);
  const bindings = { ...BINDINGS, ...servers.bindings };
  const product = await startSimulated({ ...options, port, bindings });
  const site = openSite(product);
  const world = await openWorld(site, script);
  if (script.oldOrders) await fillHistory(product, world, script.oldOrders);
  const chats = await openChats(site, script);
  const customers = await openCustomers(site, world, servers);
  const platform = openPlatform(site, chats.rooms);
  const resources = watchResources(product);
  try {
    const handlers = {
      ...customers.handlers,
      ...chats.handlers,
      ...openClocks(site, world, chats),
      ...platform.handlers,
    };
    const ticks = [...customers.ticks, () => resources.take()];
    const until = options.minutes === undefined ? Number.POSITIVE_INFINITY : started + options.minutes * MINUTE;
    await live(site, world, { handlers, ticks, until }, script);
    await chats.settle();
    await product.step(MINUTE, []);
    const rows = await readOrders(product);
    const violations = [
      ...judgeOrders(world, customers.placed, rows, platform),
      ...(await customers.judge(rows, platform, chats)),
      ...(await judgeChats(product, chats)),
      ...judgeDialects(site, world, customers.placed, { rows, troubles: platform.troubles }),
      ...judgePace(site, world, customers.placed, { rows, troubles: platform.troubles }),
      ...(await judgeRefillDeadlines(site, world, customers.placed, rows)),
      ...judgeResponses(site, platform.troubles),
      ...resources.judge(),
      ...judgeLog(product.logged),
    ];
    const messages = chats.conversations.flatMap(({ visitor }) => [...visitor.shown.keys()]).length;
    return {
      violations,
      drawn: countDrawn(script),
      happened: site.happened,
      realMs: Date.now() - started,
      orders: rows.length,
      messages,
    };
  } finally {
    chats.close();
    await world.close();
    await servers.close();
    await product.close();
  }
}

const BINDINGS = {
  ENVIRONMENT: "local",
  SESSION_SECRET: "simulation",
  ENCRYPTION_KEYS: `1:${btoa("x".repeat(32))}`,
  STAFF_SECOND_FACTOR: "off",
  LOGIN_ERRORS: "spec",
  PWNED_PASSWORDS_URL: "",
  API_REQUESTS_PER_MINUTE: "100000000",
};

/** Lives through the script's events, then until all deliveries have ended and the product had time to see it. */
async function live(
  site: Site,
  world: World,
  actors: { handlers: Handlers<WorldEvent>; ticks: (() => Promise<void>)[]; until: number },
  script: Script,
) {
  const { handlers, ticks } = actors;
  let { until } = actors;
  const run = (event: WorldEvent) => (handlers[event.kind] as (event: WorldEvent) => Promise<void>)(event);
  let events = withEndsOfFaults(script.events);
  const settle = script.settleMs ?? SETTLE;
  let end = endOf(script) + settle;
  let next = 0;
  let nightlyAt = nextNightly(site.now());
  /** What they are at. Somebody who waits for the clock is at it over several steps. */
  const people = new Set<Promise<unknown>>();
  const follow = (work: Promise<void>): Promise<unknown> => {
    const followed: Promise<unknown> = work.finally(() => people.delete(followed));
    people.add(followed);
    return followed;
  };
  const ticking = new Map<() => Promise<void>, Promise<unknown>>();
  site.setStepping(true);
  while (world.now() < end) {
    if (Date.now() > until) {
      until = Number.POSITIVE_INFINITY;
      cutScript(script, events[next]?.at ?? end);
      events = withEndsOfFaults(script.events);
      end = endOf(script) + settle;
    }
    const due: WorldEvent[] = [];
    for (let event = events[next]; event && event.at <= world.now() + MINUTE; event = events[++next]) due.push(event);
    site.wake();
    for (const event of due) follow(run(event));
    // Whoever is still at what was due before goes on with it.
    for (const tick of ticks) {
      const last = ticking.get(tick);
      if (!last || !people.has(last)) ticking.set(tick, follow(tick()));
    }
    await site.untilStill(people);
    // A call in flight would outlast its lease.
    await site.untilIdle();
    const ms = site.pausing() > 0 ? MINUTE : lengthOfStep((events[next]?.at ?? end) - world.now());
    const isNight = site.now() + ms >= nightlyAt;
    await site.step(ms, isNight ? [EVERY_MINUTE, NIGHTLY] : [EVERY_MINUTE]);
    if (isNight) nightlyAt = nextNightly(site.now());
  }
  site.setStepping(false);
  site.wake();
  await Promise.all(people);
  await site.step(0, [NIGHTLY]);
}

/** Returns a minute while there is something to do, and more while people are quiet. Simulated ms. */
function lengthOfStep(untilNextEvent: number): number {
  return Math.min(Math.max(untilNextEvent - MINUTE, MINUTE), QUIET_STEP);
}

/** Returns the next 03:17 UTC after a time. Simulated ms since 1970. */
function nextNightly(now: number): number {
  const at = Math.floor(now / DAY) * DAY + NIGHTLY_AT;
  return at > now ? at : at + DAY;
}

/** Adds an event where each fault of the database ends, and sorts by time. */
function withEndsOfFaults(events: WorldEvent[]): WorldEvent[] {
  const all = events.flatMap((event): WorldEvent[] =>
    event.kind === "database" ? [event, { ...event, at: event.to, refuse: 0, lose: 0, slowMs: 0 }] : [event],
  );
  return all.sort((a, b) => a.at - b.at);
}

/** Ends a script at a time: later events are left out, and all faults end then. The world may hold those already. */
function cutScript(script: Script, at: number): void {
  script.events = script.events.filter((event) => event.at < at);
  const faults: { to: number }[] = script.providers.flatMap(({ modes }) => modes);
  for (const event of script.events) {
    if (event.kind === "webhook") faults.push(...event.outages);
    else if ("to" in event) faults.push(event);
  }
  for (const fault of faults) fault.to = Math.min(fault.to, at);
}

async function fillHistory(product: SimulatedProduct, { providers }: World, finished: number): Promise<void> {
  await product.stopWhile((stateDir) => {
    const database = openMainDatabase(stateDir);
    const providerIds = providers.map(({ id }) => id);
    const serviceIds = providers.map(({ serviceId }) => serviceId);
    seedOrders(database, { finished, open: 0, providerIds, serviceIds, now: product.now() });
    database.close();
  });
}

/** Returns when the script's last delivery and the last provider's trouble end. */
function endOf({ events, providers }: Script): number {
  const ends = [
    ...events.map(({ at }) => at),
    ...events.flatMap((event) => (event.kind === "webhook" ? event.outages.map(({ to }) => to) : [])),
    ...placesOf(events).map(({ at, plan }) => at + (plan.steps.at(-1)?.after ?? 0)),
    ...providers.flatMap(({ modes }) => modes.map(({ to }) => to)),
    ...events.map((event) => (event.kind === "google" ? event.to : 0)),
  ];
  return ends.reduce((latest, end) => Math.max(latest, end), 0);
}
