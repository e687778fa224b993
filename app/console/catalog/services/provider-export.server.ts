import type { Db } from "#app/db/db.server.ts";
import { type CsvColumns, spreadsheetTime, streamListCsv } from "#app/http/responses/stream-csv.ts";
import { percentText } from "#app/orders/rules/margin.ts";
import { listProviders, readProviderQuery } from "./provider-admin.server.ts";

type Provider = Awaited<ReturnType<typeof listProviders>>[number];

const COLUMNS: CsvColumns<Provider> = {
  provider: ({ id }) => id,
  name: ({ name }) => name,
  api_url: ({ apiUrl }) => apiUrl,
  sends_orders: ({ enabled }) => (enabled ? "yes" : "no"),
  failures_in_a_row: ({ failures }) => failures,
  services: ({ services }) => services,
  margin: ({ margin }) => (margin === null ? "" : percentText(margin)),
  to_decide: ({ waiting }) => waiting,
  unknown_words: ({ unread }) => unread,
  added_at: ({ createdAt }) => spreadsheetTime(createdAt),
};

/** Exports all providers, without their keys. */
export function exportProviders(db: Db, searchParams: URLSearchParams): ReadableStream<Uint8Array> {
  const query = readProviderQuery(searchParams);
  return streamListCsv(COLUMNS, async () => ({ rows: await listProviders(db, query), next: null }));
}
