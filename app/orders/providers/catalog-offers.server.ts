import { and, eq, getTableColumns, isNull, sql } from "drizzle-orm";
import type { Db } from "#app/db/db.server.ts";
import { priceRules, providerBalances, providers, quarantine, services } from "#app/db/schema.server.ts";
import { CURRENCY } from "#app/product.ts";
import { HOUR_MS } from "#app/time.ts";
import type { KnownService } from "./catalog-judgment.ts";
import { readAllPages } from "./catalog-pages.ts";
import { type CatalogPage, readCatalogPage } from "./catalog-shapes.ts";
import type { Convention } from "./conventions/convention.ts";
import { isOurCurrency } from "./order-cost.ts";
import { ALL_CATEGORIES, type PriceRule } from "./price-rule.ts";
import { MAX_OFFERED, type OfferedService, readEntries, withReadableNames } from "./provider-catalog.server.ts";
import { type FulfillmentEnv, type Provider, ProviderLink } from "./provider-link.server.ts";
import type { ProviderResponse } from "./reading/response.ts";
import type { UnreadableEntry } from "./unreadable-entry.ts";

/** A change that waits for a decision. */
export type WaitingChange = Pick<typeof quarantine.$inferSelect, "id" | "serviceId" | "reason" | "offered" | "paused">;

/** A provider's catalog with what we have of it. */
export type Offers = {
  offered: OfferedService[];
  /** Entries that cannot be read. Their services stay as they are. */
  unreadable: UnreadableEntry[];
  /** Completeness of the list. An incomplete catalog takes nothing off sale. */
  isComplete: boolean;
  /** Services that the provider says it has, if it does. */
  total: number | null;
  known: KnownService[];
  rules: PriceRule[];
  /** By our service. */
  waiting: Map<number, WaitingChange>;
  /** The rates are in our currency, as far as the balance tells. Those in another one are no costs to price by. */
  isInOurCurrency: boolean;
};

/**
 * Calls the provider for its catalog, page by page if it gives pages. Returns null if it has none to read, and logs what came
 * instead. `offered` is empty if none of its entries can be read; that is logged, too.
 */
export async function readOffers(db: Db, env: FulfillmentEnv, provider: Provider): Promise<Offers | null> {
  const link = new ProviderLink(db, env, provider);
  const { convention } = link.reader;
  const ask = (parameters: Record<string, string>) => link.call({ action: "services", ...parameters });
  const response = await ask({});
  const first = pageOf(response, convention);
  // An empty list is a provider's mistake. It must not take all its services off sale.
  if (!first || first.entries.length === 0) {
    await link.logResponse(null, "services", response);
    return null;
  }
  const { entries, isComplete, total, currency } = await readAllPages(
    first,
    async (parameters) => pageOf(await ask(parameters), convention),
    convention,
  );
  const catalog = readEntries(entries, currency, convention);
  const isReadable = catalog.services.length > 0;
  if (!isReadable) await link.logResponse(null, "services", response);
  // A preview that is opened again and again writes it once an hour.
  const now = Date.now();
  if (isReadable && now - (provider.catalogReadAt ?? 0) > HOUR_MS) {
    await db.update(providers).set({ catalogReadAt: now }).where(eq(providers.id, provider.id));
  }
  const [known, rules, waiting, [balance]] = await db.batch([
    db
      .select({
        id: services.id,
        version: services.version,
        providerServiceId: services.providerServiceId,
        name: services.name,
        type: services.type,
        rate: services.rate,
        providerRate: services.providerRate,
        ruleRate: services.ruleRate,
        decidedRate: services.decidedRate,
        decidedCost: services.decidedCost,
        min: services.min,
        max: services.max,
        dripfeed: services.dripfeed,
        refill: services.refill,
        cancel: services.cancel,
        enabled: services.enabled,
        keptWhileGone: services.keptWhileGone,
      })
      .from(services)
      .where(eq(services.providerId, provider.id)),
    listRules(db, provider.id),
    db
      .select({
        id: quarantine.id,
        serviceId: quarantine.serviceId,
        reason: quarantine.reason,
        offered: quarantine.offered,
        paused: quarantine.paused,
      })
      .from(quarantine)
      .where(and(eq(quarantine.providerId, provider.id), isNull(quarantine.decidedAt))),
    db
      .select({ currency: providerBalances.currency })
      .from(providerBalances)
      .where(eq(providerBalances.providerId, provider.id)),
  ]);
  const ours = new Set(known.map(({ providerServiceId }) => providerServiceId));
  const { services: offered, unreadable } = withReadableNames(catalog, ours);
  return {
    offered,
    unreadable,
    isComplete: isComplete && isReadable,
    total,
    known: known.map((service) => ({ ...service, providerServiceId: service.providerServiceId ?? "" })),
    rules,
    waiting: new Map(waiting.map((change) => [change.serviceId, change])),
    isInOurCurrency: isOurCurrency(balance?.currency ?? ""),
  };
}

function pageOf(response: ProviderResponse, convention: Convention): CatalogPage | null {
  const page = response.kind === "json" ? readCatalogPage(response.body, convention) : null;
  return page && page.entries.length <= MAX_OFFERED ? page : null;
}

/** Is true for the providers whose catalogs the night reads. */
export const IS_READ_AT_NIGHT = and(
  eq(providers.enabled, true),
  sql`exists (select 1 from ${priceRules} where ${priceRules.providerId} = ${providers.id} and ${priceRules.category} = ${ALL_CATEGORIES})`,
);

/** Returns the statement that counts the changes of all catalogs that wait for a decision, up to `limit`. */
export function selectWaitingChanges(db: Db, limit: number) {
  const waiting = db
    .select({ serviceId: quarantine.serviceId })
    .from(quarantine)
    .where(isNull(quarantine.decidedAt))
    .limit(limit)
    .as("waiting");
  return db.select({ changes: sql<number>`count(*)`.as("changes") }).from(waiting);
}

/** Returns the statement that lists the rules of all providers but those whose rates are in another currency. */
export function selectRulesInOurCurrency(db: Db) {
  const isOurs = sql`upper(coalesce(${providerBalances.currency}, '')) in ('', ${CURRENCY})`;
  return db
    .select(getTableColumns(priceRules))
    .from(priceRules)
    .leftJoin(providerBalances, eq(providerBalances.providerId, priceRules.providerId))
    .where(isOurs)
    .orderBy(priceRules.providerId, priceRules.category);
}

/** Lists a provider's rules, the general one first. */
export function listRules(db: Db, providerId: number) {
  return db
    .select({
      category: priceRules.category,
      margin: priceRules.margin,
      roundTo: priceRules.roundTo,
      minimum: priceRules.minimum,
      version: priceRules.version,
    })
    .from(priceRules)
    .where(eq(priceRules.providerId, providerId))
    .orderBy(sql`${priceRules.category}`);
}
