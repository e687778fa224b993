import type { FundsEvent } from "../../scripts/plan-funds.ts";
import { MINUTE } from "../../scripts/simulated-durations.ts";
import type { Handlers } from "../actor.ts";
import type { World } from "../open-world.ts";
import type { Site } from "../site.ts";
import { placeMassOrder } from "./mass-order.ts";
import { type PlacedOrder, placeOrder } from "./order-customer.ts";
import type { OrderWorld } from "./order-world.ts";

type SpendEvent = Extract<FundsEvent, { kind: "spend" }>;
/** A wallet at one time, in micro-units. `entry` is the last id in its ledger. */
export type Funds = { balance: number; owed: number; entry: number };
/** An attempt to place a purchase. `credits`: money came in while it was made. */
export type PurchaseTry = {
  outcome: "placed" | "refused" | "unclear";
  before: Funds;
  after: Funds;
  credits: number;
  /** Orders that were there after a refusal. */
  leftovers: number;
};
/** Something that a customer tries to order until they can pay for it. `charge` in micro-units. */
export type Purchase = {
  event: SpendEvent;
  charge: number;
  /** When it was first tried, in simulated ms since the script's beginning. */
  since: number;
  ids: (number | null)[];
  tries: PurchaseTry[];
  /** Ids that a repetition of the placed purchase got, once the money was spent. */
  repeated: (number | null)[] | null;
};
export type FundsWorld = {
  purchases: Purchase[];
  /** Tries again what could not be paid for. */
  tick(): Promise<void>;
  handlers: Handlers<SpendEvent>;
};

const RETRY_AFTER = 40 * MINUTE;

export async function readFunds(site: Site, world: World, customer: number): Promise<Funds> {
  const { userId } = world.customers[customer] ?? { userId: "" };
  const [row] = await site.query<Funds>(
    `select coalesce((select balance from wallets where user_id = ?1), 0) as balance,
      coalesce((select owed from wallets where user_id = ?1), 0) as owed,
      coalesce((select max(id) from ledger where user_id = ?1), 0) as entry`,
    userId,
  );
  return row ?? { balance: 0, owed: 0, entry: 0 };
}

/** Customers who order more than they can pay for, and again when they can. */
export function openFunds(site: Site, world: World, orders: OrderWorld): FundsWorld {
  const purchases: Purchase[] = [];
  const drafts = new Map<Purchase, string>();
  const busy = new Set<Purchase>();
  let retryAt = 0;

  function place({ event }: Purchase, draft: string): Promise<PlacedOrder[]> {
    const [line] = event.lines;
    if (event.by !== "mass" && line) return Promise.all([placeOrder(site, world, line)]);
    const { at, name, customer, lines } = event;
    const mass = { kind: "mass", at, name, customer, lines, hangsUpAfter: null, copies: 1 } as const;
    return placeMassOrder(site, world, mass, { draft });
  }

  async function ordersOf({ lines }: SpendEvent): Promise<number> {
    const links = lines.map(({ name }) => world.linkOf(name));
    const marks = links.map(() => "?");
    return (await site.query(`select id from orders where link in (${marks})`, ...links)).length;
  }

  async function attempt(purchase: Purchase): Promise<void> {
    if (busy.has(purchase)) return;
    busy.add(purchase);
    const { event } = purchase;
    const draft = drafts.get(purchase) ?? `mass-${crypto.randomUUID()}`;
    drafts.set(purchase, draft);
    const before = await readFunds(site, world, event.customer);
    const placed = await place(purchase, draft);
    const after = await readFunds(site, world, event.customer);
    const [money] = await site.query<{ credits: number }>(
      "select count(*) as credits from ledger where user_id = ? and id > ? and amount > 0",
      world.customers[event.customer]?.userId,
      before.entry,
    );
    const isPlaced = placed.every(({ id }) => id !== null);
    const isRefused = placed.every(({ id, refusal }) => id === null && refusal === "funds");
    const outcome = isPlaced ? "placed" : isRefused ? "refused" : "unclear";
    const leftovers = outcome === "refused" ? await ordersOf(event) : 0;
    purchase.tries.push({ outcome, before, after, credits: money?.credits ?? 0, leftovers });
    site.count(`purchase by ${event.by} ${outcome}${purchase.tries.length > 1 ? " later" : ""}`);
    const surprised = placed.filter(({ surprises }) => surprises.length > 0);
    if (isPlaced) {
      for (const order of placed) order.placedAt = purchase.since;
      orders.add(placed);
      purchase.ids = placed.map(({ id }) => id);
      purchase.repeated = (await place(purchase, draft)).map(({ id }) => id);
    } else if (surprised.length > 0) orders.add(surprised);
    busy.delete(purchase);
  }

  return {
    purchases,
    async tick() {
      if (world.now() < retryAt) return;
      retryAt = world.now() + RETRY_AFTER;
      await Promise.all(
        purchases.filter(({ ids, tries }) => ids.length === 0 && tries.length > 0).map((purchase) => attempt(purchase)),
      );
    },
    handlers: {
      async spend(event) {
        const charge = event.lines.reduce((sum, { quantity, runs }) => sum + world.chargeOf(quantity * runs), 0);
        const purchase: Purchase = { event, charge, since: world.now(), ids: [], tries: [], repeated: null };
        purchases.push(purchase);
        await attempt(purchase);
      },
    },
  };
}
