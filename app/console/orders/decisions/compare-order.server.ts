import { eq } from "drizzle-orm";
import { sha256 } from "#app/crypto/sha256.server.ts";
import { type Actor, audit } from "#app/db/audit.server.ts";
import { namedTable } from "#app/db/column-names.server.ts";
import type { Db } from "#app/db/db.server.ts";
import { type Order, orders, providerBalances, providers } from "#app/db/schema.server.ts";
import { releaseHeld } from "#app/orders/fulfillment/held-orders.server.ts";
import { inCurrencyOf } from "#app/orders/fulfillment/state-calls.server.ts";
import {
  applyEntries,
  type Entries,
  type Entry,
  entryOf,
  hasChanged,
  progressOf,
} from "#app/orders/fulfillment/status-sync.server.ts";
import { TAUGHT_WORDS } from "#app/orders/providers/dialect.server.ts";
import {
  type FulfillmentEnv,
  MAX_LOGGED_CHARACTERS,
  ProviderLink,
} from "#app/orders/providers/provider-link.server.ts";
import { readStates } from "#app/orders/providers/reading/states-answer.ts";
import { undeliveredOf } from "#app/orders/providers/reading/status-report.ts";
import { refundFor } from "#app/orders/rules/charge-and-refund.ts";
import { isFinal, isOpen } from "#app/orders/rules/order-status.ts";
import type { Comparison, ComparisonEffect } from "./comparison.ts";

/** Asks a provider about one order, for a person who looks at both, and applies what it says as the status sync does. */

type Answer = {
  comparison: Comparison;
  entries: Entries;
  order: Order;
  link: ProviderLink;
};

/** Makes one status call. Returns null for an order that its provider can't be asked for. */
async function askProvider(db: Db, env: FulfillmentEnv, orderId: number): Promise<Answer | null> {
  const [found] = await db
    .select({
      order: orders,
      provider: namedTable(providers, "sent_to"),
      balanceCurrency: providerBalances.currency,
      taught: TAUGHT_WORDS,
    })
    .from(orders)
    .innerJoin(providers, eq(providers.id, orders.providerId))
    .leftJoin(providerBalances, eq(providerBalances.providerId, providers.id))
    .where(eq(orders.id, orderId))
    .limit(1);
  if (!found || found.order.isTest || found.order.providerOrderId === null) return null;
  const { order, balanceCurrency, taught } = found;
  const link = new ProviderLink(db, env, { ...found.provider, balanceCurrency, taught });
  const mode = link.dialect.status ?? "many";
  const parameter = link.reader.convention.calls.status[mode] ?? "";
  const id = order.providerOrderId ?? "";
  const response = await link.call({ action: "status", [parameter]: id });
  await link.logResponse(orderId, "status", response);
  const answer = inCurrencyOf(link.settings, readStates(response, link.reader, [id], mode));
  const entries: Entries = answer.kind === "entries" ? answer.entries : new Map();
  const entry = entryOf(order, entries);
  const comparison: Comparison = {
    ours: { status: order.status, remains: order.remains, startCount: order.startCount, cost: order.cost },
    theirs:
      entry.kind === "report"
        ? {
            status: entry.status,
            remains: entry.remains,
            startCount: entry.startCount,
            cost: entry.charge,
            currency: entry.currency,
          }
        : null,
    words: (response.kind === "json" ? response.raw : `${response.why}\n${response.raw}`).slice(
      0,
      MAX_LOGGED_CHARACTERS,
    ),
    effect: effectOf(order, entry),
    digest: sha256(JSON.stringify([order.updatedAt, entry])),
  };
  return { comparison, entries, order, link };
}

/** Returns what applying a report would do to an order. */
function effectOf(order: Order, report: Entry): ComparisonEffect {
  if (!isOpen(order)) return { kind: "ended" };
  if (order.fulfillment !== "accepted" && order.fulfillment !== "held") return { kind: "not_there" };
  if (report.kind !== "report") return { kind: "unreadable" };
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
  const { comparison, entries, order, link } = answer;
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
  if (order.fulfillment === "held") await releaseHeld(link, [order], entries);
  else await applyEntries(link, [order], entries);
  return { applied: true, comparison };
}
