import { and, desc, eq, inArray, sql } from "drizzle-orm";
import { readHeldEvidence } from "#app/console/orders/timeline/held-evidence.server.ts";
import { type Actor, audit, auditSubjectsOf, isRepeat, SEVERAL } from "#app/db/audit.server.ts";
import { named } from "#app/db/column-names.server.ts";
import type { Db } from "#app/db/db.server.ts";
import { auditLog, orders, profiles, providers, services } from "#app/db/schema.server.ts";
import { parseId } from "#app/http/requests/id-param.ts";
import { resolveCancellations } from "#app/orders/fulfillment/cancellations.server.ts";
import type { CloseEnv } from "#app/orders/fulfillment/close-order.server.ts";
import { refundFor } from "#app/orders/rules/charge-and-refund.ts";
import { isOpen } from "#app/orders/rules/order-status.ts";
import { type BulkDecision, type DecisionPlan, type SelectedOrder, sumsOf } from "./bulk-decision-plan.ts";
import { type OrderActionRefusal, resolveHeld } from "./order-admin.server.ts";

/** Decisions about many held orders at once: each is stored in a batch of its own, as a single one is. */

/** Each order takes ten statements of the 1,000 that a request may send to D1. */
export const MAX_DECIDED = 90;
/** Orders whose neighbors are looked at, for the id that the provider may have given them. */
const MAX_PROPOSED = 30;

/** Returns the orders that the URL selects, at most `MAX_DECIDED`, the newest first. Ids of none are left out. */
export async function readSelectedOrders(db: Db, params: URLSearchParams): Promise<SelectedOrder[]> {
  const ids = [...new Set(params.getAll("id").flatMap((text) => parseId(text) ?? []))].slice(0, MAX_DECIDED);
  const rows = await db
    .select({
      order: orders,
      email: profiles.email,
      service: named(services.name, "service"),
      provider: sql<string | null>`${providers.name}`.as("provider"),
    })
    .from(orders)
    .innerJoin(services, eq(services.id, orders.serviceId))
    .leftJoin(profiles, eq(profiles.userId, orders.userId))
    .leftJoin(providers, eq(providers.id, orders.providerId))
    .where(
      and(inArray(orders.id, sql`(select value from json_each(${JSON.stringify(ids)}))`), sql`${orders.isTest} = 0`),
    )
    .orderBy(desc(orders.id));
  return rows.map(({ order, ...names }) => {
    const total = order.quantity * order.runs;
    return {
      ...names,
      id: order.id,
      updatedAt: order.updatedAt,
      isHeld: order.fulfillment === "held" && isOpen(order),
      heldFor: order.heldFor,
      hasFields: order.requestDigest !== "",
      charge: order.charge,
      refund: refundFor({ ...order, remains: total, total }),
      cost: order.cost,
      providerOrderId: order.providerOrderId,
    };
  });
}

/** Returns the ids under which the provider may have orders that have none, as far as the evidence names exactly one. */
export async function proposeIds(db: Db, rows: SelectedOrder[]): Promise<Record<number, string>> {
  const without = rows.filter(({ providerOrderId }) => providerOrderId === null).slice(0, MAX_PROPOSED);
  const found = await Promise.all(
    without.map(async ({ id }) => {
      const [order] = await db.select().from(orders).where(eq(orders.id, id)).limit(1);
      const [only, ...others] = (order && (await readHeldEvidence(db, order)))?.missing ?? [];
      return only !== undefined && others.length === 0 ? [[id, String(only)] as const] : [];
    }),
  );
  return Object.fromEntries(found.flat());
}

export type DecidedTogether = {
  /** An audit entry says what was decided. */
  isNoted: boolean;
  /** What was really decided. */
  done: SelectedOrder[];
  /** Orders that were left alone, by why. */
  left: { id: number; why: OrderActionRefusal | "no_id" | "moved_on" }[];
};

/**
 * Makes one decision about each order of a plan that is still as it was seen. `seen` has when each order was changed last,
 * `theirs` the provider's ids to track them under. A form that is sent again goes on where it was cut off: orders that it
 * decided count as done. Returns null if there was nothing left to decide then.
 */
export async function decideTogether(
  db: Db,
  env: CloseEnv,
  actor: Actor,
  plan: DecisionPlan,
  given: {
    decision: BulkDecision;
    seen: ReadonlyMap<number, number>;
    theirs: ReadonlyMap<number, string>;
    reason: string;
    onceKey: string;
  },
): Promise<DecidedTogether | null> {
  const { decision, seen, theirs, reason, onceKey } = given;
  const left: DecidedTogether["left"] = [...seen.keys()]
    .filter((id) => !plan.rows.some((row) => row.id === id && row.updatedAt === seen.get(id)))
    .map((id) => ({ id, why: "moved_on" }));
  const asSeen = plan.rows.filter((row) => row.updatedAt === seen.get(row.id));
  const idOf = (row: SelectedOrder) => theirs.get(row.id) ?? row.providerOrderId;
  const wanted = decision === "follow" ? asSeen.filter((row) => idOf(row) !== null) : asSeen;
  for (const { id } of asSeen) if (!wanted.some((row) => row.id === id)) left.push({ id, why: "no_id" });
  if (wanted.length === 0) return (await isNoted(db, onceKey)) ? null : { isNoted: false, done: [], left };
  const isRepeated = !(await noteDecision(db, actor, wanted, given));
  const done: SelectedOrder[] = [];
  for (const row of wanted) {
    const outcome =
      decision === "follow"
        ? ({ kind: "accepted", providerOrderId: idOf(row) ?? "" } as const)
        : ({ kind: decision === "refund" ? "refused" : "again" } as const);
    const about = { bulk: onceKey };
    const seenAt = row.updatedAt;
    const resolved = await resolveHeld(db, env, actor, row.id, outcome, reason, { seenAt, about, isOneOfMany: true });
    if (resolved.ok) done.push(row);
    else left.push({ id: row.id, why: resolved.reason });
  }
  if (decision === "refund") await resolveCancellations(db);
  if (!isRepeated) return { isNoted: true, done, left };
  const before = await decidedBy(db, onceKey, left);
  const others = left.filter(({ id }) => !before.has(id));
  return done.length + others.length === 0 ? null : { isNoted: true, done, left: others };
}

async function isNoted(db: Db, onceKey: string): Promise<boolean> {
  return (await db.$count(auditLog, eq(auditLog.onceKey, onceKey))) > 0;
}

/** Returns which of these orders a form decided, by the entries that it left. */
async function decidedBy(db: Db, onceKey: string, of: { id: number }[]): Promise<Set<number>> {
  const ids = sql`(select value from json_each(${JSON.stringify(of.map(({ id }) => String(id)))}))`;
  const entries = await db
    .select({ orderId: auditLog.subjectId })
    .from(auditLog)
    .where(
      and(
        eq(auditLog.subjectType, "order"),
        inArray(auditLog.subjectId, ids),
        sql`${auditLog.detail} ->> '$.bulk' = ${onceKey}`,
      ),
    );
  return new Set(entries.map(({ orderId }) => Number(orderId)));
}

/**
 * Notes what is decided about which orders, before the first of them changes: a form that arrives twice finds its key, and
 * changes nothing. Each order that did change has an entry of its own.
 */
async function noteDecision(
  db: Db,
  actor: Actor,
  rows: SelectedOrder[],
  { decision, reason, onceKey }: { decision: BulkDecision; reason: string; onceKey: string },
): Promise<boolean> {
  const { count, charges, refunds, costs } = sumsOf(rows);
  const sums = {
    charge: charges,
    ...(decision === "refund" && { amount: refunds }),
    ...(costs > 0 && { cost: costs }),
  };
  const entry = audit(db, actor, {
    action: "orders.decide",
    subject: "order",
    subjectId: SEVERAL,
    detail: { decision, count, ...sums, reason },
    onceKey,
  });
  const subjects = auditSubjectsOf(
    db,
    "order",
    rows.map(({ id }) => id),
  );
  try {
    await db.batch([entry, subjects]);
  } catch (error) {
    if (isRepeat(error)) return false;
    throw error;
  }
  return true;
}
