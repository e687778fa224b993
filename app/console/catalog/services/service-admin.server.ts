import { asc, eq, sql } from "drizzle-orm";
import { type Actor, audit, changedSince, isRepeat, listAudit } from "#app/db/audit.server.ts";
import { type Db, violates } from "#app/db/db.server.ts";
import { isStale, nextVersion } from "#app/db/row-version.server.ts";
import { LINK_KINDS, ORDER_TYPES, providers, quarantine, services } from "#app/db/schema.server.ts";
import { sellsBelowCost } from "#app/orders/rules/margin.ts";
import { listCategories } from "./service-categories.server.ts";
import { HIGHEST_COST, IS_BLOCKED, WAITING_OFFER } from "./waiting-offer.server.ts";

/** The catalog as staff see and change it, including services that are off sale. Rates are micro-units. */

export type StaffService = typeof services.$inferSelect;
type LinkTerms = "linkKind" | "linkCheck";
/** Fields that only imports and decisions about them write. */
type ImportState = "providerRate" | "ruleRate" | "decidedRate" | "decidedCost" | "keptWhileGone";
/** Without what it takes and how that is checked, a service keeps what it has. */
export type ServiceTerms = Omit<StaffService, "id" | ImportState | "version" | LinkTerms> &
  Partial<Pick<StaffService, LinkTerms>>;
export type ServiceRefusal =
  | "not_found"
  | "provider_service_taken"
  | "unknown_provider"
  | "repeated"
  | "stale"
  /** It is off sale until somebody decides on its provider's change. */
  | "blocked"
  /** Nobody agreed to sell it below cost. */
  | "below_cost";
/** A refusal of a new service, which has no cost yet. */
type CreateRefusal = Exclude<ServiceRefusal, "stale" | "blocked" | "below_cost">;

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

export function listProviderNames(db: Db) {
  return db.select({ id: providers.id, name: providers.name }).from(providers).orderBy(asc(providers.name));
}

/** Returns the options of the form. */
export async function listServiceChoices(db: Db) {
  const [listed, listedProviders] = await Promise.all([
    listCategories(db),
    db.select({ id: providers.id, name: providers.name }).from(providers).orderBy(asc(providers.name)),
  ]);
  return {
    networks: [...new Set(listed.map(({ network }) => network))],
    categories: [...new Set(listed.map(({ category }) => category))].sort(),
    providers: listedProviders,
    types: ORDER_TYPES,
    linkKinds: LINK_KINDS,
  };
}

export async function readStaffService(db: Db, serviceId: number) {
  const [[service], history] = await Promise.all([
    db.select().from(services).where(eq(services.id, serviceId)).limit(1),
    listAudit(db, { subject: "service", subjectId: String(serviceId) }, AUDIT_SHOWN),
  ]);
  return service ? { service, history } : null;
}

/** Returns a service as it is, and who changed it since a form was read (ms). */
export async function readServiceChange(db: Db, serviceId: number, since: number) {
  const [service] = await db.select().from(services).where(eq(services.id, serviceId)).limit(1);
  if (!service) throw new Error("a changed service is gone");
  return { service, ...(await changedSince(db, "service", serviceId, since)) };
}

export async function createService(
  db: Db,
  actor: Actor,
  terms: ServiceTerms,
  onceKey: string,
): Promise<{ ok: true; serviceId: number } | { ok: false; reason: CreateRefusal }> {
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

/**
 * Saves those of the given fields that changed, with old and new values in the audit log. Existing orders keep their terms.
 * `version` is the one that the form began from. `agreed`: whether a person agreed to what then sells below cost.
 */
export async function changeService(
  db: Db,
  actor: Actor,
  serviceId: number,
  terms: Partial<ServiceTerms>,
  version: number,
  agreed: { toLoss: boolean },
): Promise<{ ok: true; changed: number } | { ok: false; reason: ServiceRefusal }> {
  const [read] = await db
    .select({ before: services, isBlocked: IS_BLOCKED, cost: HIGHEST_COST })
    .from(services)
    .leftJoin(quarantine, WAITING_OFFER)
    .where(eq(services.id, serviceId))
    .limit(1);
  if (!read) return { ok: false, reason: "not_found" };
  const { before, isBlocked, cost } = read;
  const changed = AUDITED_FIELDS.filter((name) => terms[name] !== undefined && before[name] !== terms[name]);
  if (changed.length === 0) return { ok: true, changed: 0 };
  // One that is stale has other reasons to be looked at again.
  if (before.version === version) {
    const after = { enabled: terms.enabled ?? before.enabled, rate: terms.rate ?? before.rate, providerRate: cost };
    if (isBlocked && after.enabled && !before.enabled) return { ok: false, reason: "blocked" };
    const isPriced = changed.some((name) => name === "rate" || name === "enabled");
    if (isPriced && sellsBelowCost(after) && !agreed.toLoss) return { ok: false, reason: "below_cost" };
  }
  const detail = Object.fromEntries(changed.map((name) => [name, [before[name], terms[name]]]));
  const changedTerms = Object.fromEntries(changed.map((name) => [name, terms[name]])) as Partial<ServiceTerms>;
  const change = { ...changedTerms, version: nextVersion(services.version, version) };
  try {
    await db.batch([
      db.update(services).set(change).where(eq(services.id, serviceId)),
      audit(db, actor, { action: "service.change", subject: "service", subjectId: serviceId, detail }),
    ]);
    return { ok: true, changed: changed.length };
  } catch (error) {
    if (isStale(error, "services")) return { ok: false, reason: "stale" };
    return refused(error);
  }
}

/** Maps a violated constraint to its reason. Rethrows any other error. */
function refused(error: unknown): { ok: false; reason: CreateRefusal } {
  if (violates(error, "services.provider_id")) return { ok: false, reason: "provider_service_taken" };
  if (error instanceof Error && /FOREIGN KEY/.test(String(error.cause ?? error))) {
    return { ok: false, reason: "unknown_provider" };
  }
  throw error;
}
