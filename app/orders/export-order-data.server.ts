import { and, asc, eq, gt, inArray, or, sql } from "drizzle-orm";
import type { Db } from "#app/db/db.server.ts";
import { isoTime } from "#app/db/iso-time.ts";
import {
  apiKeys,
  auditLog,
  cancellations,
  favorites,
  massOrders,
  orders,
  refills,
  webhookEndpoints,
} from "#app/db/schema.server.ts";
import type { Pages } from "#app/http/responses/stream-json.ts";
import { ownOrders } from "#app/orders/list/order-rows.server.ts";
import { readableDetail } from "#app/orders/rules/audit-detail.ts";
import { decimal } from "#app/orders/rules/money-text.ts";
import { auditOrderIds } from "./anonymize-orders.server.ts";
import { EXPORTED_AT_ONCE, exportWalletData } from "./export-wallet-data.server.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * Exports what the order tables hold about a person, without digests. Times are ISO 8601, amounts decimals. `orders` and
 * `ledger` are read page by page: those of years don't fit into an isolate's memory.
 */
export async function exportOrderData(db: Db, userId: string) {
  const [placed, settings, wallet, staffActions] = await Promise.all([
    exportOrders(db, userId),
    exportOrderSettings(db, userId),
    exportWalletData(db, userId),
    exportStaffActions(db, userId),
  ]);
  return { ...wallet, ...placed, ...settings, staffActions };
}

async function exportOrders(db: Db, userId: string) {
  const orderIds = db.select({ id: orders.id }).from(orders).where(eq(orders.userId, userId));
  const [mass, refilled, canceled] = await db.batch([
    db
      .select({
        id: massOrders.id,
        source: massOrders.source,
        placed: massOrders.placed,
        skipped: massOrders.skipped,
        charge: massOrders.charge,
        createdAt: massOrders.createdAt,
      })
      .from(massOrders)
      .where(eq(massOrders.userId, userId)),
    db
      .select({ id: refills.id, order: refills.orderId, status: refills.status, createdAt: refills.createdAt })
      .from(refills)
      // By order, which both tables have an index for.
      .where(and(inArray(refills.orderId, orderIds), eq(refills.userId, userId))),
    db
      .select({ order: cancellations.orderId, status: cancellations.status, createdAt: cancellations.createdAt })
      .from(cancellations)
      .where(and(inArray(cancellations.orderId, orderIds), eq(cancellations.userId, userId))),
  ]);
  return {
    orders: orderPages(db, userId),
    massOrders: mass.map((row) => ({ ...dated(row), charge: decimal(row.charge, 2) })),
    refills: refilled.map(dated),
    cancellations: canceled.map(dated),
  };
}

/** Reads live orders, then those of test keys, because each has an index of its own. */
async function* orderPages(db: Db, userId: string): Pages<ReturnType<typeof exportedOrder>> {
  for (const isTest of [false, true]) {
    let rows: OrderRow[] = [];
    do {
      rows = await selectOrders(db, userId, isTest, rows.at(-1)?.id ?? 0);
      yield rows.map(exportedOrder);
    } while (rows.length === EXPORTED_AT_ONCE);
  }
}

type OrderRow = Awaited<ReturnType<typeof selectOrders>>[number];

function selectOrders(db: Db, userId: string, isTest: boolean, after: number) {
  return db
    .select({
      id: orders.id,
      service: orders.serviceId,
      type: orders.type,
      link: orders.link,
      quantity: orders.quantity,
      runs: orders.runs,
      intervalMinutes: orders.intervalMinutes,
      providerFields: orders.providerFields,
      charge: orders.charge,
      priceRule: orders.priceRule,
      discount: orders.discount,
      refunded: orders.refunded,
      status: orders.status,
      startCount: orders.startCount,
      remains: orders.remains,
      source: orders.source,
      isTest: orders.isTest,
      expectedBy: orders.expectedBy,
      refillDays: orders.refillDays,
      refillUntil: orders.refillUntil,
      reference: orders.reference,
      metadata: orders.metadata,
      idempotencyKey: orders.idempotencyKey,
      createdAt: orders.createdAt,
    })
    .from(orders)
    .where(and(ownOrders(userId, { isTest }), gt(orders.id, after)))
    .orderBy(asc(orders.id))
    .limit(EXPORTED_AT_ONCE);
}

function exportedOrder({ providerFields, ...row }: OrderRow) {
  return {
    // Comments, usernames and the like, named as in the API.
    ...providerFields,
    ...dated(row),
    expectedBy: isoTime(row.expectedBy),
    refillUntil: isoTime(row.refillUntil),
    charge: decimal(row.charge, 2),
    discount: decimal(row.discount, 2),
    refunded: decimal(row.refunded, 2),
  };
}

/** Exports what a person set up for ordering: favorites, API keys and webhooks. */
async function exportOrderSettings(db: Db, userId: string) {
  const [starred, keys, webhooks] = await db.batch([
    db
      .select({ service: favorites.serviceId, createdAt: favorites.createdAt })
      .from(favorites)
      .where(eq(favorites.userId, userId)),
    db
      .select({
        name: apiKeys.name,
        prefix: apiKeys.prefix,
        canRead: apiKeys.canRead,
        canOrder: apiKeys.canOrder,
        isTest: apiKeys.isTest,
        createdAt: apiKeys.createdAt,
        lastUsedAt: apiKeys.lastUsedAt,
        expiresAt: apiKeys.expiresAt,
        replacedAt: apiKeys.replacedAt,
        revokedAt: apiKeys.revokedAt,
        addresses: apiKeys.addresses,
        dailyCap: apiKeys.dailyCap,
        spent: apiKeys.spent,
        spentDay: apiKeys.spentDay,
        networks: apiKeys.networks,
      })
      .from(apiKeys)
      .where(eq(apiKeys.userId, userId)),
    db
      .select({
        url: webhookEndpoints.url,
        wantsOrders: webhookEndpoints.wantsOrders,
        wantsCatalog: webhookEndpoints.wantsCatalog,
        createdAt: webhookEndpoints.createdAt,
      })
      .from(webhookEndpoints)
      .where(eq(webhookEndpoints.userId, userId)),
  ]);
  return {
    favorites: starred.map(dated),
    apiKeys: keys.map((row) => ({
      ...dated(row),
      lastUsedAt: isoTime(row.lastUsedAt),
      expiresAt: isoTime(row.expiresAt),
      replacedAt: isoTime(row.replacedAt),
      revokedAt: isoTime(row.revokedAt),
      dailyCap: row.dailyCap === null ? null : decimal(row.dailyCap, 2),
      spent: decimal(row.spent, 2),
      spentDay: new Date(row.spentDay * DAY_MS).toISOString().slice(0, 10),
      networks: row.networks.map(({ network, at }) => ({ network, firstUsedAt: isoTime(at) })),
    })),
    webhooks: webhooks.map(dated),
  };
}

/** Exports what staff did to the account and to its orders. */
async function exportStaffActions(db: Db, userId: string) {
  const rows = await db
    .select({
      action: auditLog.action,
      subjectType: auditLog.subjectType,
      order: sql<number | null>`iif(${auditLog.subjectType} = 'order', cast(${auditLog.subjectId} as integer), null)`,
      detail: auditLog.detail,
      createdAt: auditLog.createdAt,
    })
    .from(auditLog)
    .where(
      or(
        and(eq(auditLog.subjectType, "customer"), eq(auditLog.subjectId, userId)),
        and(eq(auditLog.subjectType, "order"), inArray(auditLog.subjectId, auditOrderIds(userId))),
      ),
    )
    .orderBy(asc(auditLog.id));
  return rows.map(({ detail, ...row }) => ({ ...dated(row), detail: readableDetail(detail) }));
}

function dated<Row extends { createdAt: number }>(row: Row): Omit<Row, "createdAt"> & { createdAt: string } {
  return { ...row, createdAt: isoTime(row.createdAt) };
}
