import { eq, sql } from "drizzle-orm";
import { type Actor, audit } from "#app/db/audit.server.ts";
import { type Db, violates } from "#app/db/db.server.ts";
import { catalogVersion, profiles, tiers, wallets } from "#app/db/schema.server.ts";

/** `version` is the catalog's when the customer's prices last became others, or 0: it tells whether a form is stale. */
export type AssignedTier = { tierId: number | null; name: string | null; version: number };

export type AssignRefusal = "not_found" | "unknown_tier" | "stale";

/** Returns a customer's tier, or null if there is no such person. */
export async function readAssignedTier(db: Db, userId: string): Promise<AssignedTier | null> {
  const [found] = await db
    .select({
      tierId: wallets.tierId,
      name: tiers.name,
      version: sql<number>`coalesce(${wallets.tierFrom}, 0)`,
    })
    .from(profiles)
    .leftJoin(wallets, eq(wallets.userId, profiles.userId))
    .leftJoin(tiers, eq(tiers.id, wallets.tierId))
    .where(eq(profiles.userId, userId))
    .limit(1);
  return found ?? null;
}

/**
 * Assigns a customer a tier, or none. Orders that are placed with the prices from before are refused and priced again.
 * `version` is the one that the form began from.
 */
export async function assignTier(
  db: Db,
  actor: Actor,
  userId: string,
  tierId: number | null,
  version: number,
): Promise<{ ok: true; changed: boolean } | { ok: false; reason: AssignRefusal }> {
  const [before, [tier]] = await Promise.all([
    readAssignedTier(db, userId),
    tierId === null ? [null] : db.select({ name: tiers.name }).from(tiers).where(eq(tiers.id, tierId)).limit(1),
  ]);
  if (!before) return { ok: false, reason: "not_found" };
  if (tier === undefined) return { ok: false, reason: "unknown_tier" };
  if (before.version !== version) return { ok: false, reason: "stale" };
  if (before.tierId === tierId) return { ok: true, changed: false };
  // A trigger raises the version with the assignment.
  const tierFrom = sql`(select ${catalogVersion.version} + 1 from ${catalogVersion})`;
  const wallet = sql`from ${wallets} where ${wallets.userId} = ${userId} and coalesce(${wallets.tierFrom}, 0) = ${version}`;
  try {
    await db.batch([
      db.insert(wallets).values({ userId }).onConflictDoNothing(),
      audit(db, actor, {
        action: "customer.tier",
        subject: "customer",
        // NULL, which the audit log refuses, if someone assigned or changed a tier meanwhile.
        subjectId: sql<string>`(select ${wallets.userId} ${wallet})`,
        detail: { tier: [before.name, tier?.name ?? null] },
      }),
      db.update(wallets).set({ tierId, tierFrom }).where(eq(wallets.userId, userId)),
    ]);
    return { ok: true, changed: true };
  } catch (error) {
    if (violates(error, "audit_log.subject_id")) return { ok: false, reason: "stale" };
    if (error instanceof Error && /FOREIGN KEY/.test(String(error.cause ?? error))) {
      return { ok: false, reason: "unknown_tier" };
    }
    throw error;
  }
}
