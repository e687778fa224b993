import {
  listServices,
  readServiceQuery,
  type ServiceRow,
} from "#app/console/catalog/services/table/service-list.server.ts";
import type { Db } from "#app/db/db.server.ts";
import type { ListCursor, ListPage } from "#app/http/lists/list-query.ts";
import { type CsvColumns, streamListCsv } from "#app/http/responses/stream-csv.ts";
import { rateFor } from "#app/orders/prices/tier-rate.ts";
import { readOwnRates } from "#app/orders/prices/tier-terms.server.ts";
import { marginOf, percentText } from "#app/orders/rules/margin.ts";
import { decimal } from "#app/orders/rules/money-text.ts";
import { readTier, type Tier } from "./tier-admin.server.ts";

/** A service at the rate of a tier, in micro-units, with the margin that is left after it, in basis points. */
export type TierServiceRow = Pick<
  ServiceRow,
  "id" | "name" | "category" | "provider" | "rate" | "providerRate" | "orders" | "enabled"
> & { tierRate: number; hasOwnRate: boolean; tierMargin: number | null };

type Query = Parameters<typeof listServices>[1];

/** Lists services at the rates of a tier, after the cursor. */
export async function listTierServices(
  db: Db,
  tier: Tier,
  query: Query,
  cursor: ListCursor | null,
  limit: number,
): Promise<ListPage<TierServiceRow>> {
  const { rows, next } = await listServices(db, query, cursor, limit);
  const ids = rows.map(({ id }) => id);
  const own = tier.kind === "fixed" ? await readOwnRates(db, tier.id, ids) : new Map<number, number>();
  return { rows: rows.map((row) => atTier(row, tier, own.get(row.id) ?? null)), next };
}

/** Streams them as CSV. `tier` in the parameters names the tier. */
export async function exportTierServices(db: Db, searchParams: URLSearchParams): Promise<ReadableStream<Uint8Array>> {
  const found = await readTier(db, Number(searchParams.get("tier")));
  if (!found) throw new Response(null, { status: 404 });
  const query = readServiceQuery(searchParams);
  return streamListCsv(COLUMNS, (after, limit) => listTierServices(db, found.tier, query, after, limit));
}

function atTier(row: ServiceRow, { kind, basisPoints }: Tier, own: number | null): TierServiceRow {
  const { id, name, category, provider, rate, providerRate, orders, enabled } = row;
  const tierRate = rateFor(rate, { basisPoints: kind === "percent" ? basisPoints : null, rate: own });
  const tierMargin = providerRate === null ? null : marginOf(tierRate, providerRate);
  const kept = { id, name, category, provider, rate, providerRate, orders, enabled };
  return { ...kept, tierRate, hasOwnRate: own !== null, tierMargin };
}

const COLUMNS: CsvColumns<TierServiceRow> = {
  service: ({ id }) => id,
  name: ({ name }) => name,
  category: ({ category }) => category,
  provider: ({ provider }) => provider ?? "",
  provider_rate: ({ providerRate }) => (providerRate === null ? "" : decimal(providerRate, 2)),
  rate: ({ rate }) => decimal(rate, 2),
  tier_rate: ({ tierRate }) => decimal(tierRate, 2),
  tier_margin: ({ tierMargin }) => (tierMargin === null ? "" : percentText(tierMargin)),
  orders_30_days: ({ orders }) => orders,
  on_sale: ({ enabled }) => (enabled ? "yes" : "no"),
};
