import { and, asc, eq, gt, isNull, type SQL, sql } from "drizzle-orm";
import { cutText } from "#app/cut-text.ts";
import type { Db } from "#app/db/db.server.ts";
import { providers, QUARANTINE_REASONS, type QuarantineReason, quarantine, services } from "#app/db/schema.server.ts";
import { type ListCursor, type ListPage, listPage } from "#app/http/lists/list-query.ts";
import { parseId } from "#app/http/requests/id-param.ts";
import { type CsvColumns, spreadsheetTime, streamListCsv } from "#app/http/responses/stream-csv.ts";
import { decimal } from "#app/orders/rules/money-text.ts";
import { countNewTerms } from "./new-terms.ts";
import { byUrgency, listWaitingWhere, type WaitingRow } from "./quarantine-decisions.server.ts";

/**
 * The waiting changes as their page shows and exports them, the worst first. A page reads its own rows and counts the index of
 * what is open; only who decides about all of them has all read.
 */

const SEARCH_MAX_CHARS = 100;

export type QuarantineQuery = { providerId: number | null; reason: QuarantineReason | null; search: string };

export function readQuarantineQuery(searchParams: URLSearchParams): QuarantineQuery {
  return {
    providerId: parseId(searchParams.get("provider")),
    reason: QUARANTINE_REASONS.find((known) => known === searchParams.get("reason")) ?? null,
    search: cutText((searchParams.get("q") ?? "").trim(), SEARCH_MAX_CHARS),
  };
}

/** A provider and a reason with the number of changes that wait for it. */
export type WaitingGroup = { providerId: number; provider: string; reason: QuarantineReason; count: number };

/**
 * Returns a page of the changes that match, and the groups of all that wait. With `asksForAll` also the keys of all that
 * match: a decision about all of them is about those that matched then, as they were. `newTerms`: what of them changes besides
 * prices.
 */
export async function readQuarantinePage(
  db: Db,
  query: QuarantineQuery,
  cursor: ListCursor | null,
  limit: number,
  asksForAll: boolean,
) {
  const groups = await readGroups(db);
  const wanted = groups.filter((group) => isWanted(group, query));
  const [page, matching, all] = await Promise.all([
    readRows(db, wanted, query, cursor, limit),
    query.search === "" ? wanted.reduce((sum, { count }) => sum + count, 0) : countMatching(db, query),
    asksForAll ? listWaitingWhere(db, matches(query)) : null,
  ]);
  return {
    ...page,
    matching,
    allKeys: all?.map(({ key }) => key) ?? null,
    newTerms: all && countNewTerms(all),
    groups,
  };
}

async function countMatching(db: Db, query: QuarantineQuery): Promise<number> {
  return db.$count(quarantine, and(isNull(quarantine.decidedAt), matches(query)));
}

function matches({ providerId, reason, search }: QuarantineQuery): SQL | undefined {
  return and(
    providerId === null ? undefined : eq(quarantine.providerId, providerId),
    reason === null ? undefined : eq(quarantine.reason, reason),
    matchesSearch(search),
  );
}

function isWanted(group: WaitingGroup, { providerId, reason }: QuarantineQuery): boolean {
  return (providerId === null || group.providerId === providerId) && (reason === null || group.reason === reason);
}

function matchesSearch(search: string): SQL | undefined {
  if (search === "") return undefined;
  const asId = /^\d{1,9}$/.test(search) ? Number(search) : -1;
  return sql`exists (select 1 from ${services} as "found" where "found"."id" = "quarantine"."service_id"
    and ("found"."id" = ${asId} or instr(lower("found"."name"), lower(${search})) > 0))`;
}

/** Returns the groups of all that wait, the worst first. */
async function readGroups(db: Db): Promise<WaitingGroup[]> {
  const counted = db
    .select({
      providerId: quarantine.providerId,
      reason: quarantine.reason,
      count: sql<number>`count(*)`.as("waiting"),
    })
    .from(quarantine)
    .where(isNull(quarantine.decidedAt))
    .groupBy(quarantine.providerId, quarantine.reason)
    .as("counted");
  const groups = await db
    .select({
      providerId: counted.providerId,
      provider: providers.name,
      reason: counted.reason,
      count: counted.count,
    })
    .from(counted)
    .innerJoin(providers, eq(providers.id, counted.providerId));
  return groups.sort(byUrgency);
}

/**
 * Returns the rows after the cursor, which has a row's provider, reason and id. Each group is one stretch of an index; only
 * those that the page can reach are read.
 */
async function readRows(
  db: Db,
  groups: WaitingGroup[],
  { search }: QuarantineQuery,
  cursor: ListCursor | null,
  limit: number,
): Promise<ListPage<WaitingRow>> {
  const start = cursor && placeOf(cursor);
  const reached: { group: WaitingGroup; afterId: number }[] = [];
  let sure = 0;
  for (const group of groups) {
    const place = start === null ? 1 : byUrgency(group, start);
    if (place < 0) continue;
    reached.push({ group, afterId: place === 0 ? (start?.id ?? 0) : 0 });
    // How many of a search match, or are left after the cursor, isn't known.
    if (search === "" && place > 0) sure += group.count;
    if (sure > limit) break;
  }
  const found = await Promise.all(
    reached.map(({ group, afterId }) =>
      db
        .select({ id: quarantine.id, providerId: quarantine.providerId, reason: quarantine.reason })
        .from(quarantine)
        .where(
          and(
            isNull(quarantine.decidedAt),
            eq(quarantine.providerId, group.providerId),
            eq(quarantine.reason, group.reason),
            gt(quarantine.id, afterId),
            matchesSearch(search),
          ),
        )
        .orderBy(asc(quarantine.id))
        .limit(limit + 1),
    ),
  );
  const { rows, next } = listPage(found.flat(), limit, ({ id, providerId, reason }) => ({
    value: `${providerId} ${reason}`,
    id,
  }));
  const ids = JSON.stringify(rows.map(({ id }) => id));
  return {
    rows: await listWaitingWhere(db, sql`${quarantine.id} in (select value from json_each(${ids}))`),
    next,
  };
}

function placeOf({ value, id }: ListCursor): { providerId: number; reason: QuarantineReason; id: number } | null {
  const [provider, written] = String(value).split(" ");
  const reason = QUARANTINE_REASONS.find((known) => known === written);
  return reason === undefined ? null : { providerId: Number(provider), reason, id: Number(id) };
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
  return streamListCsv(COLUMNS, async (after, limit) => {
    const groups = await readGroups(db);
    return readRows(
      db,
      groups.filter((group) => isWanted(group, query)),
      query,
      after,
      limit,
    );
  });
}
