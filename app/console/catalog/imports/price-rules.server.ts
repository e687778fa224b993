import { and, eq, sql } from "drizzle-orm";
import { type Actor, audit } from "#app/db/audit.server.ts";
import { type Db, violates } from "#app/db/db.server.ts";
import { isStale, nextVersion } from "#app/db/row-version.server.ts";
import { auditLog, priceRules } from "#app/db/schema.server.ts";
import type { FieldTexts } from "#app/http/edits/edit-input.server.ts";
import type { PriceRule } from "#app/orders/providers/price-rule.ts";
import { MICRO } from "#app/product.ts";

type VersionedRule = typeof priceRules.$inferSelect;
export type RuleRefusal = "category_taken" | "changed_meanwhile";

/** Returns a rule as its form shows it. */
export function ruleTexts({ margin, roundTo, minimum }: PriceRule): FieldTexts {
  return { margin: String(margin / 100), roundTo: String(roundTo / MICRO), minimum: String(minimum / MICRO) };
}

/** Adds a provider's rule for a category. A rule alone changes no rate. */
export async function addRule(
  db: Db,
  actor: Actor,
  providerId: number,
  rule: PriceRule,
): Promise<{ ok: true } | { ok: false; reason: RuleRefusal }> {
  try {
    await db.batch([
      // No version of a rule that this category had before: a form of that one is stale.
      db
        .insert(priceRules)
        .values({ providerId, ...rule, version: sql`(select coalesce(max(${auditLog.id}), 0) + 1 from ${auditLog})` }),
      audit(db, actor, { action: "price_rule.add", subject: "provider", subjectId: providerId, detail: audited(rule) }),
    ]);
    return { ok: true };
  } catch (error) {
    if (violates(error, "price_rules.provider_id")) return { ok: false, reason: "category_taken" };
    throw error;
  }
}

export async function readRule(db: Db, providerId: number, category: string): Promise<VersionedRule | undefined> {
  const [rule] = await db
    .select()
    .from(priceRules)
    .where(and(eq(priceRules.providerId, providerId), eq(priceRules.category, category)));
  return rule;
}

/** Changes the rule of a category. `version` is the one that the form began from. */
export async function changeRule(
  db: Db,
  actor: Actor,
  providerId: number,
  rule: PriceRule,
  version: number,
): Promise<{ ok: true } | { ok: false; reason: RuleRefusal }> {
  const ofCategory = and(eq(priceRules.providerId, providerId), eq(priceRules.category, rule.category));
  const [before] = await db.select().from(priceRules).where(ofCategory);
  if (!before || before.version !== version) return { ok: false, reason: "changed_meanwhile" };
  const { margin, roundTo, minimum } = rule;
  const changes = {
    margin: [before.margin, margin],
    roundTo: [before.roundTo, roundTo],
    minimum: [before.minimum, minimum],
  };
  const changed = Object.entries(changes).filter(([, [from, to]]) => from !== to);
  try {
    await db.batch([
      db
        .update(priceRules)
        .set({ margin, roundTo, minimum, version: nextVersion(priceRules.version, version) })
        .where(ofCategory),
      audit(db, actor, {
        action: "price_rule.change",
        subject: "provider",
        subjectId: providerId,
        detail: { category: rule.category, ...Object.fromEntries(changed) },
      }),
    ]);
    return { ok: true };
  } catch (error) {
    if (isStale(error, "price_rules")) return { ok: false, reason: "changed_meanwhile" };
    throw error;
  }
}

/** Removes a rule, if it still has that version. Without the general one, the night doesn't read the catalog. */
export async function removeRule(
  db: Db,
  actor: Actor,
  providerId: number,
  { category, version }: { category: string; version: number },
): Promise<{ ok: true } | { ok: false; reason: "changed_meanwhile" }> {
  const ofCategory = and(eq(priceRules.providerId, providerId), eq(priceRules.category, category));
  const [before] = await db.select().from(priceRules).where(ofCategory);
  try {
    await db.batch([
      audit(db, actor, {
        action: "price_rule.remove",
        subject: "provider",
        // NULL, which the audit log refuses, if someone changed or removed the rule meanwhile.
        subjectId: sql<string>`(select cast(${priceRules.providerId} as text) from ${priceRules} where ${ofCategory} and ${priceRules.version} = ${version})`,
        detail: before ? audited(before) : { category },
      }),
      db.delete(priceRules).where(ofCategory),
    ]);
    return { ok: true };
  } catch (error) {
    if (violates(error, "audit_log.subject_id")) return { ok: false, reason: "changed_meanwhile" };
    throw error;
  }
}

function audited({ category, margin, roundTo, minimum }: PriceRule): Record<string, unknown> {
  return { category, margin, roundTo, minimum };
}
