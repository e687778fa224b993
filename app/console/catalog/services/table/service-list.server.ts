import { and, eq, type SQL, sql } from "drizzle-orm";
import { IS_BLOCKED, OFFERED_RATE, WAITING_OFFER } from "#app/console/catalog/services/waiting-offer.server.ts";
import type { Db } from "#app/db/db.server.ts";
import { keyset } from "#app/db/keyset.server.ts";
import { providers, quarantine, services, serviceTimes } from "#app/db/schema.server.ts";
import { type ListCursor, type ListPage, listPage, readSort, type Sort } from "#app/http/lists/list-query.ts";
import { type CsvColumns, streamListCsv } from "#app/http/responses/stream-csv.ts";
import { marginOf, percentText, WHOLE } from "#app/orders/rules/margin.ts";
import { decimal } from "#app/orders/rules/money-text.ts";
import { matchesFilter, RECENT_ORDERS, readServiceFilter } from "./service-conditions.server.ts";
import { COUNTED_TO, SERVICE_SORTS, type ServiceFilter, type ServiceSort } from "./service-filter-names.ts";

type ServiceQuery = { filter: ServiceFilter; sort: Sort<ServiceSort> };

export type ServiceRow = Awaited<ReturnType<typeof selectRows>>[number] & {
  /** Basis points. */
  margin: number | null;
};

export function readServiceQuery(searchParams: URLSearchParams) {
  const sort = readSort(searchParams, SERVICE_SORTS, "id");
  return { filter: readServiceFilter(searchParams), sort, sorts: SERVICE_SORTS };
}

/**
 * Lists services after the cursor. The catalog is bounded, unlike orders and accounts, so most orders have no index: the
 * rows of the filter are read and sorted, and joined only for the page. An index would cost a written row for each changed
 * price, which is a thousand times what reading one costs.
 */
export async function listServices(
  db: Db,
  { filter, sort }: ServiceQuery,
  cursor: ListCursor | null,
  limit: number,
): Promise<ListPage<ServiceRow>> {
  const value = SORT_VALUES[sort.key](sort.descending);
  const { after, order } = keyset({ value, id: services.id, descending: sort.descending }, cursor);
  const page = db
    .select({ id: services.id, value: value.as("sort_value") })
    .from(services)
    .leftJoin(serviceTimes, eq(serviceTimes.serviceId, services.id))
    .leftJoin(providers, eq(providers.id, services.providerId))
    .where(and(matchesFilter(filter), after))
    .orderBy(...order)
    .limit(limit + 1)
    .as("page");
  const inOrder = keyset({ value: sql`page.sort_value`, id: sql`page.id`, descending: sort.descending }, null).order;
  const rows = await selectRows(db, sql<string | number>`page.sort_value`)
    .innerJoin(page, eq(page.id, services.id))
    .orderBy(...inOrder);
  return listPage(rows.map(withMargin), limit, ({ sortValue, id }) => ({ value: sortValue, id }));
}

/** Returns how many services match, up to COUNTED_TO + 1. */
export async function countServices(db: Db, filter: ServiceFilter): Promise<number> {
  const matching = db
    .select({ one: sql`1`.as("one") })
    .from(services)
    .leftJoin(serviceTimes, eq(serviceTimes.serviceId, services.id))
    .where(matchesFilter(filter))
    .limit(COUNTED_TO + 1)
    .as("matching");
  const [counted] = await db.select({ count: sql<number>`count(*)` }).from(matching);
  return counted?.count ?? 0;
}

/** Returns one row of the list, as it is now. */
export async function readServiceRow(db: Db, serviceId: number): Promise<ServiceRow | null> {
  const [row] = await selectRows(db, sql<string | number>`0`).where(eq(services.id, serviceId)).limit(1);
  return row ? withMargin(row) : null;
}

export function exportServices(db: Db, searchParams: URLSearchParams): ReadableStream<Uint8Array> {
  const query = readServiceQuery(searchParams);
  return streamListCsv(COLUMNS, (after, limit) => listServices(db, query, after, limit));
}

/** Values to sort by, which are never null: what is not known comes last in either direction. */
const SORT_VALUES: Record<ServiceSort, (descending: boolean) => SQL<string | number>> = {
  id: () => sql`${services.id}`,
  name: () => sql`${services.name}`,
  network: () => sql`${services.network}`,
  category: () => sql`${services.category}`,
  provider: (descending) => sql`coalesce(${providers.name}, ${sql.raw(descending ? "''" : "char(1114111)")})`,
  cost: (descending) => sql`coalesce(${services.providerRate}, ${last(descending)})`,
  rate: () => sql`${services.rate}`,
  // Basis points, as marginOf computes them, but for the rounding of those below 0.
  margin: (descending) =>
    sql`coalesce(cast((${services.rate} - ${services.providerRate}) * ${sql.raw(String(WHOLE))} / nullif(${services.rate}, 0) as integer), ${last(descending)})`,
  orders: () => RECENT_ORDERS,
  p50: (descending) => sql`coalesce(${serviceTimes.p50Ms}, ${last(descending)})`,
  enabled: () => sql`${services.enabled}`,
};

function last(descending: boolean): SQL {
  return sql.raw(String(descending ? -Number.MAX_SAFE_INTEGER : Number.MAX_SAFE_INTEGER));
}

function selectRows(db: Db, sortValue: SQL<string | number>) {
  return db
    .select({
      id: services.id,
      version: services.version,
      network: services.network,
      category: services.category,
      name: services.name,
      type: services.type,
      rate: services.rate,
      providerRate: services.providerRate,
      enabled: services.enabled,
      isBlocked: IS_BLOCKED,
      offeredRate: OFFERED_RATE,
      provider: sql<string | null>`${providers.name}`.as("provider"),
      providerId: services.providerId,
      orders: RECENT_ORDERS,
      p50Ms: serviceTimes.p50Ms,
      sortValue: sortValue.as("sort_value"),
    })
    .from(services)
    .leftJoin(providers, eq(providers.id, services.providerId))
    .leftJoin(serviceTimes, eq(serviceTimes.serviceId, services.id))
    .leftJoin(quarantine, WAITING_OFFER)
    .$dynamic();
}

function withMargin<Row extends { rate: number; providerRate: number | null }>(row: Row) {
  return { ...row, margin: row.providerRate === null ? null : marginOf(row.rate, row.providerRate) };
}

const COLUMNS: CsvColumns<ServiceRow> = {
  service: ({ id }) => id,
  name: ({ name }) => name,
  network: ({ network }) => network,
  category: ({ category }) => category,
  type: ({ type }) => type,
  provider: ({ provider }) => provider ?? "",
  provider_rate: ({ providerRate }) => (providerRate === null ? "" : decimal(providerRate, 2)),
  rate: ({ rate }) => decimal(rate, 2),
  margin: ({ margin }) => (margin === null ? "" : percentText(margin)),
  orders_30_days: ({ orders }) => orders,
  p50_seconds: ({ p50Ms }) => (p50Ms === null ? "" : Math.round(p50Ms / 1000)),
  on_sale: ({ enabled }) => (enabled ? "yes" : "no"),
};
