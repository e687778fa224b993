import { and, asc, eq } from "drizzle-orm";
import type { Db } from "#app/db/db.server.ts";
import { services } from "#app/db/schema.server.ts";

export type Service = Awaited<ReturnType<typeof listServices>>[number];

/** What can be ordered, in the order it is shown. `rate` is micro-units. */
export async function listServices(db: Db) {
  return db
    .select({
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
      cancel: services.cancel,
    })
    .from(services)
    .where(eq(services.enabled, true))
    .orderBy(asc(services.position), asc(services.id));
}

/** A select to run in a batch: the service if it can be ordered. */
export function selectOrderable(db: Db, serviceId: number) {
  return db
    .select()
    .from(services)
    .where(and(eq(services.id, serviceId), eq(services.enabled, true)))
    .limit(1);
}
