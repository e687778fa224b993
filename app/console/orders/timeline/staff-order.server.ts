import { and, asc, desc, eq, sql } from "drizzle-orm";
import { listAudit } from "#app/db/audit.server.ts";
import type { Db } from "#app/db/db.server.ts";
import {
  cancellations,
  ledger,
  ORDER_STATUSES,
  orders,
  profiles,
  providerLog,
  providers,
  refills,
  services,
  wallets,
} from "#app/db/schema.server.ts";
import { isFullHistory, readSteps } from "#app/db/steps/order-steps.server.ts";
import { deferralText } from "#app/orders/fulfillment/deferrals.ts";
import type { OrderCost } from "#app/orders/providers/order-cost.ts";
import { readCostChanges } from "./cost-changes.server.ts";
import { readHeldEvidence } from "./held-evidence.server.ts";
import { orderTimeline, type TimelineEntry } from "./order-timeline.ts";

/** The options of the status form. Re-exported, because pages cannot import the schema. */
export const ORDER_STATUS_NAMES = ORDER_STATUSES;

const LOG_SHOWN = 50;
const AUDIT_SHOWN = 50;

/** The columns of an order that its page shows, or tells its timeline from. */
const ORDER_COLUMNS = {
  id: orders.id,
  userId: orders.userId,
  serviceId: orders.serviceId,
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
  reference: orders.reference,
  providerId: orders.providerId,
  providerOrderId: orders.providerOrderId,
  cost: orders.cost,
  costIsReported: orders.costIsReported,
  fulfillment: orders.fulfillment,
  heldFor: orders.heldFor,
  deferredFor: orders.deferredFor,
  deferrals: orders.deferrals,
  unreadableSince: orders.unreadableSince,
  history: orders.history,
  resendUntil: orders.resendUntil,
  expectedBy: orders.expectedBy,
  refillUntil: orders.refillUntil,
  createdAt: orders.createdAt,
  updatedAt: orders.updatedAt,
};

type FoundOrder = NonNullable<Awaited<ReturnType<typeof readStaffOrder>>>;
/** Fields that the page shows as part of its service, customer and timeline. */
type OnlyRead = "serviceId" | "userId" | "history" | "source" | "deferredFor" | "deferrals";
/** An order as staff see it. Its cost is only there for admins. */
export type StaffOrder = Pick<
  FoundOrder,
  "service" | "provider" | "customer" | "balance" | "refills" | "cancellation" | "evidence"
> & {
  order: Omit<FoundOrder["order"], keyof OrderCost | OnlyRead> & Partial<OrderCost>;
  /** Why its provider refuses it for the moment, while it waits or is held. */
  deferral: { says: string; times: number } | null;
  timeline: TimelineEntry[];
};

/** Returns an order as a role may see it: what it costs us is for admins, and responses of the provider name prices. */
export function shownTo(role: "agent" | "admin", found: FoundOrder): StaffOrder {
  const { service, provider, customer, balance, refills, cancellation, evidence } = found;
  const {
    cost,
    costIsReported,
    serviceId: _,
    userId: __,
    history,
    source,
    deferredFor,
    deferrals,
    ...order
  } = found.order;
  const isAdmin = role === "admin";
  const timeline = orderTimeline({
    order: { ...order, source },
    provider: provider?.name ?? "The provider",
    steps: readSteps({ ...order, history }),
    hasGaps: isFullHistory({ history }),
    entries: found.entries,
    costs: isAdmin ? found.costs : [],
    log: isAdmin ? found.log : [],
    refills,
    cancellation,
    audit: found.history,
  });
  const isWaiting = order.fulfillment === "queued" || order.fulfillment === "held";
  const says = isWaiting ? deferralText(deferredFor) : null;
  const deferral = says === null ? null : { says, times: deferrals };
  const ofRole = isAdmin ? { ...order, cost, costIsReported } : order;
  return { order: ofRole, deferral, service, provider, customer, balance, refills, cancellation, evidence, timeline };
}

/** Returns an order with its customer and everything that happened to it, or null. */
export async function readStaffOrder(db: Db, orderId: number) {
  const selected = db
    .select({
      order: ORDER_COLUMNS,
      service: { name: services.name, refill: services.refill, cancel: services.cancel },
      providerName: sql<string | null>`${providers.name}`.as("provider_name"),
      customer: { email: profiles.email, fullName: profiles.fullName },
      balance: wallets.balance,
    })
    .from(orders)
    .innerJoin(services, eq(services.id, orders.serviceId))
    .leftJoin(providers, eq(providers.id, orders.providerId))
    .leftJoin(profiles, eq(profiles.userId, orders.userId))
    .leftJoin(wallets, eq(wallets.userId, orders.userId))
    .where(and(eq(orders.id, orderId), sql`${orders.isTest} = 0`))
    .limit(1);
  const read = db.batch([
    selected,
    db
      .select()
      .from(providerLog)
      .where(eq(providerLog.orderId, orderId))
      .orderBy(desc(providerLog.id))
      .limit(LOG_SHOWN),
    db
      .select({
        id: refills.id,
        status: refills.status,
        fulfillment: refills.fulfillment,
        createdAt: refills.createdAt,
        updatedAt: refills.updatedAt,
      })
      .from(refills)
      .where(eq(refills.orderId, orderId))
      .orderBy(desc(refills.id)),
    db
      .select({
        status: cancellations.status,
        fulfillment: cancellations.fulfillment,
        createdAt: cancellations.createdAt,
        updatedAt: cancellations.updatedAt,
      })
      .from(cancellations)
      .where(eq(cancellations.orderId, orderId))
      .limit(1),
    db
      .select({
        id: ledger.id,
        kind: ledger.kind,
        amount: ledger.amount,
        note: ledger.note,
        createdAt: ledger.createdAt,
      })
      .from(ledger)
      .where(eq(ledger.orderId, orderId))
      .orderBy(asc(ledger.id)),
  ]);
  const [[[found], log, refilled, [cancellation], entries], history] = await Promise.all([
    read,
    listAudit(db, { subject: "order", subjectId: String(orderId) }, AUDIT_SHOWN),
  ]);
  if (!found) return null;
  const { order, service, providerName, customer, balance } = found;
  const actedAt = history.map(({ createdAt }) => createdAt);
  const [evidence, costs] = await Promise.all([readHeldEvidence(db, order), readCostChanges(db, order, actedAt)]);
  const { serviceId, providerId, userId } = order;
  return {
    service: { id: serviceId, ...service },
    provider: providerId === null || providerName === null ? null : { id: providerId, name: providerName },
    customer: customer && { userId, ...customer },
    balance,
    order,
    evidence,
    costs,
    log,
    refills: refilled,
    cancellation: cancellation ?? null,
    entries,
    history,
  };
}
