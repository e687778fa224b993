import { and, asc, eq, inArray, lt, sql } from "drizzle-orm";
import type { Db } from "#app/db/db.server.ts";
import {
  type ShownService,
  type WebhookEvent,
  wallets,
  webhookDeliveries,
  webhookEndpoints,
} from "#app/db/schema.server.ts";
import { kindOfChange, mergeChanges } from "#app/orders/catalog/service-change-text.ts";
import { newestNews, readNewsSince, type ServiceChange } from "#app/orders/catalog/service-changes.server.ts";
import { rateFor } from "#app/orders/prices/tier-rate.ts";
import { readTierRates, type TierRates } from "#app/orders/prices/tier-terms.server.ts";
import { decimal } from "#app/orders/rules/money-text.ts";
import { CURRENCY } from "#app/product.ts";
import { deliveryOf } from "./queue-webhooks.server.ts";
import { type WakeEnv, wakeEndpoints } from "./wake-endpoints.server.ts";

/** Endpoints of one step: a statement that queues and one that notes how far, whatever their number. */
const ENDPOINTS_PER_STEP = 100;
const STEPS_PER_RUN = 5;
/** Services that one event lists. The others are in the catalog's changes, which the event points to. */
export const SERVICES_PER_EVENT = 100;
const CHANGES_READ = 1000;
const EVENT: WebhookEvent = "service.changed";
/** Repeats the condition of the index literally. */
const isOnAndWants = sql`${webhookEndpoints.disabledAt} is null and ${webhookEndpoints.wantsCatalog} = 1`;

/**
 * Queues one `service.changed` for each endpoint that wants these and has not heard of the newest changes, however many
 * there were: an import of a whole catalog is one delivery. Runs every minute, a bounded number of endpoints at a time; each
 * endpoint remembers what it has heard of, so the next run continues. The rates are those of its owner's tier.
 */
export async function queueCatalogWebhooks(db: Db, env: WakeEnv): Promise<void> {
  for (let step = 0; step < STEPS_PER_RUN; step++) {
    const behind = await endpointsBehind(db);
    const [first] = behind;
    if (!first) return;
    // Those that have heard the same and pay the same prices get the same event.
    const alike = behind.filter(({ seen }) => seen === first.seen);
    for (const tierId of new Set(alike.map((endpoint) => endpoint.tierId))) {
      const ids = alike.filter((endpoint) => endpoint.tierId === tierId).map(({ id }) => id);
      const tier = tierId === null ? null : await readTierRates(db, tierId);
      await wakeEndpoints(env, await queueFor(db, ids, tier, first.seen, first.newest));
    }
  }
}

function endpointsBehind(db: Db) {
  return db
    .select({
      id: webhookEndpoints.id,
      seen: webhookEndpoints.catalogSeen,
      newest: newestNews(),
      tierId: wallets.tierId,
    })
    .from(webhookEndpoints)
    .leftJoin(wallets, eq(wallets.userId, webhookEndpoints.userId))
    .where(and(isOnAndWants, lt(webhookEndpoints.catalogSeen, newestNews())))
    .orderBy(asc(webhookEndpoints.catalogSeen))
    .limit(ENDPOINTS_PER_STEP);
}

async function queueFor(
  db: Db,
  ids: string[],
  tier: TierRates | null,
  since: number,
  newest: number,
): Promise<{ endpointId: string }[]> {
  const changes = (await readNewsSince(db, since, CHANGES_READ)).map((change) => atRatesOf(tier, change));
  const isWhole = changes.length < CHANGES_READ;
  const upTo = isWhole ? Math.max(newest, changes.at(-1)?.version ?? 0) : newest;
  const services = mergeByService(changes);
  const now = Date.now();
  const data = {
    since,
    version: upTo,
    services: services.slice(0, SERVICES_PER_EVENT).map(describe),
    /** Whether there are more changes than listed. */
    more: !isWhole || services.length > SERVICES_PER_EVENT,
    currency: CURRENCY,
  };
  const body = JSON.stringify({ type: EVENT, timestamp: new Date(now).toISOString(), data });
  const isThere = and(
    inArray(webhookEndpoints.id, sql`(select value from json_each(${JSON.stringify(ids)}))`),
    // An overlapping run may have been faster.
    eq(webhookEndpoints.catalogSeen, since),
    isOnAndWants,
  );
  const rows = db
    .select(deliveryOf(EVENT, body, now))
    .from(webhookEndpoints)
    // Nothing is left of changes that were taken back.
    .where(and(isThere, services.length > 0 || !isWhole ? undefined : sql`false`));
  const [queued] = await db.batch([
    db.insert(webhookDeliveries).select(rows).returning({ endpointId: webhookDeliveries.endpointId }),
    db.update(webhookEndpoints).set({ catalogSeen: upTo }).where(isThere),
  ]);
  return queued;
}

/** Returns a change as the customers of a tier see it. */
function atRatesOf(read: TierRates | null, change: ServiceChange): ServiceChange {
  if (!read?.tier) return change;
  const terms = { ...read.tier, rate: read.rates.get(change.serviceId) ?? null };
  const priced = (service: ShownService | null) => service && { ...service, rate: rateFor(service.rate, terms) };
  return { ...change, before: priced(change.before), after: priced(change.after) };
}

function mergeByService(changes: ServiceChange[]): ServiceChange[] {
  const byService = new Map<number, ServiceChange[]>();
  for (const change of changes) {
    const known = byService.get(change.serviceId);
    if (known) known.push(change);
    else byService.set(change.serviceId, [change]);
  }
  return [...byService.values()].flatMap((all) => mergeChanges(all) ?? []);
}

function describe(change: ServiceChange) {
  const { serviceId, before, after } = change;
  return {
    service: serviceId,
    change: kindOfChange(change),
    before: before && terms(before),
    after: after && terms(after),
  };
}

function terms(service: ShownService) {
  return {
    name: service.name,
    category: service.category,
    type: service.type,
    rate: decimal(service.rate, 2),
    min: service.min,
    max: service.max,
    dripfeed: service.dripfeed === 1,
    refill: service.refill === 1,
    refill_days: service.refill_days,
    cancel: service.cancel === 1,
  };
}
