import { and, eq, isNull, sql } from "drizzle-orm";
import { type Actor, audit, isRepeat } from "#app/db/audit.server.ts";
import { type Db, violates } from "#app/db/db.server.ts";
import { keyset } from "#app/db/keyset.server.ts";
import { percentCodes } from "#app/db/schema.server.ts";
import { type ListCursor, listPage, type Sort } from "#app/http/lists/list-query.ts";
import { type CsvColumns, spreadsheetTime, streamListCsv } from "#app/http/responses/stream-csv.ts";
import { normalizedCode, percentCodeDigest } from "#app/orders/prices/code-digest.server.ts";
import { percentText } from "#app/orders/rules/margin.ts";
import { decimal } from "#app/orders/rules/money-text.ts";
import { readCodeQuery } from "#app/orders/top-up/code-batches.server.ts";

/**
 * Percent codes as staff create and disable them. Customers use them with an order, see percent-code-use.server.ts. What a
 * code does is never changed: who was told of it may rely on it until it is disabled.
 */

/** Crockford's base 32, without letters that look like digits. 12 characters hold 60 random bits. */
const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const CHARACTERS = 12;
const GROUP = 4;
export const MIN_CODE_CHARACTERS = 6;

/** Amounts in micro-units, times in ms since 1970. `code` is what customers type; null: a random one. */
export type NewPercentCode = {
  code: string | null;
  name: string;
  basisPoints: number;
  maxDiscount: number | null;
  minCharge: number;
  uses: number;
  perCustomer: number;
  startsAt: number;
  endsAt: number | null;
  network: string | null;
};

/**
 * Creates a code and returns it in plain text, which is possible only here: the database keeps a digest. Refuses one that
 * exists, also if it is disabled: a customer must not be surprised by what an old code does.
 */
export async function createPercentCode(
  db: Db,
  actor: Actor,
  { code: written, uses, ...terms }: NewPercentCode,
  onceKey: string,
): Promise<{ ok: true; code: string } | { ok: false; reason: "taken" | "repeated" }> {
  const code = written === null ? randomCode() : normalizedCode(written);
  const ending = normalizedCode(code).slice(-GROUP);
  const digest = percentCodeDigest(code);
  const { name, basisPoints, maxDiscount, minCharge, perCustomer, startsAt, endsAt, network } = terms;
  try {
    await db.batch([
      db
        .insert(percentCodes)
        .values({ ...terms, digest, ending, usesLeft: uses, createdBy: actor.userId, createdAt: Date.now() }),
      audit(db, actor, {
        action: "percent_code.create",
        subject: "percent_code",
        subjectId: sql<string>`(select cast(${percentCodes.id} as text) from ${percentCodes} where ${percentCodes.digest} = ${digest})`,
        detail: {
          ...{ name, ending, percent: percentText(basisPoints), uses, perCustomer },
          ...(maxDiscount !== null && { maxDiscount: decimal(maxDiscount, 2) }),
          ...(minCharge > 0 && { minCharge: decimal(minCharge, 2) }),
          ...(network !== null && { network }),
          starts: new Date(startsAt).toISOString(),
          ...(endsAt !== null && { ends: new Date(endsAt).toISOString() }),
        },
        onceKey,
      }),
    ]);
    return { ok: true, code };
  } catch (error) {
    if (isRepeat(error)) return { ok: false, reason: "repeated" };
    if (violates(error, "percent_codes.digest")) return { ok: false, reason: "taken" };
    throw error;
  }
}

/** Disables a code, if it isn't disabled. Orders that used it keep their charge. */
export async function disablePercentCode(db: Db, actor: Actor, codeId: number): Promise<void> {
  const isEnabled = and(eq(percentCodes.id, codeId), isNull(percentCodes.disabledAt));
  try {
    await db.batch([
      audit(db, actor, {
        action: "percent_code.disable",
        subject: "percent_code",
        // NULL, which the audit log refuses, for what is disabled or doesn't exist.
        subjectId: sql<string>`(select cast(${percentCodes.id} as text) from ${percentCodes} where ${isEnabled})`,
      }),
      db.update(percentCodes).set({ disabledAt: Date.now() }).where(isEnabled),
    ]);
  } catch (error) {
    if (!violates(error, "audit_log.subject_id")) throw error;
  }
}

/** Lists codes by their ids, which grow with the time, after the cursor. */
export async function listPercentCodes(
  db: Db,
  { sort }: { sort: Sort<"created"> },
  cursor: ListCursor | null,
  limit: number,
) {
  const { after, order } = keyset({ value: percentCodes.id, id: percentCodes.id, ...sort }, cursor);
  const rows = await db
    .select({
      id: percentCodes.id,
      name: percentCodes.name,
      ending: percentCodes.ending,
      basisPoints: percentCodes.basisPoints,
      maxDiscount: percentCodes.maxDiscount,
      minCharge: percentCodes.minCharge,
      usesLeft: percentCodes.usesLeft,
      perCustomer: percentCodes.perCustomer,
      startsAt: percentCodes.startsAt,
      endsAt: percentCodes.endsAt,
      network: percentCodes.network,
      disabledAt: percentCodes.disabledAt,
      createdAt: percentCodes.createdAt,
    })
    .from(percentCodes)
    .where(after)
    .orderBy(...order)
    .limit(limit + 1);
  return listPage(rows, limit, ({ id }) => ({ value: id, id }));
}

export type PercentCodeRow = Awaited<ReturnType<typeof listPercentCodes>>["rows"][number];

export function exportPercentCodes(db: Db, searchParams: URLSearchParams): ReadableStream<Uint8Array> {
  const query = readCodeQuery(searchParams);
  return streamListCsv(COLUMNS, (after, limit) => listPercentCodes(db, query, after, limit));
}

const COLUMNS: CsvColumns<PercentCodeRow> = {
  code: ({ id }) => id,
  name: ({ name }) => name,
  ends_in: ({ ending }) => ending,
  percent: ({ basisPoints }) => percentText(basisPoints),
  max_discount: ({ maxDiscount }) => (maxDiscount === null ? "" : decimal(maxDiscount, 2)),
  min_charge: ({ minCharge }) => decimal(minCharge, 2),
  network: ({ network }) => network ?? "",
  uses_left: ({ usesLeft }) => usesLeft,
  per_customer: ({ perCustomer }) => perCustomer,
  starts_at: ({ startsAt }) => spreadsheetTime(startsAt),
  ends_at: ({ endsAt }) => (endsAt === null ? "" : spreadsheetTime(endsAt)),
  disabled_at: ({ disabledAt }) => (disabledAt === null ? "" : spreadsheetTime(disabledAt)),
  created_at: ({ createdAt }) => spreadsheetTime(createdAt),
};

function randomCode(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(CHARACTERS));
  // 256 is a multiple of 32, so every character is equally likely.
  const text = Array.from(bytes, (byte) => ALPHABET[byte % ALPHABET.length]).join("");
  return (text.match(new RegExp(`.{${GROUP}}`, "g")) ?? []).join("-");
}
