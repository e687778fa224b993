import { asc, eq, sql } from "drizzle-orm";
import { type Actor, changedSince, isRepeat } from "#app/db/audit.server.ts";
import type { Db } from "#app/db/db.server.ts";
import { LINK_KINDS, ORDER_TYPES, providers, quarantine, services } from "#app/db/schema.server.ts";
import { listCategories } from "#app/orders/catalog/service-categories.server.ts";
import { changeServices } from "#app/orders/services/change-services.server.ts";
import { fieldsIn } from "#app/orders/services/service-change.ts";
import type { Agreed, Refusal } from "#app/orders/services/service-guard.ts";
import { SERVICE_WORDS } from "#app/words/service-words.ts";
import { HIGHEST_COST, IS_BLOCKED, WAITING_OFFER } from "./waiting-offer.server.ts";

/** The catalog as staff see and change it, including services that are off sale. Rates are micro-units. */

export type StaffService = typeof services.$inferSelect;
type LinkTerms = "linkKind" | "linkCheck";
/** Fields that only imports and decisions about them write. */
type ImportState = "providerRate" | "ruleRate" | "decidedRate" | "decidedCost" | "keptWhileGone";
/** Without what it takes and how that is checked, a service keeps what it has. */
export type ServiceTerms = Omit<StaffService, "id" | ImportState | "version" | LinkTerms> &
  Partial<Pick<StaffService, LinkTerms>>;

/** The fields that a change may name. */
const FIELDS = Object.keys(SERVICE_WORDS) as (keyof typeof SERVICE_WORDS)[];

export function listProviderNames(db: Db) {
  return db.select({ id: providers.id, name: providers.name }).from(providers).orderBy(asc(providers.name));
}

/** Returns the options of the form. */
export async function listServiceChoices(db: Db) {
  const [listed, listedProviders] = await Promise.all([listCategories(db), listProviderNames(db)]);
  return {
    networks: [...new Set(listed.map(({ network }) => network))],
    categories: [...new Set(listed.map(({ category }) => category))].sort(),
    providers: listedProviders,
    types: ORDER_TYPES,
    linkKinds: LINK_KINDS,
  };
}

export async function readStaffService(db: Db, serviceId: number): Promise<StaffService | null> {
  const [service] = await db.select().from(services).where(eq(services.id, serviceId)).limit(1);
  return service ?? null;
}

/** Returns a service as it is, and who changed it since a form was read (ms). */
export async function readServiceChange(db: Db, serviceId: number, since: number) {
  const [service] = await db.select().from(services).where(eq(services.id, serviceId)).limit(1);
  if (!service) throw new Error("a changed service is gone");
  return { service, ...(await changedSince(db, "service", serviceId, since)) };
}

/** Returns a service as the guard judges it: with its highest cost, and whether its provider's change waits. */
export async function readJudgedService(db: Db, serviceId: number) {
  const [read] = await db
    .select({ service: services, isBlocked: IS_BLOCKED, providerRate: HIGHEST_COST })
    .from(services)
    .leftJoin(quarantine, WAITING_OFFER)
    .where(eq(services.id, serviceId))
    .limit(1);
  return read && { ...read.service, isBlocked: read.isBlocked, providerRate: read.providerRate };
}

export async function createService(
  db: Db,
  actor: Actor,
  terms: ServiceTerms,
  onceKey: string,
): Promise<{ ok: true; serviceId: number } | { ok: false; reason: Refusal | "repeated" }> {
  const entry = {
    action: "service.create",
    subject: "service",
    subjectId: sql<string>`(select cast(max(id) as text) from services)`,
    detail: terms,
    onceKey,
  } as const;
  try {
    const saved = await changeServices(db, actor, [{ changes: [{ before: null, set: terms }], entry }], {});
    return saved.ok ? { ok: true, serviceId: Number(saved.entries[0]?.subjectId) } : saved;
  } catch (error) {
    if (isRepeat(error)) return { ok: false, reason: "repeated" };
    throw error;
  }
}

/**
 * Saves those of the given fields that changed, with old and new values in the audit log. Existing orders keep their terms.
 * `version` is the one that the form began from.
 */
export async function changeService(
  db: Db,
  actor: Actor,
  serviceId: number,
  terms: Partial<ServiceTerms>,
  version: number,
  agreed: Agreed,
): Promise<{ ok: true; changed: number } | { ok: false; reason: Refusal }> {
  const before = await readJudgedService(db, serviceId);
  if (!before) return { ok: false, reason: "not_found" };
  const changed = FIELDS.filter((name) => terms[name] !== undefined && before[name] !== terms[name]);
  if (changed.length === 0) return { ok: true, changed: 0 };
  if (before.version !== version) return { ok: false, reason: "stale" };
  const change = {
    before,
    set: Object.fromEntries(changed.map((name) => [name, terms[name]])) as Partial<ServiceTerms>,
  };
  const entry = {
    action: "service.change",
    subject: "service",
    subjectId: serviceId,
    detail: fieldsIn(change),
  } as const;
  const saved = await changeServices(db, actor, [{ changes: [change], entry }], agreed);
  return saved.ok ? { ok: true, changed: changed.length } : saved;
}
