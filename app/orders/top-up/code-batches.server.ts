import { and, desc, eq, isNull, lt, sql } from "drizzle-orm";
import { sha256 } from "#app/crypto/sha256.server.ts";
import { type Actor, audit, isRepeat, listAudit } from "#app/db/audit.server.ts";
import type { Db } from "#app/db/db.server.ts";
import { redeemBatches, redeemCodes } from "#app/db/schema.server.ts";

/** Codes that top up a balance, as staff create and disable them. Customers redeem them in redeem-code.server.ts. */

export const MAX_CODES_PER_BATCH = 1000;
const AUDIT_SHOWN = 20;

/** Crockford's base 32, without letters that look like digits. 16 characters hold 80 random bits. */
const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const CHARACTERS = 16;
const GROUP = 4;
const PREFIX = "GL";

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

/**
 * Creates the codes and returns them in plain text, which is possible only here: the database keeps digests. Returns
 * null if the same form already created them.
 */
export async function createCodes(
  db: Db,
  actor: Actor,
  batch: NewBatch,
  onceKey: string,
): Promise<{ batchId: number; codes: string[] } | null> {
  if (batch.count < 1 || batch.count > MAX_CODES_PER_BATCH) throw new RangeError(`${batch.count} codes in one batch`);
  const codes = Array.from({ length: batch.count }, newCode);
  const rows = await Promise.all(codes.map(async (code) => ({ digest: codeDigest(code), ending: code.slice(-GROUP) })));
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

/** Lists batches newest first, below the id `before`. Returns one row more than `limit` if there is another page. */
export async function listBatches(db: Db, before: number | null, limit: number) {
  return db
    .select({
      id: redeemBatches.id,
      name: redeemBatches.name,
      amount: redeemBatches.amount,
      count: redeemBatches.count,
      maxUses: redeemBatches.maxUses,
      expiresAt: redeemBatches.expiresAt,
      disabledAt: redeemBatches.disabledAt,
      createdAt: redeemBatches.createdAt,
      // Spelled out, because drizzle omits table names in a select from one table.
      used: sql<number>`(select sum(redeem_batches.max_uses - c.uses_left) from redeem_codes c where c.batch_id = redeem_batches.id)`,
    })
    .from(redeemBatches)
    .where(before === null ? undefined : lt(redeemBatches.id, before))
    .orderBy(desc(redeemBatches.id))
    .limit(limit + 1);
}

export async function readBatch(db: Db, batchId: number) {
  const [batch] = await db.select().from(redeemBatches).where(eq(redeemBatches.id, batchId)).limit(1);
  if (!batch) return null;
  return { ...batch, history: await listAudit(db, { subject: "codes", subjectId: String(batchId) }, AUDIT_SHOWN) };
}

/** Lists a batch's codes, newest first, below the id `before`. Returns one row more than `limit` if there are more. */
export async function listCodes(db: Db, batchId: number, before: number | null, limit: number) {
  return db
    .select({
      id: redeemCodes.id,
      ending: redeemCodes.ending,
      usesLeft: redeemCodes.usesLeft,
      disabledAt: redeemCodes.disabledAt,
    })
    .from(redeemCodes)
    .where(and(eq(redeemCodes.batchId, batchId), before === null ? undefined : lt(redeemCodes.id, before)))
    .orderBy(desc(redeemCodes.id))
    .limit(limit + 1);
}

/** Disables a batch, or one code of it. Amounts already redeemed stay on their balances. */
export async function disableCodes(
  db: Db,
  actor: Actor,
  target: { batchId: number; codeId: number | null },
): Promise<void> {
  const { batchId, codeId } = target;
  const now = Date.now();
  const disable =
    codeId === null
      ? db
          .update(redeemBatches)
          .set({ disabledAt: now })
          .where(and(eq(redeemBatches.id, batchId), isNull(redeemBatches.disabledAt)))
      : db
          .update(redeemCodes)
          .set({ disabledAt: now })
          .where(and(eq(redeemCodes.id, codeId), eq(redeemCodes.batchId, batchId), isNull(redeemCodes.disabledAt)));
  await db.batch([
    disable,
    audit(db, actor, {
      action: "codes.disable",
      subject: "codes",
      subjectId: batchId,
      detail: codeId === null ? {} : { code: codeId },
    }),
  ]);
}

/** Returns the SHA-256 digest (hex) of a code, ignoring case and hyphens and reading O as 0 and I or L as 1. */
export function codeDigest(code: string): string {
  const normalized = code
    .toUpperCase()
    .replaceAll(/[^0-9A-Z]/g, "")
    .replace(new RegExp(`^${PREFIX}`), "")
    .replaceAll("O", "0")
    .replaceAll(/[IL]/g, "1");
  return sha256(`redeem:${normalized}`);
}

function newCode(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(CHARACTERS));
  // 256 is a multiple of 32, so every character is equally likely.
  const text = Array.from(bytes, (byte) => ALPHABET[byte % ALPHABET.length]).join("");
  return [PREFIX, ...(text.match(new RegExp(`.{${GROUP}}`, "g")) ?? [])].join("-");
}
