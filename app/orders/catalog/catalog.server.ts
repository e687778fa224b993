import { and, asc, eq, getTableColumns, sql } from "drizzle-orm";
import type { Db } from "#app/db/db.server.ts";
import { readOnce } from "#app/db/read-once.server.ts";
import { catalogVersion, providers, rollups, services, wallets } from "#app/db/schema.server.ts";
import { tagOf } from "#app/http/responses/conditional.ts";
import type { EncodedJson } from "#app/http/responses/encoded-json.ts";
import type { DeliveryTimes } from "#app/orders/delivery/delivery-estimate.ts";
import { readServiceTimes, SERVICE_TIMES_ROLLUP } from "#app/orders/delivery/service-times.server.ts";
import { byTier, type Lowered } from "#app/orders/prices/tier-prices.ts";
import type { TierTerms } from "#app/orders/prices/tier-rate.ts";
import { readTierRates, tierIdOf, tierTerms } from "#app/orders/prices/tier-terms.server.ts";
import { closedText } from "#app/settings/settings-store.server.ts";

export type Service = Awaited<ReturnType<typeof listServices>>[number];
/** `lowered` is there if the rate is a tier's. */
export type TimedService = Service & { times: DeliveryTimes | null; lowered?: Lowered };
/**
 * A service's row, the customer's tier and the catalog version they were read at. `closed` is what customers read while no
 * orders are taken, or null: maintenance mode raises the version, so that terms of an open catalog are outdated once it is
 * closed.
 */
export type ServiceTerms = RememberedTerms & { tier: TierTerms | null };
type RememberedTerms = typeof services.$inferSelect & {
  splitsComments: boolean;
  version: number;
  closed: string | null;
};

/** The columns of a service that are public. `rate` is micro-units. */
export const PUBLIC_COLUMNS = {
  id: services.id,
  network: services.network,
  category: services.category,
  name: services.name,
  description: services.description,
  type: services.type,
  rate: services.rate,
  min: services.min,
  max: services.max,
  dripfeed: services.dripfeed,
  refill: services.refill,
  refillDays: sql<number | null>`iif(${services.refill}, ${services.refillDays}, null)`,
  cancel: services.cancel,
  linkKind: services.linkKind,
  linkCheck: services.linkCheck,
};

/** Selects whether the provider of the row's service splits lists at commas, so that orders may have none in them. */
export const splitsComments =
  sql<boolean>`coalesce((select "of"."splits_comments" from ${providers} as "of" where "of"."id" = ${services}."provider_id"), 0)`
    .mapWith(Boolean)
    .as("splits_comments");

/** Returns the services on sale, in the order they are shown. */
export function listServices(db: Db) {
  return db
    .select(PUBLIC_COLUMNS)
    .from(services)
    .where(eq(services.enabled, true))
    .orderBy(asc(services.position), asc(services.id));
}

/** When the times of services were measured last. Read with the version, in one statement. */
const timesReadAt = sql<number>`coalesce((select ${rollups.upToId} from ${rollups} where ${rollups.name} = ${SERVICE_TIMES_ROLLUP}), 0)`;

/** The services on sale at a version of the catalog. */
export type Listed = { version: number; services: Service[] };

/** Number of services whose terms are remembered. */
const MAX_TERMS = 10_000;
/** Number of services and customers with a tier whose terms are remembered. */
const MAX_TIER_TERMS = 10_000;
/** Readings of a list whose catalog keeps changing meanwhile. */
const MAX_TRIES = 5;

/** The services on sale at one version with what is measured of them, and as they are sent. */
type Timed = { services: TimedService[]; encoded: EncodedJson | null };
/** The list at the usual rates, and those of tiers by their id: at most MAX_TIERS of them. */
type TimedLists = { version: number; at: number; usual: Timed; byTier: Map<number, Timed> };

/**
 * The part of the catalog that an isolate remembers between requests. It may be outdated: the list is compared with the
 * database's catalog version, and so is an order's service when the order is placed.
 */
export class CatalogCache {
  #listed: Listed | null = null;
  #timed: TimedLists | null = null;
  readonly #terms = new Map<number, RememberedTerms>();
  /** By customer and service, for customers with a tier. */
  readonly #tierTerms = new Map<string, { version: number; tier: TierTerms }>();

  /**
   * Returns the services on sale with the catalog's version. Reads one row, and the services only when they have changed:
   * then it returns another array, so what is derived from the services can be kept by it in a WeakMap.
   */
  async listed(db: Db): Promise<Listed> {
    return readOnce(db, "catalog", () => this.#current(db));
  }

  /**
   * Returns the services on sale with what is measured of them, at the rates of the customer's tier. Reads them again only
   * after a change of either. `tierFrom` is the version from which on the customer has these rates.
   */
  async timed(db: Db, userId: string): Promise<{ version: number; services: TimedService[]; tierFrom: number }> {
    const { version, list, tierFrom } = await this.#currentTimed(db, userId);
    return { version, services: list.services, tierFrom };
  }

  /** Returns the services on sale as `encode` writes them, and their version. Encodes again only after a change. */
  async encodedList(
    db: Db,
    userId: string,
    encode: (services: TimedService[]) => string,
  ): Promise<{ version: number; json: EncodedJson }> {
    const { version, list } = await this.#currentTimed(db, userId);
    if (list.encoded === null) {
      const text = encode(list.services);
      list.encoded = { bytes: new TextEncoder().encode(text), tag: tagOf(text) };
    }
    return { version, json: list.encoded };
  }

  async #currentTimed(db: Db, userId: string): Promise<{ version: number; list: Timed; tierFrom: number }> {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const [now] = await db
        .select({
          version: catalogVersion.version,
          at: timesReadAt,
          tierId: sql<number | null>`${tierIdOf(userId)}`.as("tier_id"),
          tierFrom: sql<number>`coalesce(${tierFromOf(userId)}, 0)`.as("tier_from"),
        })
        .from(catalogVersion);
      if (!now) throw new Error("the catalog has no version");
      const lists = await this.#listsAt(db, now);
      if (lists.version !== now.version) continue;
      const list = now.tierId === null ? lists.usual : await listOfTier(db, lists, now.tierId);
      if (list) return { version: lists.version, list, tierFrom: now.tierFrom };
    }
    throw new Error("the catalog kept changing while its list was read");
  }

  async #listsAt(db: Db, now: { version: number; at: number }): Promise<TimedLists> {
    if (this.#timed && this.#timed.version === now.version && this.#timed.at === now.at) return this.#timed;
    const { version, services } = await this.#current(db);
    const times = await readServiceTimes(db);
    const timed = services.map((service) => ({ ...service, times: times.get(service.id) ?? null }));
    this.#timed = { version, at: now.at, usual: { services: timed, encoded: null }, byTier: new Map() };
    return this.#timed;
  }

  async #current(db: Db) {
    if (this.#listed) {
      const [now] = await db.select().from(catalogVersion);
      if (this.#listed.version === now?.version) return this.#listed;
    }
    // Together, so that the list is exactly the one of this version.
    const [[read], services] = await db.batch([db.select().from(catalogVersion), listServices(db)]);
    if (!read) throw new Error("the catalog has no version");
    this.#listed = { version: read.version, services };
    return this.#listed;
  }

  /**
   * Returns what is remembered of a service for a customer. A customer of whom no tier is remembered is taken to have none,
   * as most have: the database refuses the order of one who has.
   */
  remembered(serviceId: number, userId: string): ServiceTerms | undefined {
    const terms = this.#terms.get(serviceId);
    const known = this.#tierTerms.get(keyOf(serviceId, userId));
    // The service was read again since, for another customer.
    if (!terms || (known && known.version !== terms.version)) return undefined;
    return { ...terms, tier: known?.tier ?? null };
  }

  /** Reads the service again, with the customer's tier. Returns undefined when it is not on sale. */
  async terms(db: Db, serviceId: number, userId: string): Promise<ServiceTerms | undefined> {
    const [[found], [now]] = await db.batch([
      db
        .select({ ...getTableColumns(services), splitsComments, tier: tierTerms(userId) })
        .from(services)
        .where(and(eq(services.id, serviceId), eq(services.enabled, true)))
        .limit(1),
      db.select({ version: catalogVersion.version, closed: closedText }).from(catalogVersion),
    ]);
    this.#terms.delete(serviceId);
    this.#tierTerms.delete(keyOf(serviceId, userId));
    if (!found || !now) return undefined;
    if (this.#terms.size >= MAX_TERMS) this.#terms.clear();
    if (this.#tierTerms.size >= MAX_TIER_TERMS) this.#tierTerms.clear();
    const { tier, ...service } = found;
    const terms = { ...service, ...now };
    this.#terms.set(serviceId, terms);
    if (tier) this.#tierTerms.set(keyOf(serviceId, userId), { version: now.version, tier });
    return { ...terms, tier };
  }
}

function keyOf(serviceId: number, userId: string): string {
  return `${serviceId} ${userId}`;
}

/** Selects the version of the catalog at which the customer's rates became others than before. */
function tierFromOf(userId: string) {
  return sql`(select "own"."tier_from" from ${wallets} as "own" where "own"."user_id" = ${userId})`;
}

/** Returns the list at the rates of a tier, made once for each version, or null if the catalog has changed meanwhile. */
async function listOfTier(db: Db, lists: TimedLists, tierId: number): Promise<Timed | null> {
  const known = lists.byTier.get(tierId);
  if (known) return known;
  const { version, tier, rates } = await readTierRates(db, tierId);
  if (version !== lists.version) return null;
  const services = lists.usual.services.map((service) =>
    byTier(service, tier && { ...tier, rate: rates.get(service.id) ?? null }),
  );
  const list = { services, encoded: null };
  lists.byTier.set(tierId, list);
  return list;
}
