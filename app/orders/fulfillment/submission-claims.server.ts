import { and, asc, eq, getTableColumns, inArray, isNotNull, isNull, lt, lte, ne, sql } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import type { Db } from "#app/db/db.server.ts";
import { type HoldReason, type Order, orders, providers } from "#app/db/schema.server.ts";
import { heldBy, historyAfter, historySent } from "#app/db/steps/order-steps.server.ts";
import { storeAnswer } from "#app/db/store-answer.server.ts";
import { log, runLogged } from "#app/http/log.ts";
import type { ProviderLink, ProviderSettings } from "#app/orders/providers/provider-link.server.ts";
import { ORDER_FIELD_NAMES, orderField } from "#app/orders/rules/order-input.ts";
import { HOUR_MS } from "#app/time.ts";
import type { Deferral } from "./deferrals.ts";
import { isQueued, isSubmitting } from "./indexed-conditions.server.ts";

/** Longer than a call may take. If it ends while submitting, the outcome is unknown. */
export const LEASE_MS = 60_000;

/** A little less than the 24 hours for which a provider honors a key. */
const KEY_HONORED_MS = 23 * HOUR_MS;

/** A claimed order, with what its provider charged for its service at that moment. Micro-units; null: not known. */
export type ClaimedOrder = Order & { providerRate?: number | null };

/** The lists in which an order to a provider that splits them has no comma. */
const SPLIT_LISTS = ORDER_FIELD_NAMES.filter((name) => orderField(name).isSplitAtCommas);

/** The order's provider would split an item of a list, by its settings at this moment. A round began with older ones. */
const wouldBeSplit = sql.raw(
  `(exists (select 1 from providers p where p.id = orders.provider_id and p.splits_comments = 1)
    and (${SPLIT_LISTS.map((name) => `coalesce(instr(orders.provider_fields ->> '$.${name}', ','), 0) > 0`).join(" or ")}))`,
);

/**
 * Holds the queued orders with an item that their provider would split: those that were placed before staff said so. If an
 * earlier call was cut off, that is the reason, because the provider may have the order.
 */
export async function holdSplitOrders(db: Db, { id, splitsComments }: ProviderSettings): Promise<void> {
  if (!splitsComments) return;
  const now = Date.now();
  const isSplit = and(isQueued, eq(orders.providerId, id), wouldBeSplit);
  const held = await db.batch([
    db
      .update(orders)
      .set({ ...heldBy("splits_comments", now), leaseUntil: 0 })
      .where(and(isSplit, isNull(orders.resendUntil)))
      .returning({ id: orders.id }),
    db
      .update(orders)
      .set({ ...heldBy("cut_off", now), leaseUntil: 0 })
      .where(isSplit)
      .returning({ id: orders.id }),
  ]);
  for (const { id: order } of held.flat()) log("warn", "order held: its provider splits comments at commas", { order });
}

/** When this isolate claimed orders and refills. No two of its claims have the same time, by which one is released. */
const claimTimes = new Set<number>();
const CLAIM_TIMES_KEPT = 1000;

/**
 * Claims the order that has been due for longest, of any customer but one, or returns undefined. If the answer to the claim
 * is lost, this releases what it may have claimed and throws: nobody would send it.
 */
export async function claimNext(
  db: Db,
  provider: ProviderSettings,
  waitingUserId: string | null,
): Promise<ClaimedOrder | undefined> {
  const claimedAt = claimTime();
  try {
    return await claim(db, provider, waitingUserId, claimedAt);
  } catch (error) {
    await runLogged("claim not released", { provider: provider.id }, () =>
      storeAnswer(() => releaseClaim(db, provider, claimedAt)),
    );
    throw error;
  }
}

/**
 * Claims the next order that can be sent, of any customer but one. Holds those on the way there that the provider may have, and
 * before the first claim those that it would split. Returns null if no order is due or the provider takes none. Throws before
 * the first claim if the provider's URL or key can't be used.
 */
export async function claimToSend(
  link: ProviderLink,
  waitingUserId: string | null,
  { isFirst }: { isFirst: boolean },
): Promise<ClaimedOrder | null> {
  const { db, settings } = link;
  if (isFirst) {
    await link.connect();
    await holdSplitOrders(db, settings);
  }
  while (link.takesOrders()) {
    const order = await claimNext(db, settings, waitingUserId);
    if (!order) return null;
    if (mayBeSent(settings, order)) return order;
    const heldFor = order.requestDigest === "" ? "account_deleted" : "cut_off";
    await holdSubmission(db, order, heldFor, "the provider may have it, and its idempotency key no longer holds");
  }
  return null;
}

/** Returns the time of a new claim: now, or the next millisecond that no other claim has. */
export function claimTime(now = Date.now()): number {
  let time = now;
  while (claimTimes.has(time)) time += 1;
  const [oldest = 0] = claimTimes;
  if (claimTimes.size === CLAIM_TIMES_KEPT) claimTimes.delete(oldest);
  claimTimes.add(time);
  return time;
}

/** Queues the order of a claim again. With a key, its lease's end does. */
async function releaseClaim(db: Db, { id }: ProviderSettings, claimedAt: number): Promise<void> {
  const ofClaim = and(isSubmitting, eq(orders.providerId, id), eq(orders.leaseUntil, claimedAt + LEASE_MS));
  const history = historyAfter({ fulfillment: "queued" }, claimedAt);
  await db
    .update(orders)
    .set({ fulfillment: "queued", leaseUntil: 0, history, updatedAt: claimedAt })
    .where(and(ofClaim, isNull(orders.resendUntil)));
}

async function claim(
  db: Db,
  provider: ProviderSettings,
  waitingUserId: string | null,
  claimedAt: number,
): Promise<ClaimedOrder | undefined> {
  const next = db
    .select({ id: orders.id })
    .from(orders)
    .where(
      and(
        isQueued,
        eq(orders.providerId, provider.id),
        lte(orders.leaseUntil, Date.now()),
        isNotOf(waitingUserId),
        sql`not ${wouldBeSplit}`,
      ),
    )
    .orderBy(asc(orders.leaseUntil), asc(orders.id))
    .limit(1);
  const [claimed] = await db
    .update(orders)
    .set({
      fulfillment: "submitting",
      leaseUntil: claimedAt + LEASE_MS,
      attempts: sql`${orders.attempts} + 1`,
      history: historySent(claimedAt),
      // Noted before the call: if it is cut off, the row must tell whether the call carried a key.
      ...(provider.honorsIdempotencyKeys && {
        resendUntil: sql`coalesce(${orders.resendUntil}, cast(${claimedAt + KEY_HONORED_MS} as integer))`,
      }),
    })
    .where(and(inArray(orders.id, next), isQueued, isUnchanged(provider)))
    .returning({ ...getTableColumns(orders), providerRate: providerRateOf });
  return claimed;
}

/** The rate of what an order is sent as, whichever service sells that. */
export const providerRateOf = sql<number | null>`(select s.provider_rate from services s
  where s.provider_id = orders.provider_id and s.provider_service_id = orders.provider_service_id)`;

export function isNotOf(userId: string | null) {
  return userId === null ? undefined : ne(orders.userId, userId);
}

/** The provider's settings are still those that a call would use. Staff may change them during a round. */
function isUnchanged({ id, apiUrl, encryptedKey }: ProviderSettings) {
  return sql`exists (select 1 from ${providers}
    where ${providers.id} = ${id} and ${providers.enabled} and ${providers.apiUrl} = ${apiUrl} and ${providers.encryptedKey} = ${encryptedKey})`;
}

/** Returns whether this call is the order's first with a key, so that no earlier one was cut off. */
export function isFirstWithKey({ leaseUntil, resendUntil }: Order): boolean {
  return resendUntil === leaseUntil - LEASE_MS + KEY_HONORED_MS;
}

/**
 * Returns whether sending the claimed order can't deliver it twice: no call was cut off, or its key is still honored for
 * the same fields. Those of a deleted account are empty, and so is their digest.
 */
export function mayBeSent({ honorsIdempotencyKeys }: ProviderSettings, order: Order): boolean {
  if (order.resendUntil === null || isFirstWithKey(order)) return true;
  return honorsIdempotencyKeys && Date.now() < order.resendUntil && order.requestDigest !== "";
}

/**
 * Holds orders whose submission was cut off. Without a lookup by our reference they can be neither resent nor refunded.
 * Orders whose call carried an idempotency key are queued again.
 */
export async function holdLostSubmissions(db: Db): Promise<void> {
  const now = Date.now();
  await db
    .update(orders)
    .set({ fulfillment: "queued", leaseUntil: 0, updatedAt: now })
    .where(and(isSubmitting, lt(orders.leaseUntil, now), isNotNull(orders.resendUntil)));
  const lost = await db
    .update(orders)
    .set({ ...heldBy("cut_off", now), leaseUntil: 0 })
    .where(and(isSubmitting, lt(orders.leaseUntil, now)))
    .returning({ id: orders.id });
  for (const { id } of lost) log("warn", "order held: submission cut off", { order: id });
}

/** Matches the order while this call is its last one. A person may have had it sent again. */
export function isSubmittingNow({ id, attempts }: Order) {
  return and(eq(orders.id, id), eq(orders.attempts, attempts), eq(orders.fulfillment, "submitting"));
}

/** Holds an order that is being submitted. `also` and `changes` are stored with it. */
export async function holdSubmission(
  db: Db,
  order: Order,
  heldFor: HoldReason,
  why: string,
  also: BatchItem<"sqlite">[] = [],
  changes: Partial<Deferral> = {},
): Promise<void> {
  await db.batch([
    db
      .update(orders)
      .set({ ...changes, ...heldBy(heldFor, Date.now()), leaseUntil: 0 })
      .where(isSubmittingNow(order)),
    ...also,
  ]);
  log("warn", "order held: unknown submission outcome", { order: order.id, why });
}
