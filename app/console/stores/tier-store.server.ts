import { sql } from "drizzle-orm";
import { z } from "zod";
import { type Actor, audit, isRepeat } from "#app/db/audit.server.ts";
import { type Db, violates } from "#app/db/db.server.ts";
import { keyset } from "#app/db/keyset.server.ts";
import { MAX_TIERS, TIER_KINDS, tierRates, tiers, wallets } from "#app/db/schema.server.ts";
import { type ListCursor, listPage } from "#app/http/lists/list-query.ts";
import { CUSTOMERS_COUNTED_TO } from "#app/orders/prices/tier-customers.ts";
import { percentText } from "#app/orders/rules/margin.ts";
import { fieldSchemas } from "../resource/field-schemas.server.ts";
import type { ListQuery, Store } from "../resource/store.server.ts";
import TIERS, { TIER_FIELDS, type TierRow } from "../resources/tiers.tsx";

const tierInput = fieldSchemas(TIER_FIELDS, {
  kind: z.enum(TIER_KINDS),
  // Empty for one with its own rates.
  percent: z
    .string()
    .transform((text): string | undefined => text.trim() || "0")
    .pipe(fieldSchemas(TIER_FIELDS, {}).shape.percent),
});

const tierStore: Store<TierRow, z.output<typeof tierInput>> = {
  resource: TIERS,
  named: { table: tiers, name: tiers.name },
  input: tierInput,
  sorts: ["name"],
  sortedBy: "name",
  list,
  async save(db, by, _edited, { percent: basisPoints, ...terms }, once) {
    const created = await createTier(db, by, { ...terms, basisPoints }, once);
    return created.ok ? { ok: true, message: "Tier created.", to: `/admin/tiers/${created.tierId}` } : created;
  },
  actions: {},
  refusals: {
    name_taken: { field: "name", message: "Another tier has this name" },
    too_many: { message: `There are ${MAX_TIERS} tiers, which is the most. Delete one that nobody needs first.` },
    repeated: { message: "This form was already submitted. The tier is in the list." },
  },
};
export default tierStore;

/** Creates a tier without customers. */
export async function createTier(
  db: Db,
  actor: Actor,
  { name, kind, basisPoints }: Pick<typeof tiers.$inferSelect, "name" | "kind" | "basisPoints">,
  onceKey: string | null,
): Promise<{ ok: true; tierId: number } | { ok: false; reason: "name_taken" | "too_many" | "repeated" }> {
  const now = Date.now();
  const free = sql<number>`(select min(free.value) from json_each('[1,2,3,4,5,6,7,8,9,10]') as free where free.value not in (select slot from tiers))`;
  try {
    const [[created]] = await db.batch([
      // Without a free slot it is NULL, which the column refuses.
      db
        .insert(tiers)
        .values({
          slot: free,
          name,
          kind,
          basisPoints: kind === "percent" ? basisPoints : 0,
          createdAt: now,
          updatedAt: now,
        })
        .returning({ id: tiers.id }),
      audit(db, actor, {
        action: "tier.create",
        subject: "tier",
        subjectId: sql<string>`(select cast(${tiers.id} as text) from ${tiers} where ${tiers.name} = ${name})`,
        detail: { name, kind, ...(kind === "percent" && { percent: percentText(basisPoints) }) },
        onceKey,
      }),
    ]);
    if (!created) throw new Error("insert returned no tier");
    return { ok: true, tierId: created.id };
  } catch (error) {
    if (isRepeat(error)) return { ok: false, reason: "repeated" };
    if (violates(error, "tiers.name")) return { ok: false, reason: "name_taken" };
    if (violates(error, "tiers.slot")) return { ok: false, reason: "too_many" };
    throw error;
  }
}

async function list(db: Db, { sort: { descending } }: ListQuery, cursor: ListCursor | null, limit: number) {
  const { id, name, kind, basisPoints, updatedAt } = tiers;
  const { after, order } = keyset({ value: name, id, descending }, cursor);
  const rows = await db
    .select({
      ...{ id, name, kind, basisPoints, updatedAt },
      customers: sql<number>`(select count(*) from (select 1 from ${wallets} as "own"
        where "own"."tier_id" = ${tiers}."id" limit ${CUSTOMERS_COUNTED_TO}))`,
      rates: sql<number>`(select count(*) from ${tierRates} as "rates" where "rates"."tier_id" = ${tiers}."id")`,
    })
    .from(tiers)
    .where(after)
    .orderBy(...order)
    .limit(limit + 1);
  return listPage(rows, limit, (row) => ({ value: row.name, id: row.id }));
}
