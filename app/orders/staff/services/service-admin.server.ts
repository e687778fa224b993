import { and, asc, eq, gt, type SQL, sql } from "drizzle-orm";
import { type Actor, audit, isRepeat, listAudit } from "#app/db/audit.server.ts";
import { type Db, violates } from "#app/db/db.server.ts";
import { LINK_KINDS, ORDER_TYPES, providers, services } from "#app/db/schema.server.ts";

/** The catalog as staff see and change it, including services that are off sale. Rates are micro-units. */

export type StaffService = typeof services.$inferSelect;
type LinkTerms = "linkKind" | "linkCheck";
/** Without what it takes and how that is checked, a service keeps what it has. */
export type ServiceTerms = Omit<StaffService, "id" | "providerRate" | LinkTerms> &
  Partial<Pick<StaffService, LinkTerms>>;
export type ServiceRefusal = "not_found" | "provider_service_taken" | "unknown_provider" | "repeated";

export const SERVICE_STATES = ["all", "enabled", "disabled"] as const;
const AUDIT_SHOWN = 20;
/** The fields whose changes go into the audit log. */
const AUDITED_FIELDS = [
  "network",
  "category",
  "name",
  "description",
  "type",
  "rate",
  "min",
  "max",
  "dripfeed",
  "refill",
  "refillDays",
  "cancel",
  "enabled",
  "providerId",
  "providerServiceId",
  "position",
  "linkKind",
  "linkCheck",
] as const satisfies (keyof ServiceTerms)[];

/** Lists services by id, after the id `after`. Returns one row more than `limit` if there is another page. */
export async function listStaffServices(
  db: Db,
  filter: {
    search: string;
    state: (typeof SERVICE_STATES)[number];
    providerId: number | null;
    network: string | null;
    after: number | null;
  },
  limit: number,
) {
  const { search, state, providerId, network, after } = filter;
  const asId = /^\d{1,9}$/.test(search) ? Number(search) : -1;
  const matches: SQL | undefined =
    search === ""
      ? undefined
      : sql`(${services.id} = ${asId} or instr(lower(${services.name} || ' ' || ${services.category}), lower(${search})) > 0)`;
  return db
    .select({
      id: services.id,
      network: services.network,
      category: services.category,
      name: services.name,
      type: services.type,
      rate: services.rate,
      providerRate: services.providerRate,
      min: services.min,
      max: services.max,
      enabled: services.enabled,
      provider: providers.name,
    })
    .from(services)
    .leftJoin(providers, eq(providers.id, services.providerId))
    .where(
      and(
        matches,
        state === "all" ? undefined : eq(services.enabled, state === "enabled"),
        providerId === null ? undefined : eq(services.providerId, providerId),
        network === null ? undefined : eq(services.network, network),
        after === null ? undefined : gt(services.id, after),
      ),
    )
    .orderBy(asc(services.id))
    .limit(limit + 1);
}

/** Returns the options of the filter and the form. */
export async function listServiceChoices(db: Db) {
  const [networks, categories, listedProviders] = await db.batch([
    db.selectDistinct({ name: services.network }).from(services).orderBy(asc(services.network)),
    db.selectDistinct({ name: services.category }).from(services).orderBy(asc(services.category)),
    db.select({ id: providers.id, name: providers.name }).from(providers).orderBy(asc(providers.name)),
  ]);
  return {
    networks: networks.map(({ name }) => name),
    categories: categories.map(({ name }) => name),
    providers: listedProviders,
    types: ORDER_TYPES,
    linkKinds: LINK_KINDS,
  };
}

export async function readStaffService(db: Db, serviceId: number) {
  const [service] = await db.select().from(services).where(eq(services.id, serviceId)).limit(1);
  if (!service) return null;
  const history = await listAudit(db, { subject: "service", subjectId: String(serviceId) }, AUDIT_SHOWN);
  return { service, history };
}

export async function createService(
  db: Db,
  actor: Actor,
  terms: ServiceTerms,
  onceKey: string,
): Promise<{ ok: true; serviceId: number } | { ok: false; reason: ServiceRefusal }> {
  try {
    const [[created]] = await db.batch([
      db.insert(services).values(terms).returning({ id: services.id }),
      audit(db, actor, {
        action: "service.create",
        subject: "service",
        subjectId: sql<string>`(select cast(max(id) as text) from services)`,
        detail: terms,
        onceKey,
      }),
    ]);
    if (!created) throw new Error("insert returned no service");
    return { ok: true, serviceId: created.id };
  } catch (error) {
    if (isRepeat(error)) return { ok: false, reason: "repeated" };
    return refused(error);
  }
}

/** Saves the changed fields, with old and new values in the audit log. Existing orders keep their terms. */
export async function changeService(
  db: Db,
  actor: Actor,
  serviceId: number,
  terms: ServiceTerms,
): Promise<{ ok: true; changed: number } | { ok: false; reason: ServiceRefusal }> {
  const [before] = await db.select().from(services).where(eq(services.id, serviceId)).limit(1);
  if (!before) return { ok: false, reason: "not_found" };
  const changed = AUDITED_FIELDS.filter((name) => terms[name] !== undefined && before[name] !== terms[name]);
  if (changed.length === 0) return { ok: true, changed: 0 };
  const detail = Object.fromEntries(changed.map((name) => [name, [before[name], terms[name]]]));
  const change = Object.fromEntries(changed.map((name) => [name, terms[name]])) as Partial<ServiceTerms>;
  try {
    await db.batch([
      db.update(services).set(change).where(eq(services.id, serviceId)),
      audit(db, actor, { action: "service.change", subject: "service", subjectId: serviceId, detail }),
    ]);
    return { ok: true, changed: changed.length };
  } catch (error) {
    return refused(error);
  }
}

/** Puts services on sale or takes them off, and returns how many changed. */
export async function enableServices(db: Db, actor: Actor, serviceIds: number[], enabled: boolean): Promise<number> {
  const ids = JSON.stringify(serviceIds);
  const [changed] = await db.batch([
    db
      .update(services)
      .set({ enabled })
      .where(and(sql`${services.id} in (select value from json_each(${ids}))`, eq(services.enabled, !enabled)))
      .returning({ id: services.id }),
    audit(db, actor, {
      action: enabled ? "service.enable" : "service.disable",
      subject: "service",
      subjectId: serviceIds.length === 1 ? String(serviceIds[0]) : "several",
      detail: { services: serviceIds },
    }),
  ]);
  return changed.length;
}

/** Maps a violated constraint to its reason. Rethrows any other error. */
function refused(error: unknown): { ok: false; reason: ServiceRefusal } {
  if (violates(error, "services.provider_id")) return { ok: false, reason: "provider_service_taken" };
  if (error instanceof Error && /FOREIGN KEY/.test(String(error.cause ?? error))) {
    return { ok: false, reason: "unknown_provider" };
  }
  throw error;
}
