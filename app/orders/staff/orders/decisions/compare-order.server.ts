import { eq } from "drizzle-orm";
import { sha256 } from "#app/crypto/sha256.server.ts";
import { type Actor, audit } from "#app/db/audit.server.ts";
import { namedTable } from "#app/db/column-names.server.ts";
import type { Db } from "#app/db/db.server.ts";
import { type Order, orders, providerBalances, providers } from "#app/db/schema.server.ts";
import { releaseHeld } from "#app/orders/fulfillment/held-orders.server.ts";
import { statusesIn } from "#app/orders/fulfillment/status-calls.server.ts";
import {
  applyEntries,
  entryOf,
  hasChanged,
  progressOf,
  undeliveredOf,
} from "#app/orders/fulfillment/status-sync.server.ts";
import {
  callProvider,
  type FulfillmentEnv,
  logProviderResponse,
  MAX_LOGGED_CHARACTERS,
} from "#app/orders/providers/provider-calls.server.ts";
import { readStatusEntry, type StatusReport } from "#app/orders/providers/provider-responses.ts";
import { refundFor } from "#app/orders/rules/charge-and-refund.ts";
import { isFinal, isOpen } from "#app/orders/rules/order-status.ts";
import type { Comparison, ComparisonEffect } from "./comparison.ts";

/** Asks a provider about one order, for a person who looks at both, and applies what it says as the status sync does. */

type Answer = {
  comparison: Comparison;
  body: Record<string, unknown>;
  order: Order;
  provider: typeof providers.$inferSelect;
};

/** Makes one status call. Returns null for an order that its provider can't be asked for. */
async function askProvider(db: Db, env: FulfillmentEnv, orderId: number): Promise<Answer | null> {
  const [found] = await db
    .select({ order: orders, provider: namedTable(providers, "sent_to"), balanceCurrency: providerBalances.currency })
    .from(orders)
    .innerJoin(providers, eq(providers.id, orders.providerId))
    .leftJoin(providerBalances, eq(providerBalances.providerId, providers.id))
    .where(eq(orders.id, orderId))
    .limit(1);
  if (!found || found.order.isTest || found.order.providerOrderId === null) return null;
  const { order, provider } = found;
  const response = await callProvider(env, provider, { action: "status", orders: order.providerOrderId ?? "" });
  await logProviderResponse(db, provider, orderId, "status", response);
  const statuses = statusesIn(response, found.balanceCurrency ?? "") ?? {};
  // An error about the only order of a call stands for the order.
  const entry = entryOf(order, statuses) ?? (typeof statuses.error === "string" ? statuses : undefined);
  const body = { [order.providerOrderId ?? ""]: entry };
  const report = readStatusEntry(entry);
  const comparison: Comparison = {
    ours: { status: order.status, remains: order.remains, startCount: order.startCount, cost: order.cost },
    theirs: report && {
      status: report.status,
      remains: report.remains,
      startCount: report.startCount,
      cost: report.charge,
      currency: report.currency,
    },
    words: (response.kind === "no_response" ? `${response.why}\n${response.raw}` : response.raw).slice(
      0,
      MAX_LOGGED_CHARACTERS,
    ),
    effect: effectOf(order, report),
    digest: sha256(JSON.stringify([order.updatedAt, entry ?? null])),
  };
  return { comparison, body, order, provider };
}

/** Returns what applying a report would do to an order. */
function effectOf(order: Order, report: StatusReport | null): ComparisonEffect {
  if (!isOpen(order)) return { kind: "ended" };
  if (order.fulfillment !== "accepted" && order.fulfillment !== "held") return { kind: "not_there" };
  if (!report?.status) return { kind: "unreadable" };
  const progress = progressOf(order, report);
  if (progress) {
    const isSame = order.fulfillment === "accepted" && !hasChanged(order, progress);
    return isSame ? { kind: "same" } : { kind: "goes_on", status: progress.status };
  }
  const remains = undeliveredOf(order, report);
  if (remains === null || !isFinal(report.status)) return { kind: "no_remains" };
  const refund = refundFor({ ...order, remains, total: order.quantity * order.runs });
  return { kind: "ends", status: report.status, refund };
}

export async function compareWithProvider(db: Db, env: FulfillmentEnv, orderId: number): Promise<Comparison | null> {
  return (await askProvider(db, env, orderId))?.comparison ?? null;
}

/**
 * Asks once more, and applies the answer if it and the order are as they were shown. `applied` is false if they aren't, or
 * if there is nothing to apply.
 */
export async function applyComparison(
  db: Db,
  env: FulfillmentEnv,
  actor: Actor,
  orderId: number,
  shown: { digest: string; reason: string },
): Promise<{ applied: boolean; comparison: Comparison } | null> {
  const answer = await askProvider(db, env, orderId);
  if (answer === null) return null;
  const { comparison, body, order, provider } = answer;
  const { effect } = comparison;
  if (comparison.digest !== shown.digest || (effect.kind !== "goes_on" && effect.kind !== "ends")) {
    return { applied: false, comparison };
  }
  // Before it: the statements of a status are the sync's own, and it would store the same within minutes.
  await audit(db, actor, {
    action: "order.compare",
    subject: "order",
    subjectId: orderId,
    detail: { status: [order.status, effect.status], reason: shown.reason },
  });
  if (order.fulfillment === "held") await releaseHeld(db, env, [order], body);
  else await applyEntries(db, env, provider, [order], body);
  return { applied: true, comparison };
}
