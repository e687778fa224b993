import { getTableColumns, isNull, sql } from "drizzle-orm";
import { type Actor, audit, isRepeat } from "#app/db/audit.server.ts";
import { type Db, violates } from "#app/db/db.server.ts";
import { keyset } from "#app/db/keyset.server.ts";
import { percentCodes } from "#app/db/schema.server.ts";
import { type ListCursor, listPage } from "#app/http/lists/list-query.ts";
import { spreadsheetTime } from "#app/http/responses/stream-csv.ts";
import { listCategories } from "#app/orders/catalog/service-categories.server.ts";
import { normalizedCode, percentCodeDigest } from "#app/orders/prices/code-digest.server.ts";
import { percentText } from "#app/orders/rules/margin.ts";
import { decimal } from "#app/orders/rules/money-text.ts";
import { fieldSchemas } from "../resource/field-schemas.server.ts";
import type { FieldValues } from "../resource/fields.ts";
import type { ListQuery, SeenRow, Store, Stored } from "../resource/store.server.ts";
import { disableRow } from "../resource/versioned-rows.server.ts";
import PERCENT_CODES, { PERCENT_CODE_FIELDS, type PercentCodeRow } from "../resources/percent-codes.tsx";
import { CODE_GROUP, randomCode } from "./random-code.server.ts";

/**
 * Percent codes as staff create and disable them. Customers use them with an order, see percent-code-use.server.ts. What a
 * code does is never changed: who was told of it may rely on it until it is disabled.
 */

/** Of a random code: 60 bits. */
const CHARACTERS = 12;

/** Values of the form: amounts in micro-units, the percentage in basis points, days in ms. An empty code: a random one. */
export type NewPercentCode = FieldValues<typeof PERCENT_CODE_FIELDS>;

const { digest: _, createdBy: __, ...SHOWN } = getTableColumns(percentCodes);

const percentCodeStore: Store<PercentCodeRow, NewPercentCode> = {
  resource: PERCENT_CODES,
  named: { table: percentCodes, name: percentCodes.name },
  input: fieldSchemas(PERCENT_CODE_FIELDS, {}).refine(
    ({ starts, ends }) => ends === null || ends > Math.max(starts ?? 0, Date.now()),
    { path: ["ends"], error: "This day is in the past, or before the first" },
  ),
  sorts: ["created"],
  sortedBy: "-created",
  list,
  csv: {
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
  },
  async options(db) {
    const networks = (await listCategories(db)).map(({ network }) => network);
    return { network: Object.fromEntries(networks.map((name) => [name, name])) };
  },
  save: (db, by, _edited, input, once) => createPercentCode(db, by, input, once),
  actions: { disable },
  refusals: {
    taken: { field: "code", message: "This code already exists. Choose another one." },
    repeated: { message: "This form was already submitted. Its code was created and can't be shown again." },
  },
};
export default percentCodeStore;

/**
 * Creates a code and returns it in plain text, which is possible only here: the database keeps a digest. Refuses one that
 * exists, also if it is disabled: a customer must not be surprised by what an old code does.
 */
export async function createPercentCode(
  db: Db,
  actor: Actor,
  { code: written, percent: basisPoints, uses, starts, ends: endsAt, ...terms }: NewPercentCode,
  onceKey: string | null,
): Promise<Stored> {
  const code = written === "" ? randomCode(CHARACTERS) : normalizedCode(written);
  const ending = normalizedCode(code).slice(-CODE_GROUP);
  const digest = percentCodeDigest(code);
  const now = Date.now();
  const startsAt = starts ?? now;
  const { name, maxDiscount, perCustomer } = terms;
  const [minCharge, network] = [terms.minCharge ?? 0, terms.network || null];
  const row = { name, basisPoints, maxDiscount, minCharge, perCustomer, startsAt, endsAt, network, usesLeft: uses };
  try {
    await db.batch([
      db.insert(percentCodes).values({ ...row, digest, ending, createdBy: actor.userId, createdAt: now }),
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
    return { ok: true, created: { code, name } };
  } catch (error) {
    if (isRepeat(error)) return { ok: false, reason: "repeated" };
    if (violates(error, "percent_codes.digest")) return { ok: false, reason: "taken" };
    throw error;
  }
}

/** Disables a code, if it isn't disabled. Orders that used it keep their charge. */
async function disable(db: Db, actor: Actor, { id }: SeenRow): Promise<Stored> {
  const set = { disabledAt: Date.now() };
  await disableRow(db, actor, "percent_code", {
    table: percentCodes,
    id,
    isEnabled: isNull(percentCodes.disabledAt),
    set,
  });
  return { ok: true, message: "Code disabled." };
}

/** Lists codes by their ids, which grow with the time, after the cursor. */
async function list(db: Db, { sort }: ListQuery, cursor: ListCursor | null, limit: number) {
  const { after, order } = keyset({ value: percentCodes.id, id: percentCodes.id, ...sort }, cursor);
  const rows = await db
    .select(SHOWN)
    .from(percentCodes)
    .where(after)
    .orderBy(...order)
    .limit(limit + 1);
  return listPage(rows, limit, ({ id }) => ({ value: id, id }));
}
