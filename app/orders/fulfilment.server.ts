import { and, asc, eq, inArray, lt, lte, sql } from "drizzle-orm";
import { type Db, violates } from "#app/db/db.server.ts";
import {
  type FulfilmentState,
  ledger,
  type OrderStatus,
  orders,
  providerLog,
  providers,
  wallets,
} from "#app/db/schema.server.ts";
import { unseal } from "#app/db/seal.server.ts";
import { log } from "#app/http/log.ts";
import { balanceNow } from "./ledger.server.ts";
import { refundFor } from "./money.ts";
import type { Order } from "./orders.server.ts";
import {
  isRecord,
  type ProviderAnswer,
  readAddAnswer,
  readStatusEntry,
  type StatusReport,
} from "./provider-answers.ts";
import { callProvider, isAllowedProviderUrl } from "./provider-client.server.ts";

export type FulfilmentEnv = Pick<Env, "ENCRYPTION_KEYS" | "ENVIRONMENT">;
type Provider = typeof providers.$inferSelect;

/** Longer than a provider's call may take. A lease that ran out while submitting means nobody knows. */
const LEASE_MS = 60_000;
const SEND_AT_ONCE = 20;
const IDS_PER_STATUS_CALL = 100;
const BREAKER_FAILURES = 5;
const BREAKER_OPEN_MS = 60_000;
const OPEN_STATUSES = ["Pending", "Processing", "In progress"] as const satisfies OrderStatus[];

/** What the cron trigger does each time: settle lost calls, send what waits, ask how the rest stands. */
export async function moveOrders(db: Db, env: FulfilmentEnv): Promise<void> {
  await holdLostSubmissions(db);
  const waiting = await db
    .select({ id: orders.id })
    .from(orders)
    .innerJoin(providers, eq(providers.id, orders.providerId))
    .where(and(eq(orders.fulfilment, "queued"), eq(providers.enabled, true), lte(providers.openUntil, Date.now())))
    .orderBy(asc(orders.id))
    .limit(SEND_AT_ONCE);
  for (const { id } of waiting) await submitOrder(db, env, id);
  const ready = await db
    .select()
    .from(providers)
    .where(and(eq(providers.enabled, true), lte(providers.openUntil, Date.now())));
  for (const provider of ready) await syncStatuses(db, env, provider);
}

/** Sends one queued order to its provider. The row is claimed before the call, so it is sent at most once. */
export async function submitOrder(db: Db, env: FulfilmentEnv, orderId: number): Promise<void> {
  const [order] = await db
    .update(orders)
    .set({ fulfilment: "submitting", leaseUntil: Date.now() + LEASE_MS, attempts: sql`${orders.attempts} + 1` })
    .where(and(eq(orders.id, orderId), eq(orders.fulfilment, "queued")))
    .returning();
  if (!order || order.providerId === null || order.providerServiceId === null) return;
  const [provider] = await db.select().from(providers).where(eq(providers.id, order.providerId));
  if (!provider) throw new Error(`order ${order.id} names provider ${order.providerId}, which is gone`);

  const answer = await call(env, provider, addParams(order));
  await keepAnswer(db, provider, order.id, "add", answer);
  const outcome = readAddAnswer(answer);
  await countFailure(db, provider, outcome.kind === "unknown");
  const settled = { leaseUntil: 0, updatedAt: Date.now() };
  const claimed = and(eq(orders.id, order.id), eq(orders.fulfilment, "submitting"));
  switch (outcome.kind) {
    case "accepted":
      await db
        .update(orders)
        .set({ ...settled, fulfilment: "accepted", providerOrderId: outcome.providerOrderId })
        .where(claimed);
      return;
    case "rejected":
      await closeOrder(db, order, {
        status: "Canceled",
        remains: order.quantity * order.runs,
        startCount: null,
        fulfilment: "rejected",
      });
      return;
    case "unknown":
      await db
        .update(orders)
        .set({ ...settled, fulfilment: "unknown" })
        .where(claimed);
      log("warn", "order held: its submission has no known outcome", { order: order.id, why: outcome.why });
      return;
    default:
      outcome satisfies never;
  }
}

/**
 * Puts an open order into a final state and gives back what was not delivered, all or nothing.
 * False when the order was final already: nothing is changed then.
 */
export async function closeOrder(
  db: Db,
  order: Pick<Order, "id" | "userId" | "charge" | "refunded" | "quantity" | "runs">,
  to: {
    status: "Completed" | "Partial" | "Canceled";
    remains: number;
    startCount: number | null;
    fulfilment?: FulfilmentState;
  },
): Promise<boolean> {
  const now = Date.now();
  const { id, userId } = order;
  const amount =
    to.status === "Completed" ? 0 : refundFor({ ...order, remains: to.remains, total: order.quantity * order.runs });
  const close = db
    .update(orders)
    .set({
      // NULL is refused by the column and stops the whole batch; a WHERE would let the refund through.
      status: sql`iif(${inArray(orders.status, [...OPEN_STATUSES])}, ${to.status}, null)`,
      remains: to.remains,
      refunded: sql`${orders.refunded} + ${amount}`,
      ...(to.fulfilment && { fulfilment: to.fulfilment, leaseUntil: 0 }),
      startCount: sql`coalesce(${to.startCount}, ${orders.startCount})`,
      checkedAt: now,
      updatedAt: now,
    })
    .where(eq(orders.id, id));
  try {
    if (amount === 0) {
      await close;
    } else {
      await db.batch([
        close,
        db
          .update(wallets)
          .set({ balance: sql`${wallets.balance} + ${amount}` })
          .where(eq(wallets.userId, userId)),
        db
          .insert(ledger)
          .values({ userId, orderId: id, kind: "refund", amount, balanceAfter: balanceNow(userId), createdAt: now }),
      ]);
    }
  } catch (error) {
    if (violates(error, "orders.status")) return false;
    throw error;
  }
  return true;
}

async function syncStatuses(db: Db, env: FulfilmentEnv, provider: Provider): Promise<void> {
  const open = await db
    .select()
    .from(orders)
    .where(
      and(
        eq(orders.providerId, provider.id),
        eq(orders.fulfilment, "accepted"),
        inArray(orders.status, [...OPEN_STATUSES]),
      ),
    )
    .orderBy(asc(orders.checkedAt))
    .limit(IDS_PER_STATUS_CALL);
  if (open.length === 0) return;
  const ids = open.map((order) => order.providerOrderId).join(",");
  const answer = await call(env, provider, { action: "status", orders: ids });
  const answered = answer.kind === "json" && isRecord(answer.body) && typeof answer.body.error !== "string";
  await countFailure(db, provider, !answered);
  if (!answered || !isRecord(answer.body)) {
    await keepAnswer(db, provider, null, "status", answer);
    return;
  }
  for (const order of open) {
    const entry = answer.body[order.providerOrderId ?? ""];
    const report = readStatusEntry(entry);
    if (report?.status) await applyReport(db, order, { ...report, status: report.status });
    else await noteUnreadable(db, provider, order, entry);
  }
}

async function applyReport(db: Db, order: Order, report: StatusReport & { status: OrderStatus }): Promise<void> {
  const { status, remains, startCount } = report;
  switch (status) {
    case "Completed":
      await closeOrder(db, order, { status, remains: 0, startCount });
      return;
    case "Partial":
    case "Canceled":
      // How much to give back is not known without it; a person decides.
      if (remains === null) await hold(db, order, "the provider gave no number of remains");
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
        .where(and(eq(orders.id, order.id), inArray(orders.status, [...OPEN_STATUSES])));
      return;
    default:
      status satisfies never;
  }
}

async function noteUnreadable(db: Db, provider: Provider, order: Order, entry: unknown): Promise<void> {
  log("warn", "status of an order could not be read", { order: order.id, provider: provider.id });
  const raw = JSON.stringify(entry) ?? "missing";
  await db.batch([
    db.update(orders).set({ checkedAt: Date.now() }).where(eq(orders.id, order.id)),
    db
      .insert(providerLog)
      .values({ providerId: provider.id, orderId: order.id, action: "status", answer: raw, createdAt: Date.now() }),
  ]);
}

/** The convention has no look-up by our reference, so a call that was cut off can be neither repeated nor refunded. */
async function holdLostSubmissions(db: Db): Promise<void> {
  const lost = await db
    .update(orders)
    .set({ fulfilment: "unknown", leaseUntil: 0, updatedAt: Date.now() })
    .where(and(eq(orders.fulfilment, "submitting"), lt(orders.leaseUntil, Date.now())))
    .returning({ id: orders.id });
  for (const { id } of lost) log("warn", "order held: its submission was cut off", { order: id });
}

async function hold(db: Db, order: Order, why: string): Promise<void> {
  await db.update(orders).set({ fulfilment: "unknown", updatedAt: Date.now() }).where(eq(orders.id, order.id));
  log("warn", "order held", { order: order.id, why });
}

async function call(env: FulfilmentEnv, provider: Provider, params: Record<string, string>): Promise<ProviderAnswer> {
  if (!isAllowedProviderUrl(provider.apiUrl, env.ENVIRONMENT === "local")) {
    throw new Error(`provider ${provider.id} has an address that is not allowed`);
  }
  const key = await unseal(env.ENCRYPTION_KEYS, providerKeyContext(provider.name), provider.encryptedKey);
  return callProvider({ apiUrl: provider.apiUrl, key }, params);
}

/** Additional data of the sealed key: it opens only in this provider's row. */
export function providerKeyContext(providerName: string): string {
  return `provider:${providerName}`;
}

function addParams(order: Order): Record<string, string> {
  const drip: Record<string, string> =
    order.runs > 1 ? { runs: String(order.runs), interval: String(order.intervalMinutes) } : {};
  const details = Object.fromEntries(Object.entries(order.details).map(([name, value]) => [name, String(value)]));
  return {
    action: "add",
    service: order.providerServiceId ?? "",
    link: order.link,
    quantity: String(order.quantity),
    ...drip,
    ...details,
  };
}

async function keepAnswer(
  db: Db,
  provider: Provider,
  orderId: number | null,
  action: string,
  answer: ProviderAnswer,
): Promise<void> {
  await db.insert(providerLog).values({
    providerId: provider.id,
    orderId,
    action,
    httpStatus: answer.httpStatus,
    answer: answer.kind === "no_answer" ? `${answer.why}\n${answer.raw}` : answer.raw,
    createdAt: Date.now(),
  });
}

/** Several failures in a row open the breaker: the provider is left alone for a while. */
async function countFailure(db: Db, provider: Provider, failed: boolean): Promise<void> {
  if (!failed) {
    if (provider.failures > 0) {
      await db.update(providers).set({ failures: 0, openUntil: 0 }).where(eq(providers.id, provider.id));
    }
    return;
  }
  const openUntil = Date.now() + BREAKER_OPEN_MS;
  await db
    .update(providers)
    .set({
      failures: sql`${providers.failures} + 1`,
      openUntil: sql`iif(${providers.failures} + 1 >= ${BREAKER_FAILURES}, ${openUntil}, ${providers.openUntil})`,
    })
    .where(eq(providers.id, provider.id));
}
