import { getTableColumns, sql } from "drizzle-orm";
import { type Actor, audit, isRepeat } from "#app/db/audit.server.ts";
import type { Db } from "#app/db/db.server.ts";
import { keyset } from "#app/db/keyset.server.ts";
import { redeemBatches, redeemCodes } from "#app/db/schema.server.ts";
import { type ListCursor, listPage } from "#app/http/lists/list-query.ts";
import { spreadsheetTime } from "#app/http/responses/stream-csv.ts";
import { decimal } from "#app/orders/rules/money-text.ts";
import { CODE_PREFIX, codeDigest } from "#app/orders/top-up/redeem-code.server.ts";
import { fieldSchemas } from "../resource/field-schemas.server.ts";
import type { FieldValues } from "../resource/fields.ts";
import type { ListQuery, Store, Stored } from "../resource/store.server.ts";
import CODE_BATCHES, { CODE_BATCH_FIELDS, type CodeBatch, MAX_CODES_PER_BATCH } from "../resources/code-batches.tsx";
import { CODE_GROUP, randomCode } from "./random-code.server.ts";

/** Codes that top up a balance, as staff create them. Customers redeem them in redeem-code.server.ts. */

/** Of a code: 80 random bits. */
const CHARACTERS = 16;
/** Each batch has up to 1,000 codes, which are summed up. */
const BATCHES_PER_READ = 100;

export type NewBatch = {
  name: string;
  /** Micro-units credited per use. */
  amount: number;
  count: number;
  /** How many accounts can redeem one code. */
  maxUses: number;
  /** Milliseconds since 1970. */
  expiresAt: number | null;
};

const codeBatchStore: Store<CodeBatch, FieldValues<typeof CODE_BATCH_FIELDS>> = {
  resource: CODE_BATCHES,
  named: { table: redeemBatches, name: redeemBatches.name },
  input: fieldSchemas(CODE_BATCH_FIELDS, {}).refine(({ expires }) => expires === null || expires > Date.now(), {
    path: ["expires"],
    error: "This date is in the past",
  }),
  sorts: ["created"],
  sortedBy: "-created",
  list,
  csv: {
    batch: ({ id }) => id,
    name: ({ name }) => name,
    created_at: ({ createdAt }) => spreadsheetTime(createdAt),
    amount: ({ amount }) => decimal(amount, 2),
    codes: ({ count }) => count,
    uses_per_code: ({ maxUses }) => maxUses,
    redeemed: ({ used }) => used,
    expires_at: ({ expiresAt }) => (expiresAt === null ? "" : spreadsheetTime(expiresAt)),
    disabled_at: ({ disabledAt }) => (disabledAt === null ? "" : spreadsheetTime(disabledAt)),
  },
  async save(db, by, _edited, { expires: expiresAt, ...batch }, once): Promise<Stored> {
    const made = await createCodes(db, by, { ...batch, expiresAt }, once);
    if (!made) return { ok: false, reason: "repeated" };
    const { batchId, codes } = made;
    const created = { batch: String(batchId), name: batch.name, amount: String(batch.amount), codes: codes.join("\n") };
    return { ok: true, created };
  },
  actions: {},
  refusals: {
    repeated: { message: "This form was already submitted. Its codes were created and can't be shown again." },
  },
};
export default codeBatchStore;

/**
 * Creates the codes and returns them in plain text, which is possible only here: the database keeps digests. Returns
 * null if the same form already created them.
 */
export async function createCodes(
  db: Db,
  actor: Actor,
  batch: NewBatch,
  onceKey: string | null,
): Promise<{ batchId: number; codes: string[] } | null> {
  if (batch.count < 1 || batch.count > MAX_CODES_PER_BATCH) throw new RangeError(`${batch.count} codes in one batch`);
  const codes = Array.from({ length: batch.count }, () => `${CODE_PREFIX}-${randomCode(CHARACTERS)}`);
  const rows = await Promise.all(
    codes.map(async (code) => ({ digest: codeDigest(code), ending: code.slice(-CODE_GROUP) })),
  );
  const newBatchId = sql<string>`(select max(${redeemBatches.id}) from ${redeemBatches})`;
  try {
    const [[stored]] = await db.batch([
      db
        .insert(redeemBatches)
        .values({ ...batch, createdAt: Date.now() })
        .returning({ id: redeemBatches.id }),
      db.insert(redeemCodes).select(sql`
        select null, ${newBatchId}, value ->> 'digest', value ->> 'ending', ${batch.maxUses}, null
        from json_each(${JSON.stringify(rows)})`),
      audit(db, actor, {
        action: "codes.create",
        subject: "codes",
        subjectId: sql<string>`cast(${newBatchId} as text)`,
        detail: { ...batch },
        onceKey,
      }),
    ]);
    if (!stored) throw new Error("insert returned no batch");
    return { batchId: stored.id, codes };
  } catch (error) {
    if (isRepeat(error)) return null;
    throw error;
  }
}

/** Lists batches by their ids, which grow with the time, after the cursor. */
async function list(db: Db, { sort: { descending } }: ListQuery, cursor: ListCursor | null, limit: number) {
  const { after, order } = keyset({ value: redeemBatches.id, id: redeemBatches.id, descending }, cursor);
  const most = Math.min(limit, BATCHES_PER_READ);
  const rows = await db
    .select({
      ...getTableColumns(redeemBatches),
      // Spelled out, because drizzle omits table names in a select from one table.
      used: sql<number>`(select sum(redeem_batches.max_uses - c.uses_left) from redeem_codes c where c.batch_id = redeem_batches.id)`,
    })
    .from(redeemBatches)
    .where(after)
    .orderBy(...order)
    .limit(most + 1);
  return listPage(rows, most, ({ id }) => ({ value: id, id }));
}
