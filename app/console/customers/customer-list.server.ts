import { and, asc, eq, gt, type SQL, sql } from "drizzle-orm";
import { listTierNames } from "#app/console/customers/tiers/tier-admin.server.ts";
import { cutText } from "#app/cut-text.ts";
import type { Db } from "#app/db/db.server.ts";
import { keyset, within } from "#app/db/keyset.server.ts";
import { checkouts, profiles, spendingDays, users, wallets } from "#app/db/schema.server.ts";
import { lookupEmail } from "#app/email-address.ts";
import { ANY_TIME, readDayRange, type TimeRange } from "#app/http/lists/day-range.ts";
import { ftsPhrase } from "#app/http/lists/full-text.ts";
import {
  cursorText,
  type ListCursor,
  type ListPage,
  listPage,
  readSort,
  type Sort,
} from "#app/http/lists/list-query.ts";
import { parseId } from "#app/http/requests/id-param.ts";
import { oneOf } from "#app/http/requests/query-params.ts";
import { type CsvColumns, spreadsheetTime, streamListCsv } from "#app/http/responses/stream-csv.ts";
import { decimal } from "#app/orders/rules/money-text.ts";
import { salesDayOf } from "#app/orders/sales/sales-period.ts";
import { CUSTOMER_VIEWS, type CustomerView } from "./customer-views.ts";

/** Customers as staff list and search them. A page reads as many rows, however many customers there are. */

const SORTS = ["email", "name", "created"] as const;
type SortKey = (typeof SORTS)[number];
const MAX_SEARCH_CHARACTERS = 200;
/** The search index has all runs of three characters of each name and email. */
const INDEXED_CHARACTERS = 3;
/** Sorts after every character that an email or a name can contain. */
const LAST_CHARACTER = "\u{10FFFF}";

/** Days whose spending the list shows, today included. */
const SPENDING_DAYS = 30;
/** Reversed payments that one page of those who owe looks through. */
const REVERSALS_READ = 300;

type CustomerQuery = {
  view: CustomerView;
  /** The only tier that is listed. */
  tierId: number | null;
  search: string;
  between: TimeRange;
  sort: Sort<SortKey>;
};

/**
 * Reads what the URL asks for. Only what an index can do together is offered: days go with the order by time, and what a
 * search finds, the team, those who owe and a tier's customers have an order of their own.
 */
export function readCustomerQuery(searchParams: URLSearchParams) {
  const view = oneOf(CUSTOMER_VIEWS, searchParams.get("view"));
  const search = cutText(searchParams.get("q")?.trim() ?? "", MAX_SEARCH_CHARACTERS);
  const tierId = search === "" && view === "all" ? parseId(searchParams.get("tier")) : null;
  const { between, ...days } = readDayRange(searchParams);
  if (search !== "" || view !== "all" || tierId !== null) {
    const none: readonly SortKey[] = [];
    const sort = { key: "email" as const, descending: false };
    const rest = { between: ANY_TIME, days: { ...days, from: "", to: "" }, sort, sorts: none };
    // A search goes through everybody.
    return { ...rest, search, tierId, view: search === "" ? view : ("all" as const) };
  }
  const hasDays = between.from !== null || between.before !== null;
  const sorts: readonly SortKey[] = hasDays ? ["created"] : SORTS;
  return { view, tierId, search, between, days, sort: readSort(searchParams, sorts, "-created"), sorts };
}

/** Lists customers after the cursor, with their tiers and what each spent in the last 30 days. Returns all tiers, too. */
export async function listCustomers(
  db: Db,
  query: CustomerQuery,
  cursor: ListCursor | null,
  limit: number,
): Promise<ListPage<ListedCustomer> & { tiers: TierName[] }> {
  const [{ rows, next }, tiers] = await Promise.all([readPage(db, query, cursor, limit), listTierNames(db)]);
  const spent = await readSpentOf(
    db,
    rows.map(({ userId }) => userId),
  );
  const names = new Map(tiers.map(({ id, name }) => [id, name]));
  const listed = rows.map(
    (row): ListedCustomer => ({
      ...row,
      tier: names.get(row.tierId ?? 0) ?? null,
      spent: spent.get(row.userId) ?? 0,
    }),
  );
  return { rows: listed, next, tiers };
}

async function readPage(db: Db, query: CustomerQuery, cursor: ListCursor | null, limit: number) {
  if (query.view === "owing") return listOwing(db, cursor, limit);
  const { rows, cursorOf } = await readRows(db, query, cursor, limit + 1);
  return listPage(rows, limit, cursorOf);
}

/** Returns what each of these spent in the last 30 days, in one read of at most 30 rows for each. */
async function readSpentOf(db: Db, userIds: string[]): Promise<Map<string, number>> {
  if (userIds.length === 0) return new Map();
  const first = salesDayOf(Date.now()) - SPENDING_DAYS;
  const rows = await db
    .select({ userId: spendingDays.userId, spent: sql<number>`sum(${spendingDays.spent})` })
    .from(spendingDays)
    .where(
      // One parameter, because D1 allows 100.
      and(
        sql`${spendingDays.userId} in (select value from json_each(${JSON.stringify(userIds)}))`,
        gt(spendingDays.day, first),
      ),
    )
    .groupBy(spendingDays.userId);
  return new Map(rows.map(({ userId, spent }) => [userId, spent]));
}

/**
 * Lists those who owe for reversed card payments, by their newest such payment. Debts have no index, but each comes from a
 * reversed payment, and those have one: a page looks through a bounded number of them, and `next` leads to the rest.
 */
async function listOwing(db: Db, cursor: ListCursor | null, limit: number): Promise<ListPage<CustomerRow>> {
  const { after, order } = keyset({ value: checkouts.createdAt, id: checkouts.id, descending: true }, cursor);
  const isRepeated = sql<number>`exists (select 1 from checkouts newer where newer.user_id = checkouts.user_id
    and newer.reversed > 0 and (newer.created_at, newer.id) > (checkouts.created_at, checkouts.id))`;
  const reversed = await db
    .select({
      id: checkouts.id,
      createdAt: checkouts.createdAt,
      userId: checkouts.userId,
      counts: sql<number>`coalesce(${wallets.owed}, 0) > 0 and not ${isRepeated}`,
    })
    .from(checkouts)
    .leftJoin(wallets, eq(wallets.userId, checkouts.userId))
    // A literal, so that SQLite can use the partial index.
    .where(and(gt(checkouts.reversed, sql.raw("0")), after))
    .orderBy(...order)
    .limit(Math.max(REVERSALS_READ, limit + 1));
  const { rows: owing, next } = listPage(
    reversed.filter(({ counts }) => counts === 1),
    limit,
    ({ createdAt, id }) => ({ value: createdAt, id }),
  );
  const last = reversed.length < REVERSALS_READ ? undefined : reversed.at(-1);
  const found = await db
    .select(COLUMNS)
    .from(profiles)
    .innerJoin(users, eq(users.id, profiles.userId))
    .leftJoin(wallets, eq(wallets.userId, profiles.userId))
    .where(
      sql`${profiles.userId} in (select value from json_each(${JSON.stringify(owing.map(({ userId }) => userId))}))`,
    );
  const byId = new Map(found.map((row) => [row.userId, row]));
  return {
    // Without deleted accounts, whose payments stay.
    rows: owing.flatMap(({ userId }) => byId.get(userId) ?? []),
    next: next ?? (last ? cursorText({ value: last.createdAt, id: last.id }) : null),
  };
}

const COLUMNS = {
  userId: profiles.userId,
  email: profiles.email,
  fullName: profiles.fullName,
  role: profiles.role,
  createdAt: users.createdAt,
  balance: sql<number>`coalesce(${wallets.balance}, 0)`,
  owed: sql<number>`coalesce(${wallets.owed}, 0)`,
  tierId: wallets.tierId,
  rowId: sql<number>`${profiles}.rowid`,
};

export type CustomerRow = {
  userId: string;
  email: string;
  fullName: string;
  role: "customer" | "agent" | "admin";
  createdAt: number;
  balance: number;
  owed: number;
  tierId: number | null;
  rowId: number;
};

/** `tier`: its name. `spent`: charges less refunds of the last 30 days. */
export type ListedCustomer = CustomerRow & { tier: string | null; spent: number };

type TierName = Awaited<ReturnType<typeof listTierNames>>[number];

type Rows = { rows: CustomerRow[]; cursorOf: (row: CustomerRow) => ListCursor };

async function readRows(db: Db, query: CustomerQuery, cursor: ListCursor | null, limit: number): Promise<Rows> {
  const { view, tierId, search, between, sort } = query;
  if (view === "team") return listTeam(db, cursor, limit);
  if (tierId !== null) return listTier(db, tierId, cursor, limit);
  if ([...search].length >= INDEXED_CHARACTERS) return findCustomersByPart(db, search, cursor, limit);
  if (sort.key === "created") {
    const { after, order } = keyset({ value: users.createdAt, id: users.id, ...sort }, cursor);
    // Cross joins, so that SQLite starts with the table whose index has the order.
    const rows = await db
      .select(COLUMNS)
      .from(users)
      .crossJoin(profiles)
      .leftJoin(wallets, eq(wallets.userId, profiles.userId))
      .where(and(eq(profiles.userId, users.id), within(users.createdAt, between), after))
      .orderBy(...order)
      .limit(limit);
    return { rows, cursorOf: ({ createdAt, userId }) => ({ value: createdAt, id: userId }) };
  }
  const byName = sort.key === "name" && search === "";
  const value = byName ? sql`${profiles.fullName} collate nocase` : profiles.email;
  const { after, order } = keyset({ value, id: profiles.email, descending: sort.descending }, cursor);
  const start = lookupEmail(search);
  const end = start + LAST_CHARACTER;
  const starts = search === "" ? undefined : sql`${profiles.email} >= ${start} and ${profiles.email} < ${end}`;
  const rows = await db
    .select(COLUMNS)
    .from(profiles)
    .crossJoin(users)
    .leftJoin(wallets, eq(wallets.userId, profiles.userId))
    .where(and(eq(users.id, profiles.userId), starts, after))
    .orderBy(...order)
    .limit(limit);
  return { rows, cursorOf: ({ fullName, email }) => ({ value: byName ? fullName : email, id: email }) };
}

/** Lists the customers of a tier in the order of their ids, which is that of the only index that has the tier. */
async function listTier(db: Db, tierId: number, cursor: ListCursor | null, limit: number): Promise<Rows> {
  const rows = await db
    .select(COLUMNS)
    .from(wallets)
    .crossJoin(profiles)
    .crossJoin(users)
    .where(
      and(
        eq(wallets.tierId, tierId),
        cursor === null ? undefined : gt(wallets.userId, String(cursor.id)),
        eq(profiles.userId, wallets.userId),
        eq(users.id, wallets.userId),
      ),
    )
    .orderBy(asc(wallets.userId))
    .limit(limit);
  return { rows, cursorOf: ({ userId }) => ({ value: userId, id: userId }) };
}

/** Agents and admins that are listed at most. */
const TEAM_SHOWN = 1000;

/** Lists agents and admins, by name. They are few, so each page sorts them: their index has no email to go on from. */
async function listTeam(db: Db, cursor: ListCursor | null, limit: number): Promise<Rows> {
  const value = sql`${profiles.fullName} collate nocase`;
  const { after, order } = keyset({ value, id: profiles.email, descending: false }, cursor);
  // Read apart and first: otherwise SQLite goes through everybody, in the order of the list.
  const team = sql`(select user_id as id from profiles where role <> 'customer'
    limit ${sql.raw(String(TEAM_SHOWN))}) as team`;
  const rows = await db
    .select(COLUMNS)
    .from(team)
    .crossJoin(profiles)
    .crossJoin(users)
    .leftJoin(wallets, eq(wallets.userId, profiles.userId))
    .where(and(sql`${profiles.userId} = team.id`, eq(users.id, profiles.userId), after))
    .orderBy(...order)
    .limit(limit);
  return { rows, cursorOf: ({ fullName, email }) => ({ value: fullName, id: email }) };
}

/**
 * Finds people whose email or name contains the text, or begins with it if it has one or two characters. For the palette: it
 * reads no more than a few rows for each that it returns.
 */
export async function findCustomers(db: Db, text: string, limit: number) {
  if ([...text].length >= INDEXED_CHARACTERS) {
    const { rows } = await findCustomersByPart(db, text, null, limit);
    return rows.map(({ userId, email, fullName }) => ({ userId, email, fullName }));
  }
  const person = { userId: profiles.userId, email: profiles.email, fullName: profiles.fullName };
  const name = sql`${profiles.fullName} collate nocase`;
  const end = text + LAST_CHARACTER;
  const [byEmail, byName] = await db.batch([
    db
      .select(person)
      .from(profiles)
      .where(and(sql`${profiles.email} >= ${text}`, sql`${profiles.email} < ${end}`))
      .orderBy(asc(profiles.email))
      .limit(limit),
    db
      .select(person)
      .from(profiles)
      .where(and(sql`${name} >= ${text}`, sql`${name} < ${end}`))
      .orderBy(name, asc(profiles.email))
      .limit(limit),
  ]);
  const known = new Set(byEmail.map(({ userId }) => userId));
  return [...byEmail, ...byName.filter(({ userId }) => !known.has(userId))].slice(0, limit);
}

/** Finds customers whose email or name contains the text, the newest profile first. */
async function findCustomersByPart(db: Db, text: string, cursor: ListCursor | null, limit: number): Promise<Rows> {
  const after: SQL = cursor === null ? sql`` : sql`and rowid < ${cursor.id}`;
  const found = sql`(select rowid as id from profiles_search where profiles_search match ${ftsPhrase(lookupEmail(text))} ${after}
    order by rowid desc limit ${limit}) as found`;
  const rows = await db
    .select(COLUMNS)
    .from(found)
    .crossJoin(profiles)
    .crossJoin(users)
    .leftJoin(wallets, eq(wallets.userId, profiles.userId))
    .where(and(sql`${profiles}.rowid = found.id`, eq(users.id, profiles.userId)))
    .orderBy(sql`found.id desc`);
  return { rows, cursorOf: ({ rowId }) => ({ value: rowId, id: rowId }) };
}

const CELLS: CsvColumns<ListedCustomer> = {
  customer: ({ userId }) => userId,
  email: ({ email }) => email,
  name: ({ fullName }) => fullName,
  role: ({ role }) => role,
  tier: ({ tier }) => tier ?? "",
  joined_at: ({ createdAt }) => spreadsheetTime(createdAt),
  balance: ({ balance }) => decimal(balance, 2),
  owed: ({ owed }) => decimal(owed, 2),
  spent_30_days: ({ spent }) => decimal(spent, 2),
};

export function exportCustomers(db: Db, searchParams: URLSearchParams): ReadableStream<Uint8Array> {
  const query = readCustomerQuery(searchParams);
  return streamListCsv(CELLS, (after, limit) => listCustomers(db, query, after, limit));
}
