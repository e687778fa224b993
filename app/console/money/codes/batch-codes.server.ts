import { and, eq, isNull, sql } from "drizzle-orm";
import { type Actor, audit } from "#app/db/audit.server.ts";
import { type Db, violates } from "#app/db/db.server.ts";
import { keyset } from "#app/db/keyset.server.ts";
import { redeemBatches, redeemCodes } from "#app/db/schema.server.ts";
import { type ListCursor, listPage, readSort, type Sort } from "#app/http/lists/list-query.ts";
import { parseId } from "#app/http/requests/id-param.ts";
import { type CsvColumns, spreadsheetTime, streamListCsv } from "#app/http/responses/stream-csv.ts";

/** The codes of one batch, as its page lists and disables them. */

const SORTS = ["created"] as const;

type ByTime = { sort: Sort<"created"> };

export function readCodeQuery(searchParams: URLSearchParams) {
  return { sort: readSort(searchParams, SORTS, "-created"), sorts: SORTS };
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
  disabled_at: ({ disabledAt }) => (disabledAt === null ? "" : spreadsheetTime(disabledAt)),
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
