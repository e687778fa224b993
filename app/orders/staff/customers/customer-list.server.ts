import { and, eq, type SQL, sql } from "drizzle-orm";
import type { Db } from "#app/db/db.server.ts";
import { keyset, within } from "#app/db/keyset.server.ts";
import { profiles, users, wallets } from "#app/db/schema.server.ts";
import { readDayRange, type TimeRange } from "#app/http/lists/day-range.ts";
import { type ListCursor, type ListPage, listPage, readSort, type Sort } from "#app/http/lists/list-query.ts";
import { type CsvColumns, spreadsheetTime, streamListCsv } from "#app/http/responses/stream-csv.ts";
import { decimal } from "#app/orders/rules/money-text.ts";

/** Customers as staff list and search them. A page reads as many rows, however many customers there are. */

const SORTS = ["email", "name", "created"] as const;
type SortKey = (typeof SORTS)[number];
const MAX_SEARCH_CHARACTERS = 200;
/** The search index has all runs of three characters of each name and email. */
const INDEXED_CHARACTERS = 3;
/** Sorts after every character that an email can contain. */
const LAST_CHARACTER = "\u{10FFFF}";

type CustomerQuery = { search: string; between: TimeRange; sort: Sort<SortKey> };

/**
 * Reads what the URL asks for. Only what an index can do together is offered: days go with the order by time, and what a
 * search finds has an order of its own.
 */
export function readCustomerQuery(searchParams: URLSearchParams) {
  const search = searchParams.get("q")?.trim().slice(0, MAX_SEARCH_CHARACTERS) ?? "";
  const { between, ...days } = readDayRange(searchParams);
  if (search !== "") {
    const none: readonly SortKey[] = [];
    const sort = { key: "email" as const, descending: false };
    return { search, between: { from: null, before: null }, days: { ...days, from: "", to: "" }, sort, sorts: none };
  }
  const hasDays = between.from !== null || between.before !== null;
  const sorts: readonly SortKey[] = hasDays ? ["created"] : SORTS;
  return { search, between, days, sort: readSort(searchParams, sorts, "-created"), sorts };
}

/** Lists customers after the cursor. */
export async function listCustomers(
  db: Db,
  query: CustomerQuery,
  cursor: ListCursor | null,
  limit: number,
): Promise<ListPage<CustomerRow>> {
  const { rows, cursorOf } = await readRows(db, query, cursor, limit + 1);
  return listPage(rows, limit, cursorOf);
}

const COLUMNS = {
  userId: profiles.userId,
  email: profiles.email,
  fullName: profiles.fullName,
  role: profiles.role,
  createdAt: users.createdAt,
  balance: sql<number>`coalesce(${wallets.balance}, 0)`,
  rowId: sql<number>`${profiles}.rowid`,
};

export type CustomerRow = {
  userId: string;
  email: string;
  fullName: string;
  role: "customer" | "agent" | "admin";
  createdAt: number;
  balance: number;
  rowId: number;
};

type Rows = { rows: CustomerRow[]; cursorOf: (row: CustomerRow) => ListCursor };

async function readRows(db: Db, query: CustomerQuery, cursor: ListCursor | null, limit: number): Promise<Rows> {
  const { search, between, sort } = query;
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
  const end = search + LAST_CHARACTER;
  const starts = search === "" ? undefined : sql`${profiles.email} >= ${search} and ${profiles.email} < ${end}`;
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

/** Finds customers whose email or name contains the text, the newest profile first. */
async function findCustomersByPart(db: Db, text: string, cursor: ListCursor | null, limit: number): Promise<Rows> {
  const phrase = `"${text.replaceAll('"', '""')}"`;
  const after: SQL = cursor === null ? sql`` : sql`and rowid < ${cursor.id}`;
  const found = sql`(select rowid as id from profiles_search where profiles_search match ${phrase} ${after}
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

const CELLS: CsvColumns<CustomerRow> = {
  customer: ({ userId }) => userId,
  email: ({ email }) => email,
  name: ({ fullName }) => fullName,
  role: ({ role }) => role,
  joined_at: ({ createdAt }) => spreadsheetTime(createdAt),
  balance: ({ balance }) => decimal(balance, 2),
};

export function exportCustomers(db: Db, searchParams: URLSearchParams): ReadableStream<Uint8Array> {
  const query = readCustomerQuery(searchParams);
  return streamListCsv(CELLS, (after, limit) => listCustomers(db, query, after, limit));
}
