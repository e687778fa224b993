import type { PlaceEvent } from "../scripts/plan-orders.ts";
import { MINUTE, SECOND } from "../scripts/simulated-durations.ts";
import type { PlacedOrder } from "../world/customers/order-customer.ts";
import type { World } from "../world/open-world.ts";
import type { AddCall, WorldProvider } from "../world/outside/world-provider.ts";
import type { Trouble } from "../world/site.ts";
import { FINAL, type OrderRow, type Violation } from "./violation.ts";

/** The machine's clock and the simulated one are read one after the other. */
const CLOCK_SLACK = 2 * SECOND;
/** A kill may lose the response to a call that ended so long before it, in real ms. */
const LOST_BEFORE_KILL_MS = 3000;
/** A provider gets five calls at a time by default, and the results of as many may wait to be stored. */
const HELD_PER_CRASH = 10;
/** A mark holds for a minute, and the next round comes within three. */
const MARKED_BEFORE_HELD_MS = 4 * MINUTE;
/** So many calls may go to a provider that gives no certain answer, before the product must leave it alone for a while. */
const UNCLEAR_AT_MOST = 12;
const UNCLEAR_WINDOW = 30 * MINUTE;

/** A status that a provider gave, as anybody would read it who knows how panels write. */
type Reading = { status: "Completed" | "Partial" | "Canceled" | "open" | "unknown"; remains: number | null };

/**
 * Compares each order with what its provider did and said. It knows the panel convention and the product's promises, and
 * none of its code.
 */
export function judgeOrders(
  world: World,
  placed: PlacedOrder[],
  rows: OrderRow[],
  { kills, troubles }: { kills: Trouble[]; troubles: Trouble[] },
): Violation[] {
  const violations: Violation[] = [];
  const rowsByLink = new Map<string, OrderRow[]>();
  for (const row of rows) rowsByLink.set(row.link, [...(rowsByLink.get(row.link) ?? []), row]);
  for (const order of placed) {
    const link = world.linkOf(order.event.name);
    const stored = rowsByLink.get(link) ?? [];
    const provider = world.providers[order.event.provider];
    const broken = (rule: string, truth: unknown, product: unknown = stored) =>
      violations.push({ rule, subject: order.event.name, world: truth, product });
    for (const surprise of order.surprises) broken("an order's response keeps the contract", surprise);
    // A customer who never got a response may have an order.
    const isExpected = stored.length === 1 || (order.id === null && stored.length === 0);
    if (!isExpected) broken("an acknowledged order exists once", { acknowledged: order.id });
    const [row] = stored;
    if (!row || !provider) continue;
    if (order.id !== null && row.id !== order.id) broken("an acknowledged order keeps its id", { id: order.id });
    if (row.history !== null && !endsWithStatus(row.history, row.status)) {
      broken("the last status of an order's history is its status", null, row);
    }
    const { placedAt, confirmedAt } = order;
    const createdAt = row.created_at - world.startedAt;
    if (createdAt < placedAt - CLOCK_SLACK || createdAt > confirmedAt + CLOCK_SLACK) {
      broken("an order's time is the server's", { placedAt, confirmedAt, createdAt });
    }
    const total = order.event.quantity * order.event.runs;
    const rates = order.rates?.() ?? [world.rate];
    const charges = rates.map((rate) => Math.ceil((rate * total) / 1000));
    if (!charges.includes(row.charge)) broken("a charge is the rate times the pieces, rounded up", { charges });
    const adds = provider.adds.filter((add) => add.link === link);
    const taken = provider.orders.filter((at) => at.link === link);
    if (taken.length > 1) broken("a provider gets an order at most once", { taken });
    const service = providersServiceOf(world, order.event);
    if (adds.some((add) => add.service !== service)) broken("an order is sent as what was ordered", { service, adds });
    for (const rule of judgeEnd(order, row, { adds, provider, kills, troubles, total })) {
      broken(rule.rule, { ...rule.world, adds, said: reportsOf(provider, row) });
    }
  }
  violations.push(...judgeCaution(world), ...judgeIds(rows), ...judgeCrashes(world, rows, kills));
  return violations;
}

const STATUS_LETTERS: Record<string, string> = {
  n: "Pending",
  p: "Processing",
  i: "In progress",
  C: "Completed",
  P: "Partial",
  X: "Canceled",
};

/** A history has a letter and a number for each step. An order is placed as Pending, which is no step. */
function endsWithStatus(history: string, status: string): boolean {
  const last = [...history].filter((letter) => letter in STATUS_LETTERS).at(-1) ?? "n";
  return /^([A-Za-z]\d+)*$/.test(history) && STATUS_LETTERS[last] === status;
}

function providersServiceOf({ shop }: World, { service, subscription }: PlaceEvent): string | undefined {
  if (service !== undefined) return shop?.catalog.services[service]?.id;
  return subscription ? "2" : "1";
}

type Broken = { rule: string; world: Record<string, unknown> };

function judgeEnd(
  order: PlacedOrder,
  row: OrderRow,
  facts: { adds: AddCall[]; provider: WorldProvider; kills: Trouble[]; troubles: Trouble[]; total: number },
): Broken[] {
  const { adds, provider, kills, troubles, total } = facts;
  const full = row.charge;
  const isRefundedInFull = row.status === "Canceled" && row.refunded === full;
  if (adds.length === 0) {
    if (order.cancelAcceptedAt !== null && isRefundedInFull) return [];
    if (row.fulfillment === "held") {
      // It was marked as being sent, and then the process or the database was gone.
      const isExplained = troubles.some(
        ({ simulatedFrom, simulatedTo }) => simulatedTo >= row.created_at && simulatedFrom <= row.updated_at,
      );
      return isExplained ? [] : [{ rule: "an order is held only after a call", world: {} }];
    }
    return [{ rule: "an order is sent once its provider can take it", world: {} }];
  }
  const mayBeLost = adds.some(
    (add) =>
      !add.isAnswered || kills.some(({ from, to }) => add.realAt <= to && add.realAt > from - LOST_BEFORE_KILL_MS),
  );
  const last = adds.at(-1) as AddCall;
  const isUnclear = mayBeLost || adds.some(({ outcome }) => outcome.kind === "unclear");
  if (row.fulfillment === "held" && row.provider_order_id === null) {
    // It was marked as being sent again, and then the process was gone.
    const isCutOff = kills.some(
      ({ simulatedFrom, simulatedTo }) =>
        simulatedTo >= row.updated_at - MARKED_BEFORE_HELD_MS && simulatedFrom <= row.updated_at,
    );
    const isReused = last.outcome.kind === "taken" && order.event.plan.add === "reused_id";
    return isUnclear || isReused || isCutOff
      ? []
      : [{ rule: "an order is held only if its provider may have it", world: {} }];
  }
  switch (last.outcome.kind) {
    case "refused":
      return isRefundedInFull ? [] : [{ rule: "a refused order is canceled and refunded", world: {} }];
    case "deferred":
      if (order.cancelAcceptedAt !== null && isRefundedInFull) return [];
      if (row.status === "Canceled") return [{ rule: "a busy provider cancels no order", world: {} }];
      return [{ rule: "a deferred order is sent again", world: {} }];
    case "unclear":
      return isRefundedInFull && order.cancelAcceptedAt !== null
        ? []
        : [{ rule: "an order whose provider may have it is held", world: {} }];
    case "taken":
      return judgeDelivery(row, provider, total);
  }
}

/** The provider took the order: its statuses decide. */
function judgeDelivery(row: OrderRow, provider: WorldProvider, total: number): Broken[] {
  const { id } = provider.orders.find(({ link }) => link === row.link) ?? { id: "" };
  if (row.provider_order_id !== id) return [{ rule: "an order keeps its provider's id", world: { id } }];
  const reports = reportsOf(provider, row);
  const read = reports.filter(({ isAnswered }) => isAnswered).map(readReport);
  if (read.length === 0) return [{ rule: "a taken order's status is asked for", world: {} }];
  const finals = read.filter(({ status }) => status !== "open" && status !== "unknown");
  const readable = finals.filter(({ status, remains }) => status !== "Partial" || remains !== null);
  if (!FINAL.includes(row.status)) {
    // Held for staff: how much of a canceled or partial order remains cannot be read, or is 0, which panels write for that.
    if (row.fulfillment === "held" && readable.every(({ status, remains }) => status !== "Completed" && !remains))
      return [];
    const since = reports.find((report) => FINAL.includes(readReport(report).status));
    return readable.length > 0 ? [{ rule: "an order ends when its provider ends it", world: { since } }] : [];
  }
  if (finals.length === 0) return [{ rule: "an order ends only when its provider ends it", world: {} }];
  const fits = finals.some((final) => matches(final, row, total, reports));
  return fits
    ? []
    : [{ rule: "an order ends as its provider says, and refunds what it did not deliver", world: { finals } }];
}

function matches(final: Reading, row: OrderRow, total: number, reports: WorldProvider["reports"]): boolean {
  const due = (remains: number) => Number((BigInt(row.charge) * BigInt(Math.min(remains, total))) / BigInt(total));
  switch (final.status) {
    case "Completed":
      return row.status === "Completed" && row.refunded === 0;
    case "Partial":
      return row.status === "Partial" && row.refunded === due(final.remains ?? 0);
    case "Canceled": {
      if (row.status !== "Canceled") return false;
      // Before anything was delivered, panels write 0 or nothing for what remains: all of it does.
      const hadBegun = reports.some((report) => readReport(report).status === "open" && hasProgress(report, total));
      if (!hadBegun) return row.refunded === row.charge;
      return final.remains === null || row.refunded >= due(final.remains);
    }
    default:
      return false;
  }
}

function hasProgress(report: WorldProvider["reports"][number], total: number): boolean {
  const { remains } = readReport(report);
  return remains !== null && remains < total;
}

function reportsOf(provider: WorldProvider, row: OrderRow) {
  return provider.reports.filter(({ id }) => id === row.provider_order_id);
}

export function readReport({ status, remains }: { status: unknown; remains: unknown }): Reading {
  const text = String(status)
    .toLowerCase()
    .replaceAll(/[^a-z]/g, "");
  const known: [RegExp, Reading["status"]][] = [
    [/^complete(d)?$/, "Completed"],
    [/^(partial(lycompleted)?|expired)$/, "Partial"],
    [/^(cancell?ed|refunded|fail(ed)?)$/, "Canceled"],
    [/^(pending|processing|inprogress|active|started|paused)$/, "open"],
  ];
  const isPlain = /^[\w\s-]*$/.test(String(status));
  const reading = isPlain ? (known.find(([spelling]) => spelling.test(text))?.[1] ?? "unknown") : "unknown";
  return { status: reading, remains: readCount(remains) };
}

function readCount(value: unknown): number | null {
  if (typeof value !== "string" && typeof value !== "number") return null;
  const text = String(value).replaceAll(",", "").replace(/\.0+$/, "");
  return /^\d{1,12}$/.test(text) ? Number(text) : null;
}

/**
 * A provider that gives no certain answer must not get one order after the other. Where it answers in between, the fault
 * was an order's own.
 */
function judgeCaution(world: World): Violation[] {
  return world.providers.flatMap(({ adds, id }) =>
    runsWithoutAnswer(adds).flatMap((unclear) => {
      const within = ({ at }: AddCall) => unclear.filter((other) => other.at >= at && other.at < at + UNCLEAR_WINDOW);
      const worst = unclear.map(within).find(({ length }) => length > UNCLEAR_AT_MOST);
      if (!worst) return [];
      const rule = "a dead provider gets few orders";
      return [
        { rule, subject: `provider ${id}`, world: { callsInHalfAnHour: worst.length, calls: worst }, product: null },
      ];
    }),
  );
}

/** Groups the calls without a certain answer by the answers between them. */
function runsWithoutAnswer(adds: AddCall[]): AddCall[][] {
  const runs: AddCall[][] = [[]];
  for (const add of adds) {
    if (add.isAnswered && add.outcome.kind !== "unclear") runs.push([]);
    else if (!add.isAnswered) runs.at(-1)?.push(add);
  }
  return runs;
}

/** A crash may hold the orders whose calls were in flight or just answered, and not all that waited behind them. */
function judgeCrashes({ providers }: World, rows: OrderRow[], kills: Trouble[]): Violation[] {
  return providers.flatMap(({ id, adds }) => {
    const held = rows.filter(
      (row) => row.provider_id === id && row.fulfillment === "held" && row.provider_order_id === null,
    );
    const byCrash = held.filter(({ link }) =>
      adds.every((add) => add.link !== link || (add.isAnswered && add.outcome.kind !== "unclear")),
    );
    const crashOf = ({ created_at }: OrderRow) => kills.findIndex(({ simulatedTo }) => simulatedTo >= created_at);
    return [...Map.groupBy(byCrash, crashOf)].flatMap(([crash, orders]) => {
      if (crash === -1 || orders.length <= HELD_PER_CRASH) return [];
      const links = orders.map(({ link }) => link);
      const rule = "a crash holds no more than the calls in flight";
      return [{ rule, subject: `provider ${id}`, world: { atMost: HELD_PER_CRASH }, product: links }];
    });
  });
}

/** Two orders with one id at a provider would both end when it does. */
function judgeIds(rows: OrderRow[]): Violation[] {
  const seen = new Map<string, number>();
  return rows.flatMap(({ id, provider_id, provider_order_id, link }) => {
    if (provider_order_id === null) return [];
    const key = `${provider_id}/${provider_order_id}`;
    const first = seen.get(key);
    if (first === undefined) seen.set(key, id);
    return first === undefined
      ? []
      : [
          {
            rule: "no two orders share a provider's id",
            subject: link,
            world: { key },
            product: { orders: [first, id] },
          },
        ];
  });
}
