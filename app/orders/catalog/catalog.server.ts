import { and, asc, eq, sql } from "drizzle-orm";
import type { Db } from "#app/db/db.server.ts";
import { readOnce } from "#app/db/read-once.server.ts";
import { catalogVersion, rollups, services } from "#app/db/schema.server.ts";
import { closedText } from "#app/db/settings/settings-store.server.ts";
import { tagOf } from "#app/http/responses/conditional.ts";
import type { EncodedJson } from "#app/http/responses/encoded-json.ts";
import type { DeliveryTimes } from "#app/orders/terms/delivery-estimate.ts";
import { readServiceTimes, SERVICE_TIMES_ROLLUP } from "#app/orders/terms/service-times.server.ts";

export type Service = Awaited<ReturnType<typeof listServices>>[number];
export type TimedService = Service & { times: DeliveryTimes | null };
/**
 * A service's row and the catalog version it was read at. `closed` is what customers read while no orders are taken, or
 * null: maintenance mode raises the version, so that terms of an open catalog are outdated once it is closed.
 */
export type ServiceTerms = typeof services.$inferSelect & { version: number; closed: string | null };

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

/**
 * The part of the catalog that an isolate remembers between requests. It may be outdated: the list is compared with the
 * database's catalog version, and so is an order's service when the order is placed.
 */
export class CatalogCache {
  #listed: Listed | null = null;
  #timed: { version: number; at: number; services: TimedService[]; encoded: EncodedJson | null } | null = null;
  readonly #terms = new Map<number, ServiceTerms>();

  /**
   * Returns the services on sale with the catalog's version. Reads one row, and the services only when they have changed:
   * then it returns another array, so what is derived from the services can be kept by it in a WeakMap.
   */
  async listed(db: Db): Promise<Listed> {
    return readOnce(db, "catalog", () => this.#current(db));
  }

  /** Returns the services on sale with what is measured of them. Reads them again only after a change of either. */
  async timed(db: Db): Promise<{ version: number; services: TimedService[] }> {
    return this.#currentTimed(db);
  }

  /** Returns the services on sale as `encode` writes them, and their version. Encodes again only after a change. */
  async encodedList(
    db: Db,
    encode: (services: TimedService[]) => string,
  ): Promise<{ version: number; json: EncodedJson }> {
    const list = await this.#currentTimed(db);
    if (list.encoded === null) {
      const text = encode(list.services);
      list.encoded = { bytes: new TextEncoder().encode(text), tag: tagOf(text) };
    }
    return { version: list.version, json: list.encoded };
  }

  async #currentTimed(db: Db) {
    const [now] = await db.select({ version: catalogVersion.version, at: timesReadAt }).from(catalogVersion);
    if (this.#timed && this.#timed.version === now?.version && this.#timed.at === now.at) return this.#timed;
    const { version, services } = await this.#current(db);
    const times = await readServiceTimes(db);
    const timed = services.map((service) => ({ ...service, times: times.get(service.id) ?? null }));
    this.#timed = { version, at: now?.at ?? 0, services: timed, encoded: null };
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
      db.select({ version: catalogVersion.version, closed: closedText }).from(catalogVersion),
    ]);
    this.#terms.delete(serviceId);
    if (!service || !now) return undefined;
    if (this.#terms.size >= MAX_TERMS) this.#terms.clear();
    const terms = { ...service, ...now };
    this.#terms.set(serviceId, terms);
    return terms;
  }
}
