import { judgeChats } from "../oracles/chat-oracle.ts";
import { judgeLog } from "../oracles/log-oracle.ts";
import { judgeOrders } from "../oracles/order-oracle.ts";
import type { OrderRow, Violation } from "../oracles/violation.ts";
import { judgeWallets } from "../oracles/wallet-oracle.ts";
import { type SimulatedProduct, startSimulated } from "../product/simulated-product.ts";
import { HOUR, MINUTE, type Script, type WorldEvent } from "../scripts/script.ts";
import { type ChatWorld, openChats } from "./chat-world.ts";
import { openWorld, type World } from "./open-world.ts";
import { callPanel, type PlacedOrder, placeOrder } from "./order-customer.ts";

export type RunResult = {
  violations: Violation[];
  /** Counts of each behavior in the script. */
  drawn: Map<string, number>;
  realMs: number;
  orders: number;
  messages: number;
};

const EVERY_MINUTE = "* * * * *";
const NIGHTLY = "17 3 * * *";
const POLL_MS = 5;
/** Network timeouts are real: the clock waits for calls that hang. */
const IDLE_WITHIN_MS = 20_000;
/** Once the last delivery has ended, the product has so long to see it: it asks for old and held orders rarely. */
const SETTLE = 4 * HOUR;
const SETTLE_STEP = 5 * MINUTE;

/** Runs a script against a product built by `buildSimulated`, and judges what is left of it. */
export async function runScript(options: { tree: string; stateDir: string; script: Script }): Promise<RunResult> {
  const { script } = options;
  const started = Date.now();
  const product = await startSimulated({ ...options, bindings: BINDINGS });
  const world = await openWorld(product, script);
  const chats = await openChats(product, script);
  try {
    const { placed, killedAt } = await live(product, { world, chats }, script);
    const rows = await product.query<OrderRow>(
      "select id, user_id, link, status, fulfillment, charge, refunded, remains, provider_id, provider_order_id, created_at, updated_at from orders order by id",
    );
    const violations = [
      ...judgeOrders(world, placed, rows, { killedAt }),
      ...(await judgeWallets(product, world, rows)),
      ...(await judgeChats(product, chats)),
      ...judgeLog(product.logged),
    ];
    const messages = chats.conversations.flatMap(({ visitor }) => [...visitor.shown.keys()]).length;
    return { violations, drawn: countDrawn(script), realMs: Date.now() - started, orders: rows.length, messages };
  } finally {
    chats.close();
    await world.close();
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
async function live(product: SimulatedProduct, { world, chats }: { world: World; chats: ChatWorld }, script: Script) {
  const placed: PlacedOrder[] = [];
  const killedAt: number[] = [];
  const orders = new Map<string, PlacedOrder>();
  const run = async (event: WorldEvent): Promise<void> => {
    switch (event.kind) {
      case "order": {
        const order = await placeOrder(product.url, world, event);
        placed.push(order);
        orders.set(event.name, order);
        return;
      }
      case "cancel":
        return cancelOrder(product, world, orders.get(event.order));
      case "refill":
        return refillOrder(product, world, orders.get(event.order));
      case "kill":
        await new Promise((resolve) => setTimeout(resolve, event.afterRealMs));
        killedAt.push(Date.now());
        return product.kill(chats.rooms());
      case "say":
        return chats.say(event);
      case "drop":
        return chats.drop(event);
      case "end_agent":
        return chats.endAgent(event);
      case "evict":
        return evict(product, chats.rooms()[event.visitor]);
      case "database":
        return product.setDatabaseFaults(event);
    }
  };
  const events: WorldEvent[] = script.events.flatMap((event): WorldEvent[] =>
    event.kind === "database" ? [event, { ...event, at: event.to, refuse: 0, lose: 0, slowMs: 0 }] : [event],
  );
  events.sort((a, b) => a.at - b.at);
  const end = endOf(script) + SETTLE;
  let next = 0;
  let cronAt = 0;
  while (world.now() < end) {
    const step = next < events.length ? MINUTE : SETTLE_STEP;
    const due: WorldEvent[] = [];
    for (let event = events[next]; event && event.at <= world.now() + step; event = events[++next]) due.push(event);
    await Promise.all(due.map(run));
    await product.advance(step);
    if (world.now() >= cronAt) {
      await product.runCron(EVERY_MINUTE).catch(() => undefined);
      cronAt = world.now() + MINUTE / 2;
    }
    await untilIdle(product);
  }
  await product.runCron(NIGHTLY);
  await untilIdle(product);
  await chats.settle();
  await product.advance(MINUTE);
  await untilIdle(product);
  return { placed, killedAt };
}

/** Returns when the script's last delivery and the last provider's trouble end. */
function endOf({ events, providers }: Script): number {
  const ends = [
    ...events.map((event) => event.at + (event.kind === "order" ? (event.plan.steps.at(-1)?.after ?? 0) : 0)),
    ...providers.flatMap(({ modes }) => modes.map(({ to }) => to)),
  ];
  return Math.max(0, ...ends);
}

async function untilIdle(product: SimulatedProduct): Promise<void> {
  const until = Date.now() + IDLE_WITHIN_MS;
  while (Date.now() < until) {
    const { active, due } = await product.state();
    if (active === 0 && due === 0) return;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

async function evict(product: SimulatedProduct, room: string | undefined): Promise<void> {
  // It fails for a room that is busy, or not in memory.
  if (room !== undefined) await product.evict("SupportRoom", room).catch(() => undefined);
}

async function cancelOrder(product: SimulatedProduct, world: World, order: PlacedOrder | undefined): Promise<void> {
  const customer = world.customers[order?.event.customer ?? -1];
  if (!order || order.id === null || !customer) return;
  const body = await callPanel(product.url, customer, { action: "cancel", orders: String(order.id) });
  const [entry] = (Array.isArray(body) ? body : []) as { cancel?: unknown }[];
  if (entry?.cancel === 1) order.cancelAcceptedAt = world.now();
}

async function refillOrder(product: SimulatedProduct, world: World, order: PlacedOrder | undefined): Promise<void> {
  const customer = world.customers[order?.event.customer ?? -1];
  if (!order || order.id === null || !customer) return;
  const body = (await callPanel(product.url, customer, { action: "refill", order: String(order.id) })) as {
    refill?: string;
  } | null;
  order.refill = body?.refill ?? null;
}

function countDrawn({ events, providers }: Script): Map<string, number> {
  const drawn = new Map<string, number>();
  const count = (name: string) => drawn.set(name, (drawn.get(name) ?? 0) + 1);
  for (const { modes } of providers) for (const { mode } of modes) count(`provider ${mode}`);
  for (const event of events) {
    count(event.kind);
    if (event.kind !== "order") continue;
    count(`add ${event.plan.add}`);
    count(`surface ${event.surface}`);
    for (const { status } of event.plan.steps) count(`status ${status}`);
  }
  return drawn;
}
