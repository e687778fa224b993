import { and, asc, desc, eq, gt, lt, lte, sql } from "drizzle-orm";
import type { Db } from "#app/db/db.server.ts";
import { catalogVersion, serviceChanges } from "#app/db/schema.server.ts";
import { DAY_MS } from "#app/time.ts";

export const CHANGES_KEPT_DAYS = 90;
export const CHANGES_KEPT = 50_000;
/** Changes that one answer goes through. Who has missed more reads the whole list. */
export const MAX_CHANGES_READ = 20_000;
const DELETED_PER_NIGHT = 25_000;

export type ServiceChange = typeof serviceChanges.$inferSelect;

/**
 * Returns the ids of the services that changed after one version and up to another, or null if that is not known anymore:
 * the changes are too old, or too many.
 */
export async function readChangedServices(db: Db, since: number, upTo: number): Promise<Set<number> | null> {
  const [[kept], changes] = await db.batch([
    db.select({ from: catalogVersion.historyFrom }).from(catalogVersion),
    db
      .select({ serviceId: serviceChanges.serviceId })
      .from(serviceChanges)
      .where(and(gt(serviceChanges.version, since), lte(serviceChanges.version, upTo)))
      .orderBy(asc(serviceChanges.version))
      .limit(MAX_CHANGES_READ + 1),
  ]);
  if (!kept || since < kept.from || since > upTo || changes.length > MAX_CHANGES_READ) return null;
  return new Set(changes.map(({ serviceId }) => serviceId));
}

/** Repeats the condition of the index literally. */
const isNews = sql`${serviceChanges.isNews} = 1`;

/** Returns changes that concern customers, newest first. `before` is the version of the last one of the page before. */
export async function listNews(
  db: Db,
  { before, limit }: { before: number | null; limit: number },
): Promise<{ changes: ServiceChange[]; next: number | null }> {
  const older = before === null ? undefined : lt(serviceChanges.version, before);
  const found = await db
    .select()
    .from(serviceChanges)
    .where(and(isNews, older))
    .orderBy(desc(serviceChanges.version))
    .limit(limit + 1);
  const changes = found.slice(0, limit);
  return { changes, next: found.length > limit ? (changes.at(-1)?.version ?? null) : null };
}

/** Returns changes that concern customers after a version, oldest first. */
export async function readNewsSince(db: Db, since: number, limit: number): Promise<ServiceChange[]> {
  return db
    .select()
    .from(serviceChanges)
    .where(and(isNews, gt(serviceChanges.version, since)))
    .orderBy(asc(serviceChanges.version))
    .limit(limit);
}

/** Selects the version of the newest change that concerns customers, or 0. */
export function newestNews() {
  return sql<number>`coalesce((select max(${serviceChanges.version}) from ${serviceChanges} where ${isNews}), 0)`;
}

/**
 * Deletes old changes, oldest first, and notes up to where. Reads one row on a night without old ones. A version is one
 * change at most, so the newest CHANGES_KEPT versions have no more changes than that.
 */
export async function deleteOldServiceChanges(db: Db, now = Date.now()): Promise<void> {
  const oldest = db.select().from(serviceChanges).orderBy(asc(serviceChanges.version)).limit(DELETED_PER_NIGHT);
  const [[newest], [first]] = await db.batch([
    db.select({ version: catalogVersion.version }).from(catalogVersion),
    db.select().from(serviceChanges).orderBy(asc(serviceChanges.version)).limit(1),
  ]);
  if (!newest || !first) return;
  const oldFrom = now - CHANGES_KEPT_DAYS * DAY_MS;
  const tooMany = newest.version - CHANGES_KEPT;
  if (first.createdAt >= oldFrom && first.version > tooMany) return;
  const isOld = sql`created_at < ${oldFrom} or version <= ${tooMany}`;
  const [last] = await db.all<{ version: number | null }>(
    sql`select max(version) as version from (${oldest}) where ${isOld}`,
  );
  const upTo = last?.version ?? 0;
  await db.batch([
    db
      .update(catalogVersion)
      .set({ historyFrom: sql`max(${catalogVersion.historyFrom}, cast(${upTo} as integer))` })
      .where(eq(catalogVersion.id, 1)),
    db.delete(serviceChanges).where(lte(serviceChanges.version, upTo)),
  ]);
}
