import { and, asc, desc, eq, lt, sql } from "drizzle-orm";
import type { Db } from "#app/db/db.server.ts";
import { type Order, orders } from "#app/db/schema.server.ts";
import { historyAfter } from "#app/db/steps/order-steps.server.ts";
import { log } from "#app/http/log.ts";
import { costAfter } from "#app/orders/providers/order-cost.ts";
import type { ProviderLink } from "#app/orders/providers/provider-link.server.ts";
import { type Report, undeliveredOf } from "#app/orders/providers/reading/status-report.ts";
import { type FinalStatus, isFinal } from "#app/orders/rules/order-status.ts";
import { MAX_INT32 } from "#app/product.ts";
import { closeOrder } from "./close-order.server.ts";
import { isHeldAtProvider } from "./indexed-conditions.server.ts";
import { runWhileAvailable } from "./run-while-available.server.ts";
import { callsAboutOrders, MAX_IDS_PER_CALL } from "./status-calls.server.ts";
import { type Entries, entryOf, type Progress, progressOf } from "./status-sync.server.ts";

/** Where the next round goes on with what is held: behind this order, and behind this refill. Null: from the first. */
export type HeldCursor = { order: number | null; refill: number | null };

/**
 * Asks for the orders that are held although the provider's id is known, and lets those go on whose status says enough.
 * Reads at most one row where there are none. Returns whether the provider answered about all of them.
 */
export async function syncHeld(
  link: ProviderLink,
  cursor: HeldCursor = { order: null, refill: null },
): Promise<boolean> {
  const calls = callsAboutOrders(link, (some, entries) => releaseHeld(link, some, entries));
  const start = cursor.order ?? MAX_INT32 + 1;
  let before = start;
  let isWhole = false;
  while (!isWhole && calls.callsLeft > 0 && link.takesCalls()) {
    const page = await link.db
      .select()
      .from(orders)
      .where(and(isHeldAtProvider, eq(orders.providerId, link.id), lt(orders.id, before)))
      .orderBy(desc(orders.id))
      .limit(MAX_IDS_PER_CALL);
    const asked = await calls.ask(page);
    before = page[asked - 1]?.id ?? before;
    if (asked < page.length) break;
    isWhole = page.length < MAX_IDS_PER_CALL;
  }
  // Where it can't go on behind an order, it begins with the newest again.
  cursor.order = isWhole || before === start ? null : before;
  await calls.askForPostponed();
  return isWhole && !calls.isOver && !calls.hadNoEnd && link.takesCalls();
}

/**
 * Returns the statement that counts the orders that wait for a person, up to `limit`, and reads since when the first of
 * them does (ms since 1970).
 */
export function selectHeld(db: Db, limit: number) {
  const held = db
    .select({ updatedAt: orders.updatedAt })
    .from(orders)
    .where(sql`${orders.fulfillment} = 'held' and ${orders.isTest} = 0`)
    // Without it, SQLite goes through all live orders by another index.
    .orderBy(asc(orders.id))
    .limit(limit)
    .as("held");
  return db
    .select({
      orders: sql<number>`count(*)`.as("orders"),
      since: sql<number | null>`min(${held.updatedAt})`.as("since"),
    })
    .from(held);
}

/** Lets held orders go on of which a provider says enough. */
export async function releaseHeld(link: ProviderLink, held: Order[], entries: Entries): Promise<void> {
  for (const order of held) {
    if (!link.mayGoOn()) break;
    const report = entryOf(order, entries);
    const progress = progressOf(order, report);
    await runWhileAvailable("held order not released", { order: order.id }, async () => {
      if (progress) await resume(link.db, progress);
      else if (report.kind === "report" && isFinal(report.status)) await closeHeld(link, order, report, report.status);
    });
  }
}

async function resume(db: Db, { id, ...progress }: Progress): Promise<void> {
  const now = Date.now();
  const history = historyAfter({ fulfillment: "accepted", status: progress.status }, now);
  await db
    .update(orders)
    .set({ ...progress, fulfillment: "accepted", heldFor: null, history, unreadableSince: 0, updatedAt: now })
    .where(and(eq(orders.id, id), isHeldAtProvider));
  log("info", "held order goes on", { order: id, status: progress.status });
}

async function closeHeld({ db, env }: ProviderLink, order: Order, report: Report, status: FinalStatus) {
  const remains = undeliveredOf(order, report);
  if (remains === null) return;
  const { startCount } = report;
  const cost = costAfter(order, report, { status, remains });
  await closeOrder(db, env, order, { status, remains, startCount, cost, fulfillment: "accepted", onlyWhile: "held" });
  log("info", "held order goes on", { order: order.id, status });
}
