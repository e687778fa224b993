import { and, desc, eq, inArray, lt, sql } from "drizzle-orm";
import { isUnavailable } from "#app/db/bounded-database.server.ts";
import type { Db } from "#app/db/db.server.ts";
import { type HoldReason, type Order, type OrderStatus, orders } from "#app/db/schema.server.ts";
import { heldBy, historyAfter } from "#app/db/steps/order-steps.server.ts";
import { log, runLogged } from "#app/http/log.ts";
import { costAfter, type OrderCost } from "#app/orders/providers/order-cost.ts";
import type { ProviderLink } from "#app/orders/providers/provider-link.server.ts";
import { ownTextsOf } from "#app/orders/providers/reading/own-texts.ts";
import type { Unreadable } from "#app/orders/providers/reading/states-answer.ts";
import { type Report, undeliveredOf } from "#app/orders/providers/reading/status-report.ts";
import { isByPosts } from "#app/orders/rules/order-input.ts";
import { isFinal } from "#app/orders/rules/order-status.ts";
import { RECENT_MS } from "#app/orders/rules/recent-orders.ts";
import { MAX_INT32 } from "#app/product.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "#app/time.ts";
import { closeOrder } from "./close-order.server.ts";
import { isTracked } from "./indexed-conditions.server.ts";
import { runWhileAvailable } from "./run-while-available.server.ts";
import { keepUnreadable, type Entries as StateEntries } from "./state-calls.server.ts";
import {
  type CallState,
  callsAboutOrders,
  MAX_IDS_PER_CALL,
  newCallState,
  type StateCalls,
} from "./status-calls.server.ts";

/** Older orders: calls per round, and the time between the starts of two passes. */
const OLDER_CALLS = 10;
const OLDER_PASS_MS = 10 * MINUTE_MS;
/** An order or refill whose status stays unreadable this long is held, so that a person looks. */
export const UNREADABLE_MS = HOUR_MS;
/** Orders or refills whose provider gives no readable answer about any of them for this long are held. */
export const NO_ANSWER_MS = DAY_MS;

/** Position in the pass over older orders. It is kept in memory only: a dispatcher that lost it starts a new pass. */
export type StatusCursor = CallState & {
  /** The oldest recent id asked for, where a round ended before it asked for all. Null: the next one begins with the newest. */
  recentFrom: number | null;
  /** The oldest id asked for in this pass over the older orders. Null between two passes. */
  olderFrom: number | null;
  passStartedAt: number;
};

export function newStatusCursor(): StatusCursor {
  return { ...newCallState(), recentFrom: null, olderFrom: null, passStartedAt: 0 };
}

type OrderCalls = StateCalls<Order, Report>;

/**
 * Asks a provider for the statuses of all its recent open orders, then for some of the older ones. Writes only what
 * changed. `afterCall` runs after each call but the last.
 *
 * @returns `open`: whether any order is open. `soon`: whether one is recent, or the pass over the older ones goes on.
 */
export async function syncStatuses(
  link: ProviderLink,
  cursor: StatusCursor,
  afterCall: () => void = () => {},
): Promise<{ open: boolean; soon: boolean }> {
  const now = Date.now();
  const apply = (some: Order[], entries: Entries) => applyEntries(link, some, entries);
  const calls = callsAboutOrders(link, apply, { state: cursor, callsLeft: Number.POSITIVE_INFINITY });
  const { open, recent, before } = await askRecent(link, calls, cursor, now, afterCall);
  if (cursor.olderFrom === null && cursor.recentFrom === null && now - cursor.passStartedAt >= OLDER_PASS_MS) {
    cursor.olderFrom = before;
    cursor.passStartedAt = now;
  }
  await askOlder(link, calls, cursor, afterCall);
  await calls.askForPostponed();
  if (calls.isOver) await holdUnanswered(link, cursor);
  return { open, soon: recent || cursor.recentFrom !== null || cursor.olderFrom !== null };
}

/** Returns behind which order the older ones begin, as far as they were read. */
async function askRecent(
  link: ProviderLink,
  calls: OrderCalls,
  cursor: StatusCursor,
  now: number,
  afterCall: () => void,
): Promise<{ open: boolean; recent: boolean; before: number }> {
  const start = cursor.recentFrom ?? MAX_INT32 + 1;
  let before = start;
  let open = false;
  let recent = false;
  while (calls.callsLeft > 0 && link.takesCalls()) {
    const page = await readTracked(link, before);
    const recentOnes = page.filter(({ createdAt }) => createdAt > now - RECENT_MS);
    open ||= page.length > 0;
    recent ||= recentOnes.length > 0;
    const asked = await calls.ask(recentOnes);
    const isWhole = asked === recentOnes.length;
    before = recentOnes[isWhole ? recentOnes.length - 1 : asked - 1]?.id ?? before;
    // The next round goes on behind the last one that was asked about. Where it can't, it begins with the newest again.
    cursor.recentFrom = isWhole || before === start ? null : before;
    if (!isWhole || recentOnes.length < MAX_IDS_PER_CALL) break;
    afterCall();
  }
  return { open, recent, before };
}

async function askOlder(
  link: ProviderLink,
  calls: OrderCalls,
  cursor: StatusCursor,
  afterCall: () => void,
): Promise<void> {
  for (let made = 0; cursor.olderFrom !== null && made < OLDER_CALLS; made++) {
    if (calls.callsLeft <= 0 || !link.takesCalls()) break;
    const page = await readTracked(link, cursor.olderFrom);
    const asked = await calls.ask(page);
    // Nothing was learned of the rest, so the pass goes on with it.
    if (asked < page.length || calls.isOver) {
      cursor.olderFrom = page[asked - 1]?.id ?? cursor.olderFrom;
      break;
    }
    cursor.olderFrom = page.length < MAX_IDS_PER_CALL ? null : (page.at(-1)?.id ?? null);
    if (cursor.olderFrom !== null) afterCall();
  }
}

/**
 * Holds orders of a provider that has given no readable answer about any order for a day, a page of them in each round.
 * Once it does, they go on by themselves.
 */
async function holdUnanswered({ db, id: provider }: ProviderLink, { failingSince }: CallState): Promise<void> {
  const limit = Date.now() - NO_ANSWER_MS;
  if (failingSince === 0 || failingSince > limit) return;
  const unanswered = db
    .select({ id: orders.id })
    .from(orders)
    .where(and(isTracked, eq(orders.providerId, provider), lt(orders.createdAt, limit)))
    .limit(MAX_IDS_PER_CALL);
  const held = await db
    .update(orders)
    .set(heldBy("unreadable", Date.now()))
    .where(and(inArray(orders.id, unanswered), isTracked))
    .returning({ id: orders.id });
  if (held.length > 0) log("warn", "orders held without an answer", { provider, orders: held.length });
}

/** Returns the newest open orders of a provider that are older than the order `before`. */
function readTracked({ db, id }: ProviderLink, before: number): Promise<Order[]> {
  return db
    .select()
    .from(orders)
    .where(and(isTracked, eq(orders.providerId, id), lt(orders.id, before)))
    .orderBy(desc(orders.id))
    .limit(MAX_IDS_PER_CALL);
}

/** Applies what a provider says about orders that it is delivering. */
export async function applyEntries(link: ProviderLink, open: Order[], entries: Entries): Promise<void> {
  const moved: Moved[] = [];
  const orNote = async (order: Order, apply: () => Promise<unknown>) => {
    const about = { order: order.id, provider: link.id };
    // Where the database is unavailable, it may have been stored. The round is repeated.
    if (await runWhileAvailable("order status not applied", about, apply)) return;
    // What can't be stored would fail in each round, and nobody would be told.
    const entry = entryOf(order, entries);
    await runLogged("order not marked unreadable", about, () => noteUnreadable(link, order, entry));
  };
  for (const order of open) {
    // Asked about again in a later round.
    if (!link.mayGoOn()) break;
    const entry = entryOf(order, entries);
    const progress = progressOf(order, entry);
    if (!progress) await orNote(order, () => applyEntry(link, order, entry));
    else if (hasChanged(order, progress)) moved.push({ order, progress });
  }
  await storeProgress(link.db, moved, orNote);
}

type Moved = { order: Order; progress: Progress };

export type Entries = StateEntries<Report>;
export type Entry = Report | Unreadable;

/** Returns what an answer says of an order. */
export function entryOf({ providerOrderId }: Order, entries: Entries): Entry {
  return entries.get(providerOrderId ?? "") ?? { kind: "unreadable", why: "missing", entry: undefined };
}

export type Progress = OrderCost & { id: number; status: OrderStatus; remains: number; startCount: number | null };

/** Returns what an order that goes on looks like, or null if it ended or its status can't be read. */
export function progressOf(order: Order, report: Entry | null): Progress | null {
  if (report?.kind !== "report" || isFinal(report.status)) return null;
  return {
    id: order.id,
    status: report.status,
    remains: Math.min(unservedOf(order, report) ?? report.remains ?? order.remains, order.quantity * order.runs),
    startCount: report.startCount ?? order.startCount,
    ...costAfter(order, report, null),
  };
}

export function hasChanged(order: Order, { status, remains, startCount, cost, costIsReported }: Progress): boolean {
  const isSame = order.status === status && order.remains === remains && order.startCount === startCount;
  const isSameCost = order.cost === cost && order.costIsReported === costIsReported;
  return !isSame || !isSameCost || order.unreadableSince !== 0;
}

/**
 * Stores all progress in two statements: one that names the status would write to the indexes that contain it even if it
 * is the same. If one is refused, stores one by one, so that an order that can't be stored stops no other and is noted.
 */
async function storeProgress(
  db: Db,
  moved: Moved[],
  orNote: (order: Order, apply: () => Promise<unknown>) => Promise<void>,
): Promise<void> {
  const isSame = ({ order, progress }: Moved) => order.status === progress.status;
  for (const group of [moved.filter(isSame), moved.filter((one) => !isSame(one))]) {
    const update = (some: Moved[]) =>
      updateProgress(
        db,
        some.map(({ progress }) => progress),
        !group.some(isSame),
      );
    if (group.length === 0) continue;
    try {
      await update(group);
    } catch (error) {
      if (isUnavailable(error)) throw error;
      for (const one of group) await orNote(one.order, () => update([one]));
    }
  }
}

function updateProgress(db: Db, moved: Progress[], withStatus: boolean) {
  const now = Date.now();
  const history = historyAfter({ status: sql`news.status` }, now);
  const alsoSet = withStatus ? sql`status = news.status, history = ${history}, ` : sql``;
  const news = sql`(select value ->> 'id' as id, value ->> 'status' as status, value ->> 'remains' as remains,
    value ->> 'startCount' as start_count,
    value ->> 'cost' as cost, value ->> 'costIsReported' as cost_is_reported from json_each(${JSON.stringify(moved)})) as news`;
  return db.run(sql`
    update orders set ${alsoSet}remains = news.remains, start_count = news.start_count, cost = news.cost,
      cost_is_reported = news.cost_is_reported, unreadable_since = 0,
      updated_at = cast(${now} as integer)
    from ${news} where orders.id = news.id and ${isTracked}`);
}

/** Applies a final status, or one that can't be read. */
async function applyEntry(link: ProviderLink, order: Order, report: Entry): Promise<void> {
  if (report.kind !== "report" || !isFinal(report.status)) {
    await noteUnreadable(link, order, report);
  } else {
    const { status, startCount } = report;
    const undelivered = undeliveredOf(order, report);
    // The refund depends on it, so a person decides.
    if (undelivered === null) await hold(link.db, order, "no_remains");
    else {
      const cost = costAfter(order, report, { status, remains: undelivered });
      await closeOrder(link.db, link.env, order, { status, remains: undelivered, startCount, cost });
    }
  }
}

/** Returns the pieces of a subscription's posts that have no order yet, or null if its provider does not list them. */
function unservedOf(order: Order, { usedPosts }: Report): number | null {
  return usedPosts === null || !isByPosts(order.type) ? null : piecesWithout(order, usedPosts);
}

function piecesWithout({ quantity, runs }: Order, usedPosts: number): number {
  return Math.max(0, runs - usedPosts) * quantity;
}

/** Logs the first unreadable status in a row, and holds the order when it stays unreadable. */
async function noteUnreadable(link: ProviderLink, order: Order, said: Entry): Promise<void> {
  const now = Date.now();
  if (order.unreadableSince !== 0) {
    if (now - order.unreadableSince > UNREADABLE_MS) await hold(link.db, order, "unreadable");
    return;
  }
  log("warn", "order status not readable", { order: order.id, provider: link.id });
  const mark = link.db
    .update(orders)
    .set({ unreadableSince: now })
    .where(and(eq(orders.id, order.id), isTracked));
  const kept = keepUnreadable(link, "status", { orderId: order.id, said, inputs: ownTextsOf(order) });
  await link.db.batch([mark, ...kept]);
}

async function hold(db: Db, order: Order, heldFor: HoldReason): Promise<void> {
  await db
    .update(orders)
    .set(heldBy(heldFor, Date.now()))
    .where(and(eq(orders.id, order.id), isTracked));
  log("warn", "order held", { order: order.id, why: heldFor });
}
