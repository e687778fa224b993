import { desc, eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { addRule, changeRule, readRule, removeRule } from "#app/console/catalog/imports/price-rules.server.ts";
import { auditLog, priceRules } from "#app/db/schema.server.ts";
import { ALL_CATEGORIES, type PriceRule } from "#app/orders/providers/price-rule.ts";
import { db } from "#tests/workerd/customer.ts";
import { sandboxProvider } from "#tests/workerd/sandbox-service.ts";
import { undoPriceRule } from "./undo-provider.server.ts";

const BY = { userId: "staff-1", name: "Grace Admin" };
const AGREED = { toLoss: false };

/** What may be done to a rule, from no rule at all. The last step is the one that is undone. */
const STEPS: Record<string, ("add" | "change" | "remove")[]> = {
  added: ["add"],
  changed: ["add", "change"],
  removed: ["add", "remove"],
};
const WAYS = Object.keys(STEPS).flatMap((done) =>
  [ALL_CATEGORIES, "Likes"].flatMap((category) => [false, true].map((isChanged) => ({ done, category, isChanged }))),
);

/** `isChanged`: somebody changes the provider's rules once more, before it is undone. */
test.for(WAYS)("undoes a rule that was $done by that rule alone: $category, $isChanged", async (way) => {
  const alone = await undone(way, "none");
  for (const others of ["earlier", "later"] as const) expect(await undone(way, others), others).toEqual(alone);
});

/** Returns the plan of undoing the way's last step, what running it answers, and the provider's rule after it. */
async function undone({ done, category, isChanged }: (typeof WAYS)[number], others: "none" | "earlier" | "later") {
  await db.delete(priceRules);
  const [first, second] = [await sandboxProvider(), await sandboxProvider()];
  const [providerId, otherId] = others === "earlier" ? [second, first] : [first, second];
  const rule: PriceRule = { category, margin: 3_500, roundTo: 10_000, minimum: 0 };
  const theirs: PriceRule = { category, margin: 7_000, roundTo: 50_000, minimum: 20_000 };
  const hasOthers = others !== "none";
  if (hasOthers) {
    await addRule(db, BY, otherId, theirs);
    await addRule(db, BY, providerId, { ...theirs, category: "Views" });
  }
  const take = async (step: "add" | "change" | "remove", given: PriceRule) => {
    const version = (await readRule(db, providerId, category))?.version ?? 0;
    if (step === "add") return addRule(db, BY, providerId, given);
    if (step === "change") return changeRule(db, BY, providerId, given, version);
    return removeRule(db, BY, providerId, { category, version });
  };
  for (const step of STEPS[done] ?? []) {
    const given = step === "change" ? { ...rule, margin: 4_000 } : rule;
    expect(await take(step, given)).toEqual({ ok: true });
  }
  const [entry] = await db.select().from(auditLog).orderBy(desc(auditLog.id)).limit(1);
  if (!entry) throw new Error("nothing is recorded");
  const changed = { ...rule, margin: 5_000 };
  if (isChanged) expect(await take(done === "removed" ? "add" : "change", changed)).toEqual({ ok: true });
  const { plan, run } = await undoPriceRule(db, entry);
  const result = await run({ ...BY, undoes: entry.id }, AGREED);
  const left = await readRule(db, providerId, category);
  // Another provider's rule stays as it is.
  const kept = await db.select().from(priceRules).where(eq(priceRules.providerId, otherId));
  expect(kept).toMatchObject(hasOthers ? [theirs] : []);
  return {
    // Versions are of the rows.
    plan: { ...plan, version: null },
    result,
    left: left && { ...left, providerId: null, version: null },
  };
}
