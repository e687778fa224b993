import { and, asc, eq, inArray, type SQL, sql } from "drizzle-orm";
import { readHoldReason } from "#app/console/orders/hold-reasons.ts";
import type { Db } from "#app/db/db.server.ts";
import { idsBetween } from "#app/db/ids-by-time.server.ts";
import { keyset, upTo } from "#app/db/keyset.server.ts";
import { orders, providers, services } from "#app/db/schema.server.ts";
import { readDayRange } from "#app/http/lists/day-range.ts";
import { type ListCursor, type ListPage, listPage, readSort, type Sort } from "#app/http/lists/list-query.ts";
import { sparsePage } from "#app/http/lists/sparse-page.ts";
import { parseWrittenId } from "#app/http/requests/id-param.ts";
import { type CsvColumns, spreadsheetTime, streamListCsv } from "#app/http/responses/stream-csv.ts";
import { decimal } from "#app/orders/rules/money-text.ts";
import { type FoundOrders, readSearch, searchOrders } from "./find-orders.server.ts";
import { type OrderFilter, type OrderSource, sourceOf } from "./order-source.server.ts";
import { ORDER_VIEWS, type OrderView } from "./order-views.server.ts";
import { listStaffOrders } from "./staff-order-list.server.ts";

const SORTS = ["created"] as const;
const TIMED = { table: orders, id: orders.id, createdAt: orders.createdAt };

type StaffOrderQuery = { source: OrderSource; within: SQL | undefined; sort: Sort<"created"> };
export type StaffOrderRow = Awaited<ReturnType<typeof listStaffOrders>>[number];

/**
 * Reads what the URL asks for. `orderId` is set if the search names one order; `query` is null if the search finds nothing,
 * whatever the filter is.
 */
export async function readStaffOrderQuery(db: Db, searchParams: URLSearchParams) {
  const { between, ...days } = readDayRange(searchParams);
  const search = readSearch(searchParams);
  const found = search === "" ? null : await searchOrders(db, search);
  const filter = readOrderFilter(searchParams, found);
  const sort = readSort(searchParams, SORTS, "-created");
  const isMissing = search !== "" && found === null;
  const within = isMissing ? undefined : await idsBetween(db, TIMED, between);
  return {
    shown: { filter, search, found: found && shownFinding(found), days, sort, sorts: SORTS },
    orderId: found?.only ?? null,
    query: isMissing ? null : { source: sourceOf(filter, found, Date.now()), within, sort },
  };
}

function shownFinding({ ids, linkKey, reference, customers, hasMoreCustomers }: FoundOrders) {
  return {
    byId: ids.length > 0,
    byLink: linkKey !== null,
    byReference: reference !== null,
    customers: customers.map(({ email }) => email),
    hasMoreCustomers,
  };
}

export function readOrderFilter(searchParams: URLSearchParams, found: FoundOrders | null): OrderFilter {
  const provider = searchParams.get("provider");
  const source = searchParams.get("source");
  const rest: Omit<OrderFilter, "view"> = {
    service: parseWrittenId(searchParams.get("service") ?? ""),
    provider: provider === "none" ? provider : parseWrittenId(provider ?? ""),
    source: source === "web" || source === "api" ? source : null,
    heldFor: readHoldReason(searchParams.get("held")),
    late: searchParams.get("late") === "1",
    still: searchParams.get("still") === "1",
  };
  const view = ORDER_VIEWS.find((known) => known === searchParams.get("state"));
  return { view: view ?? defaultView(rest, found), ...rest };
}

/** The list starts with what waits for a person. What was searched or filtered for can be anywhere. */
function defaultView(rest: Omit<OrderFilter, "view">, found: FoundOrders | null): OrderView {
  if (rest.heldFor !== null) return "held";
  if (rest.late || rest.still) return "open";
  const isNarrowed = found !== null || rest.service !== null || rest.provider !== null || rest.source !== null;
  return isNarrowed ? "all" : "held";
}

/**
 * Lists orders by their ids, which grow with the time. If no index holds the filter, the page ends after a fixed number of
 * orders that were looked through, and `next` leads on from there.
 */
export async function listStaffOrderPage(
  db: Db,
  { source, within, sort }: StaffOrderQuery,
  cursor: ListCursor | null,
  limit: number,
): Promise<ListPage<StaffOrderRow>> {
  const by = { value: orders.id, id: orders.id, ...sort };
  const { branches, rest } = source;
  const [first = sql`id`] = keyset(by, null).order;
  /** Selects the first `most` ids of all branches after a row, up to that of the id `end`. */
  const idsOf = (after: ListCursor | null, end: number | null, most: number | null) => {
    const limited = most === null ? sql`` : sql`limit ${most}`;
    const parts = branches.map((branch) => {
      const where = and(branch, within, keyset(by, after).after, upTo(by, end));
      return sql`select * from (select ${orders.id} from ${orders} where ${where} order by ${first} ${limited})`;
    });
    return sql.join(parts, sql` union all `);
  };
  /** An order can be in several branches: found by its link and by its customer. */
  const distinct = sql.raw(branches.length > 1 ? "distinct" : "");
  const direction = sql.raw(sort.descending ? "desc" : "asc");
  const rows = async (ids: SQL, most: number) => {
    const where = inArray(orders.id, sql`(${ids} order by id ${direction} limit ${most})`);
    return listStaffOrders(db, { view: "all", where, order: [first] }, most - 1);
  };
  if (rest === undefined) {
    const page = await rows(sql`select ${distinct} id from (${idsOf(cursor, null, limit + 1)})`, limit + 1);
    return listPage(page, limit, ({ id }) => ({ value: id, id }));
  }
  return sparsePage(cursor, limit, {
    async windowEnd(after, most) {
      // Each branch is read that far.
      const size = branches.length > 1 ? most / 2 : most;
      const [last] = await db.all<{ id: number }>(
        sql`select id from (${idsOf(after, null, size)}) order by id ${direction} limit 1 offset ${size - 1}`,
      );
      return last?.id ?? null;
    },
    // A cross join, so that SQLite takes no other index than that of the branches.
    rows: (after, end, most) =>
      rows(
        sql`select ${distinct} id from (select looked.id as id from (${idsOf(after, end, null)}) looked cross join ${orders}
          where ${orders.id} = looked.id and ${rest})`,
        most,
      ),
  });
}

/** Returns what the filter's fields offer: the providers, and the name of the chosen service. */
export async function readFilterChoices(db: Db, { service }: OrderFilter) {
  const [known, [chosen]] = await db.batch([
    db.select({ id: providers.id, name: providers.name }).from(providers).orderBy(asc(providers.name)),
    db
      .select({ name: services.name })
      .from(services)
      .where(eq(services.id, service ?? 0))
      .limit(1),
  ]);
  return { providers: known, serviceName: chosen?.name ?? null };
}

const COLUMNS: CsvColumns<StaffOrderRow> = {
  order: ({ id }) => id,
  placed_at: ({ createdAt }) => spreadsheetTime(createdAt),
  status: ({ status }) => status,
  fulfillment: ({ fulfillment }) => fulfillment,
  held_for: ({ heldFor }) => heldFor ?? "",
  customer: ({ email }) => email ?? "",
  service: ({ service }) => service,
  provider: ({ provider }) => provider ?? "",
  link: ({ link }) => link,
  quantity: ({ quantity }) => quantity,
  runs: ({ runs }) => runs,
  remains: ({ remains }) => remains,
  charge: ({ charge }) => decimal(charge, 2),
  refunded: ({ refunded }) => decimal(refunded, 2),
  cost: ({ cost }) => (cost === null ? "" : decimal(cost, 2)),
  margin: ({ charge, refunded, cost }) => (cost === null ? "" : decimal(charge - refunded - cost, 2)),
};

/** Exports what is filtered, with costs: for admins only. */
export async function exportStaffOrders(db: Db, searchParams: URLSearchParams): Promise<ReadableStream<Uint8Array>> {
  const { query } = await readStaffOrderQuery(db, searchParams);
  return streamListCsv(COLUMNS, async (after, limit) =>
    query === null ? { rows: [], next: null } : listStaffOrderPage(db, query, after, limit),
  );
}
