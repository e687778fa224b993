import { and, asc, eq, sql } from "drizzle-orm";
import { type Actor, audit, changedSince } from "#app/db/audit.server.ts";
import { type Db, violates } from "#app/db/db.server.ts";
import { isStale, nextVersion } from "#app/db/row-version.server.ts";
import { catalogVersion, services, tierRates, tiers, wallets } from "#app/db/schema.server.ts";
import { CUSTOMERS_COUNTED_TO } from "#app/orders/prices/tier-customers.ts";
import { percentText } from "#app/orders/rules/margin.ts";
import { decimal } from "#app/orders/rules/money-text.ts";
import { type BelowCost, readBelowCost } from "./below-cost.server.ts";

/**
 * Tiers as staff see and change them. Each change writes the version of the catalog into the wallets of the tier's
 * customers: their programs have to read the whole list again, because services whose rate is another one now did not
 * change themselves.
 */

/** Rates that an audit entry names. */
const RATES_AUDITED = 100;

export type Tier = typeof tiers.$inferSelect;
/** A rate of the tier's own in micro-units, or null to remove it. */
export type OwnRate = { serviceId: number; rate: number | null };

type Refused<Reason> = { ok: false; reason: Reason };
export type ChangeRefusal = "not_found" | "name_taken" | "stale" | "unknown_service";
/** Nobody agreed to sell these services below cost. */
type Loss = { ok: false; reason: "below_cost"; losses: BelowCost };

/** Returns the names of all tiers, to choose one. */
export function listTierNames(db: Db) {
  return db.select({ id: tiers.id, name: tiers.name }).from(tiers).orderBy(asc(tiers.name));
}

export async function readTier(db: Db, tierId: number) {
  const [tier] = await db.select().from(tiers).where(eq(tiers.id, tierId)).limit(1);
  if (!tier) return null;
  const [counted] = await db.select({ customers: sql<number>`count(*)` }).from(
    db
      .select({ one: sql`1`.as("one") })
      .from(wallets)
      .where(eq(wallets.tierId, tierId))
      .limit(CUSTOMERS_COUNTED_TO)
      .as("own"),
  );
  return { tier, customers: counted?.customers ?? 0 };
}

/** Returns a tier as it is, and who changed it since a form was read (ms). */
export async function readTierChange(db: Db, tierId: number, since: number) {
  const [tier] = await db.select().from(tiers).where(eq(tiers.id, tierId)).limit(1);
  return tier ? { tier, ...(await changedSince(db, "tier", tierId, since)) } : null;
}

/** Changes a tier's name and, unless it is fixed, what it takes off. `version` is the one that the form began from. */
export async function changeTier(
  db: Db,
  actor: Actor,
  tierId: number,
  terms: Pick<Tier, "name" | "basisPoints">,
  version: number,
  agreed: { toLoss: boolean },
): Promise<{ ok: true; changed: boolean } | Refused<ChangeRefusal> | Loss> {
  const [before] = await db.select().from(tiers).where(eq(tiers.id, tierId)).limit(1);
  if (!before) return { ok: false, reason: "not_found" };
  const basisPoints = before.kind === "percent" ? terms.basisPoints : 0;
  if (before.name === terms.name && before.basisPoints === basisPoints) return { ok: true, changed: false };
  // One that is stale has other reasons to be looked at again.
  if (before.version === version && basisPoints > before.basisPoints && !agreed.toLoss) {
    const losses = await readBelowCost(db, { ...before, basisPoints });
    if (losses.count > 0) return { ok: false, reason: "below_cost", losses };
  }
  const detail = {
    ...(before.name !== terms.name && { name: [before.name, terms.name] }),
    ...(before.basisPoints !== basisPoints && { percent: [percentText(before.basisPoints), percentText(basisPoints)] }),
  };
  try {
    await db.batch([
      db
        .update(tiers)
        .set({ name: terms.name, basisPoints, version: nextVersion(tiers.version, version), updatedAt: Date.now() })
        .where(eq(tiers.id, tierId)),
      noteForCustomers(db, tierId),
      audit(db, actor, { action: "tier.change", subject: "tier", subjectId: tierId, detail }),
    ]);
    return { ok: true, changed: true };
  } catch (error) {
    if (isStale(error, "tiers")) return { ok: false, reason: "stale" };
    if (violates(error, "tiers.name")) return { ok: false, reason: "name_taken" };
    throw error;
  }
}

/** Sets or removes rates of a fixed tier's own, all or none. `version` is the one that the form began from. */
export async function changeOwnRates(
  db: Db,
  actor: Actor,
  tierId: number,
  rates: OwnRate[],
  version: number,
  agreed: { toLoss: boolean },
): Promise<{ ok: true; changed: number } | (Refused<ChangeRefusal> & { serviceId?: number }) | Loss> {
  const ids = sql`(select value from json_each(${JSON.stringify(rates.map(({ serviceId }) => serviceId))}))`;
  const [[tier], known] = await db.batch([
    db.select().from(tiers).where(eq(tiers.id, tierId)).limit(1),
    db
      .select({ id: services.id, rate: tierRates.rate })
      .from(services)
      .leftJoin(tierRates, and(eq(tierRates.serviceId, services.id), eq(tierRates.tierId, tierId)))
      .where(sql`${services.id} in ${ids}`),
  ]);
  if (tier?.kind !== "fixed") return { ok: false, reason: "not_found" };
  const before = new Map(known.map(({ id, rate }) => [id, rate]));
  const unknown = rates.find(({ serviceId }) => !before.has(serviceId));
  if (unknown) return { ok: false, reason: "unknown_service", serviceId: unknown.serviceId };
  const changed = rates.filter(({ serviceId, rate }) => before.get(serviceId) !== rate);
  if (changed.length === 0) return { ok: true, changed: 0 };
  const set = changed.filter((one): one is { serviceId: number; rate: number } => one.rate !== null);
  if (tier.version === version && !agreed.toLoss) {
    const losses = await readBelowCost(db, tier, set);
    if (losses.count > 0) return { ok: false, reason: "below_cost", losses };
  }
  const removed = JSON.stringify(changed.flatMap(({ serviceId, rate }) => (rate === null ? [serviceId] : [])));
  const text = (rate: number | null | undefined) => (rate === null || rate === undefined ? null : decimal(rate, 2));
  const named = changed.slice(0, RATES_AUDITED);
  const changes = named.map(({ serviceId, rate }) => [serviceId, [text(before.get(serviceId)), text(rate)]]);
  const detail = { count: changed.length, rates: Object.fromEntries(changes) };
  try {
    await db.batch([
      db
        .update(tiers)
        .set({ version: nextVersion(tiers.version, version), updatedAt: Date.now() })
        .where(eq(tiers.id, tierId)),
      db
        .delete(tierRates)
        .where(
          sql`${tierRates.tierId} = ${tierId} and ${tierRates.serviceId} in (select value from json_each(${removed}))`,
        ),
      // In the order of the table's columns. Without WHERE, ON would be read as that of a join.
      db
        .insert(tierRates)
        .select(
          sql`select cast(${tierId} as integer), value ->> 'serviceId', value ->> 'rate' from json_each(${JSON.stringify(set)}) where true`,
        )
        .onConflictDoUpdate({ target: [tierRates.tierId, tierRates.serviceId], set: { rate: sql`excluded.rate` } }),
      noteForCustomers(db, tierId),
      audit(db, actor, { action: "tier.rates", subject: "tier", subjectId: tierId, detail }),
    ]);
    return { ok: true, changed: changed.length };
  } catch (error) {
    if (isStale(error, "tiers")) return { ok: false, reason: "stale" };
    throw error;
  }
}

/** Deletes a tier, if it still has that version. Its customers pay the usual prices from then on; placed orders keep theirs. */
export async function deleteTier(
  db: Db,
  actor: Actor,
  tierId: number,
  version: number,
): Promise<{ ok: true } | Refused<"stale">> {
  const [tier] = await db.select({ name: tiers.name }).from(tiers).where(eq(tiers.id, tierId)).limit(1);
  if (!tier) return { ok: false, reason: "stale" };
  try {
    await db.batch([
      audit(db, actor, {
        action: "tier.delete",
        subject: "tier",
        // NULL, which the audit log refuses, if someone changed or deleted the tier meanwhile.
        subjectId: sql<string>`(select cast(${tiers.id} as text) from ${tiers} where ${tiers.id} = ${tierId} and ${tiers.version} = ${version})`,
        detail: { name: tier.name },
      }),
      db
        .update(wallets)
        .set({ tierId: null, tierFrom: sql`${nowVersion} + 1` })
        .where(eq(wallets.tierId, tierId)),
      db.delete(tiers).where(eq(tiers.id, tierId)),
    ]);
    return { ok: true };
  } catch (error) {
    if (violates(error, "audit_log.subject_id")) return { ok: false, reason: "stale" };
    throw error;
  }
}

const nowVersion = sql`(select ${catalogVersion.version} from ${catalogVersion})`;

/** Writes the version that the change before it made into the wallets of the tier's customers. */
function noteForCustomers(db: Db, tierId: number) {
  return db.update(wallets).set({ tierFrom: nowVersion }).where(eq(wallets.tierId, tierId));
}
