import { and, asc, eq, inArray, sql } from "drizzle-orm";
import type { Db } from "#app/db/db.server.ts";
import { type Order, type OrderStatus, orders, providerLog } from "#app/db/schema.server.ts";
import { log, runLogged } from "#app/http/log.ts";
import {
  callProvider,
  countFailure,
  type FulfillmentEnv,
  logProviderResponse,
  type Provider,
} from "#app/orders/providers/provider-calls.server.ts";
import { isRecord, readStatusEntry, type StatusReport } from "#app/orders/providers/provider-responses.ts";
import { OPEN_STATUSES } from "#app/orders/rules/order-status.ts";
import { closeOrder } from "./close-order.server.ts";

const IDS_PER_STATUS_CALL = 100;

/** Polls the statuses of a provider's open orders, least recently checked first. */
export async function syncStatuses(db: Db, env: FulfillmentEnv, provider: Provider): Promise<void> {
  const open = await db
    .select()
    .from(orders)
    .where(
      and(
        eq(orders.providerId, provider.id),
        eq(orders.fulfillment, "accepted"),
        inArray(orders.status, OPEN_STATUSES),
      ),
    )
    .orderBy(asc(orders.checkedAt))
    .limit(IDS_PER_STATUS_CALL);
  if (open.length === 0) return;
  const ids = open.map((order) => order.providerOrderId).join(",");
  const response = await callProvider(env, provider, { action: "status", orders: ids });
  const isReadable = response.kind === "json" && isRecord(response.body) && typeof response.body.error !== "string";
  await countFailure(db, provider, !isReadable);
  if (!isReadable || !isRecord(response.body)) {
    await logProviderResponse(db, provider, null, "status", response);
    return;
  }
  const failed: number[] = [];
  for (const order of open) {
    const entry = response.body[order.providerOrderId ?? ""];
    const fields = { order: order.id, provider: provider.id };
    if (!(await runLogged("order status not applied", fields, () => applyEntry(db, provider, order, entry)))) {
      failed.push(order.id);
    }
  }
  if (failed.length > 0) await moveToEndOfQueue(db, failed);
}

async function applyEntry(db: Db, provider: Provider, order: Order, entry: unknown): Promise<void> {
  const report = readStatusEntry(entry);
  if (report?.status) await applyReport(db, order, { ...report, status: report.status });
  else await logUnreadable(db, provider, order, entry);
}

/** Keeps failing orders from filling every status call of their provider. */
async function moveToEndOfQueue(db: Db, orderIds: number[]): Promise<void> {
  const ids = sql`(select value from json_each(${JSON.stringify(orderIds)}))`;
  await db.update(orders).set({ checkedAt: Date.now() }).where(inArray(orders.id, ids));
}

async function applyReport(db: Db, order: Order, report: StatusReport & { status: OrderStatus }): Promise<void> {
  const { status, remains, startCount } = report;
  switch (status) {
    case "Completed":
      await closeOrder(db, order, { status, remains: 0, startCount });
      return;
    case "Partial":
    case "Canceled":
      // The refund depends on it, so a person decides.
      if (remains === null) await hold(db, order, "the provider returned no readable remains");
      else await closeOrder(db, order, { status, remains: Math.min(remains, order.quantity * order.runs), startCount });
      return;
    case "Pending":
    case "Processing":
    case "In progress":
      await db
        .update(orders)
        .set({
          status,
          remains: Math.min(remains ?? order.remains, order.quantity * order.runs),
          startCount: startCount ?? order.startCount,
          checkedAt: Date.now(),
          updatedAt: Date.now(),
        })
        .where(and(eq(orders.id, order.id), inArray(orders.status, OPEN_STATUSES)));
      return;
    default:
      status satisfies never;
  }
}

async function logUnreadable(db: Db, provider: Provider, order: Order, entry: unknown): Promise<void> {
  log("warn", "order status not readable", { order: order.id, provider: provider.id });
  const raw = JSON.stringify(entry) ?? "missing";
  await db.batch([
    db.update(orders).set({ checkedAt: Date.now() }).where(eq(orders.id, order.id)),
    db
      .insert(providerLog)
      .values({ providerId: provider.id, orderId: order.id, action: "status", response: raw, createdAt: Date.now() }),
  ]);
}

async function hold(db: Db, order: Order, why: string): Promise<void> {
  await db.update(orders).set({ fulfillment: "held", updatedAt: Date.now() }).where(eq(orders.id, order.id));
  log("warn", "order held", { order: order.id, why });
}
