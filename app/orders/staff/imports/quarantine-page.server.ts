import { sha256 } from "#app/crypto/sha256.server.ts";
import type { Db } from "#app/db/db.server.ts";
import { QUARANTINE_REASONS, type QuarantineReason } from "#app/db/schema.server.ts";
import { type ListCursor, listPage } from "#app/http/lists/list-query.ts";
import { parseId } from "#app/http/requests/id-param.ts";
import { type CsvColumns, spreadsheetTime, streamListCsv } from "#app/http/responses/stream-csv.ts";
import { decimal } from "#app/orders/rules/money-text.ts";
import { listWaiting, type WaitingRow } from "./quarantine-decisions.server.ts";

/**
 * The waiting changes as their page shows and exports them. What waits is bounded by the catalog and is read as a whole, the
 * worst first; a browser gets a page of it.
 */

const SEARCH_MAX_CHARS = 100;

export type QuarantineQuery = { providerId: number | null; reason: QuarantineReason | null; search: string };

export function readQuarantineQuery(searchParams: URLSearchParams): QuarantineQuery {
  return {
    providerId: parseId(searchParams.get("provider")),
    reason: QUARANTINE_REASONS.find((known) => known === searchParams.get("reason")) ?? null,
    search: (searchParams.get("q") ?? "").trim().slice(0, SEARCH_MAX_CHARS).toWellFormed(),
  };
}

/** A provider and a reason with the number of changes that wait for it. */
export type WaitingGroup = { providerId: number; provider: string; reason: QuarantineReason; count: number };

/**
 * Returns a page of the changes that match, the groups of all that wait, and a digest of what matches: a decision about all of
 * them is about those that were shown, and not about one that came meanwhile.
 */
export async function readQuarantinePage(db: Db, query: QuarantineQuery, cursor: ListCursor | null, limit: number) {
  const all = await listWaiting(db, null);
  const matching = matchingOf(all, query);
  return {
    ...pageAfter(matching, cursor, limit),
    matching: matching.length,
    digest: digestOf(matching),
    groups: groupsOf(all),
  };
}

/** Returns the keys of all changes that match, or null if they are others than those of the digest. */
export async function keysOfAll(db: Db, query: QuarantineQuery, digest: string): Promise<Set<string> | null> {
  const matching = matchingOf(await listWaiting(db, null), query);
  return digestOf(matching) === digest ? new Set(matching.map(({ key }) => key)) : null;
}

function matchingOf(rows: WaitingRow[], { providerId, reason, search }: QuarantineQuery): WaitingRow[] {
  const text = search.toLowerCase();
  return rows.filter(
    (row) =>
      (providerId === null || row.providerId === providerId) &&
      (reason === null || row.reason === reason) &&
      (text === "" || row.name.toLowerCase().includes(text) || String(row.serviceId) === text),
  );
}

function digestOf(rows: WaitingRow[]): string {
  return sha256(JSON.stringify(rows.map(({ key }) => key))).slice(0, 32);
}

/** Returns the rows after the cursor, which has a row's place and its service: the place counts if that was decided. */
function pageAfter(rows: WaitingRow[], cursor: ListCursor | null, limit: number) {
  const at = cursor === null ? -1 : rows.findIndex(({ serviceId }) => serviceId === cursor.id);
  const from = at >= 0 ? at + 1 : Math.max(0, Number(cursor?.value ?? 0) || 0);
  return listPage(rows.slice(from, from + limit + 1), limit, ({ serviceId }) => ({
    value: from + limit - 1,
    id: serviceId,
  }));
}

function groupsOf(rows: WaitingRow[]): WaitingGroup[] {
  return [...Map.groupBy(rows, ({ providerId, reason }) => `${providerId} ${reason}`).values()].flatMap((own) => {
    const [first] = own;
    if (!first) return [];
    const { providerId, provider, reason } = first;
    return [{ providerId, provider, reason, count: own.length }];
  });
}

const amount = (micro: number | null) => (micro === null ? "" : decimal(micro, 2));

const COLUMNS: CsvColumns<WaitingRow> = {
  provider: ({ provider }) => provider,
  reason: ({ reason }) => reason,
  service: ({ serviceId }) => serviceId,
  name: ({ name }) => name,
  state: ({ isPaused, isOnSale }) => (isPaused ? "paused" : isOnSale ? "on sale" : "off sale"),
  cost_before: ({ cost }) => amount(cost[0]),
  cost_after: ({ cost }) => amount(cost[1]),
  rate: ({ rate }) => amount(rate),
  rate_by_rule: ({ rateByRule }) => amount(rateByRule),
  other_terms: ({ terms }) => terms,
  found_at: ({ foundAt }) => spreadsheetTime(foundAt),
};

/** Exports the waiting changes that match. */
export function exportQuarantine(db: Db, searchParams: URLSearchParams): ReadableStream<Uint8Array> {
  const query = readQuarantineQuery(searchParams);
  return streamListCsv(COLUMNS, async () => ({ rows: matchingOf(await listWaiting(db, null), query), next: null }));
}
