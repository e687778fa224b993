import { and, asc, eq, sql } from "drizzle-orm";
import type { Db } from "#app/db/db.server.ts";
import { catalogVersion, rollups, services } from "#app/db/schema.server.ts";
import { tagOf } from "#app/http/responses/conditional.ts";
import type { EncodedJson } from "#app/http/responses/encoded-json.ts";
import type { DeliveryTimes } from "#app/orders/terms/delivery-estimate.ts";
import { readServiceTimes, SERVICE_TIMES_ROLLUP } from "#app/orders/terms/service-times.server.ts";

export type Service = Awaited<ReturnType<typeof listServices>>[number];
export type TimedService = Service & { times: DeliveryTimes | null };
/** A service's row and the catalog version it was read at. */
export type ServiceTerms = typeof services.$inferSelect & { version: number };

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

/** Returns the services on sale, in the order they are shown. */
export async function listServices(db: Db) {
  return db
    .select(PUBLIC_COLUMNS)
    .from(services)
    .where(eq(services.enabled, true))
    .orderBy(asc(services.position), asc(services.id));
}

/** The services on sale at a version of the catalog. */
export type Listed = { version: number; services: Service[] };

/** Number of services whose terms are remembered. */
const MAX_TERMS = 10_000;

/**
 * The part of the catalog that an isolate remembers between requests. It may be outdated: the list is compared with the
 * database's catalog version, and so is an order's service when the order is placed.
 */
export class CatalogCache {
  #listed: Listed | null = null;
  #list: { version: number; timesAt: number; json: EncodedJson } | null = null;
  readonly #terms = new Map<number, ServiceTerms>();

  /**
   * Returns the services on sale with the catalog's version. Reads one row, and the services only when they have changed:
   * then it returns another array, so what is derived from the services can be kept by it in a WeakMap.
   */
  async listed(db: Db): Promise<Listed> {
    // Reads the version first, so that a change in between shows up as a newer version next time.
    const [now] = await db.select().from(catalogVersion);
    if (!now) throw new Error("the catalog has no version");
    if (this.#listed?.version !== now.version) {
      this.#listed = { version: now.version, services: await listServices(db) };
    }
    return this.#listed;
  }

  /** Returns the services on sale as `encode` writes them. Encodes again only when the catalog or its times have changed. */
  async encodedList(db: Db, encode: (services: TimedService[]) => string): Promise<EncodedJson> {
    const { version, services } = await this.listed(db);
    const [refreshed] = await db.select().from(rollups).where(eq(rollups.name, SERVICE_TIMES_ROLLUP));
    const timesAt = refreshed?.upToId ?? 0;
    if (this.#list?.version !== version || this.#list.timesAt !== timesAt) {
      const times = await readServiceTimes(db);
      const text = encode(services.map((service) => ({ ...service, times: times.get(service.id) ?? null })));
      this.#list = { version, timesAt, json: { bytes: new TextEncoder().encode(text), tag: tagOf(text) } };
    }
    return this.#list.json;
  }

  remembered(serviceId: number): ServiceTerms | undefined {
    return this.#terms.get(serviceId);
  }

  /** Reads the service again. Returns undefined when it is not on sale. */
  async terms(db: Db, serviceId: number): Promise<ServiceTerms | undefined> {
    const [[service], [now]] = await db.batch([
      db
        .select()
        .from(services)
        .where(and(eq(services.id, serviceId), eq(services.enabled, true)))
        .limit(1),
      db.select().from(catalogVersion),
    ]);
    this.#terms.delete(serviceId);
    if (!service || !now) return undefined;
    if (this.#terms.size >= MAX_TERMS) this.#terms.clear();
    const terms = { ...service, version: now.version };
    this.#terms.set(serviceId, terms);
    return terms;
  }
}
