import { and, eq, isNull, sql } from "drizzle-orm";
import { sha256 } from "#app/crypto/sha256.server.ts";
import { type Actor, audit, isRepeat } from "#app/db/audit.server.ts";
import { type Db, violates } from "#app/db/db.server.ts";
import { keyset } from "#app/db/keyset.server.ts";
import { redeemBatches, redeemCodes } from "#app/db/schema.server.ts";
import { type ListCursor, listPage, readSort, type Sort } from "#app/http/lists/list-query.ts";
import { parseId } from "#app/http/requests/id-param.ts";
import { type CsvColumns, spreadsheetTime, streamListCsv } from "#app/http/responses/stream-csv.ts";
import { decimal } from "#app/orders/rules/money-text.ts";

/** Codes that top up a balance, as staff create and disable them. Customers redeem them in redeem-code.server.ts. */

export const MAX_CODES_PER_BATCH = 1000;

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

const SORTS = ["created"] as const;
/** Each batch has up to 1,000 codes, which are summed up. */
const BATCHES_PER_READ = 100;

type ByTime = { sort: Sort<"created"> };

export function readCodeQuery(searchParams: URLSearchParams) {
  return { sort: readSort(searchParams, SORTS, "-created"), sorts: SORTS };
}

/** Lists batches by their ids, which grow with the time, after the cursor. */
export async function listBatches(db: Db, { sort }: ByTime, cursor: ListCursor | null, limit: number) {
  const { after, order } = keyset({ value: redeemBatches.id, id: redeemBatches.id, ...sort }, cursor);
  const rows = await db
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
    .where(after)
    .orderBy(...order)
    .limit(limit + 1);
  return listPage(rows, limit, ({ id }) => ({ value: id, id }));
}

export type CodeBatch = Awaited<ReturnType<typeof listBatches>>["rows"][number];

const BATCH_CELLS: CsvColumns<CodeBatch> = {
  batch: ({ id }) => id,
  name: ({ name }) => name,
  created_at: ({ createdAt }) => spreadsheetTime(createdAt),
  amount: ({ amount }) => decimal(amount, 2),
  codes: ({ count }) => count,
  uses_per_code: ({ maxUses }) => maxUses,
  redeemed: ({ used }) => used,
  expires_at: ({ expiresAt }) => timeOrEmpty(expiresAt),
  disabled_at: ({ disabledAt }) => timeOrEmpty(disabledAt),
};

function timeOrEmpty(at: number | null): string {
  return at === null ? "" : spreadsheetTime(at);
}

export function exportBatches(db: Db, searchParams: URLSearchParams): ReadableStream<Uint8Array> {
  const query = readCodeQuery(searchParams);
  return streamListCsv(BATCH_CELLS, (after) => listBatches(db, query, after, BATCHES_PER_READ));
}

export async function readBatch(db: Db, batchId: number) {
  const [batch] = await db.select().from(redeemBatches).where(eq(redeemBatches.id, batchId)).limit(1);
  return batch ?? null;
}

/** Lists a batch's codes by their ids, after the cursor. */
export async function listCodes(db: Db, batchId: number, { sort }: ByTime, cursor: ListCursor | null, limit: number) {
  const { after, order } = keyset({ value: redeemCodes.id, id: redeemCodes.id, ...sort }, cursor);
  const rows = await db
    .select({
      id: redeemCodes.id,
      ending: redeemCodes.ending,
      usesLeft: redeemCodes.usesLeft,
      disabledAt: redeemCodes.disabledAt,
    })
    .from(redeemCodes)
    .where(and(eq(redeemCodes.batchId, batchId), after))
    .orderBy(...order)
    .limit(limit + 1);
  return listPage(rows, limit, ({ id }) => ({ value: id, id }));
}

export type BatchCode = Awaited<ReturnType<typeof listCodes>>["rows"][number];

const CODE_CELLS: CsvColumns<BatchCode> = {
  ends_in: ({ ending }) => ending,
  uses_left: ({ usesLeft }) => usesLeft,
  disabled_at: ({ disabledAt }) => timeOrEmpty(disabledAt),
};

/** Exports the codes of the batch that the URL names. Of a code, only its end is known. */
export function exportCodes(db: Db, searchParams: URLSearchParams): ReadableStream<Uint8Array> {
  const [query, batchId] = [readCodeQuery(searchParams), parseId(searchParams.get("batch")) ?? 0];
  return streamListCsv(CODE_CELLS, (after, limit) => listCodes(db, batchId, query, after, limit));
}

/** Disables a batch, or one code of it, if it isn't disabled. Amounts already redeemed stay on their balances. */
export async function disableCodes(
  db: Db,
  actor: Actor,
  target: { batchId: number; codeId: number | null },
): Promise<void> {
  const { batchId, codeId } = target;
  const now = Date.now();
  // NULL, which the audit log refuses, for what is disabled or doesn't exist.
  const enabled =
    codeId === null
      ? sql<string>`(select cast(id as text) from redeem_batches where id = ${batchId} and disabled_at is null)`
      : sql<string>`(select cast(batch_id as text) from redeem_codes where id = ${codeId} and batch_id = ${batchId} and disabled_at is null)`;
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
  const entry = audit(db, actor, {
    action: "codes.disable",
    subject: "codes",
    subjectId: enabled,
    detail: codeId === null ? {} : { code: codeId },
  });
  try {
    await db.batch([entry, disable]);
  } catch (error) {
    if (!violates(error, "audit_log.subject_id")) throw error;
  }
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
