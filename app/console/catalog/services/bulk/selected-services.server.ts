import { asc, eq, inArray, sql } from "drizzle-orm";
import { matchesFilter, readServiceFilter } from "#app/console/catalog/services/table/service-conditions.server.ts";
import { COUNTED_TO, type ServiceFilter } from "#app/console/catalog/services/table/service-filter-names.ts";
import { HIGHEST_COST, IS_BLOCKED, WAITING_OFFER } from "#app/console/catalog/services/waiting-offer.server.ts";
import type { Db } from "#app/db/db.server.ts";
import { quarantine, services, serviceTimes } from "#app/db/schema.server.ts";
import { parseId } from "#app/http/requests/id-param.ts";
import type { BulkService } from "./bulk-change.ts";

/** Services that one change takes at most: its audit entry must fit into a row, and its preview into a page's memory. */
export const MAX_SELECTED = COUNTED_TO;

/** Services chosen one by one, or all that match a filter. */
export type Selection = { ids: number[] } | { filter: ServiceFilter };

/** Reads a selection from the parameters of a URL: `all=1` with a filter, or an `id` each. */
export function readSelection(params: URLSearchParams): Selection {
  if (params.get("all") === "1") return { filter: readServiceFilter(params) };
  const ids = params.getAll("id").flatMap((text) => parseId(text) ?? []);
  return { ids: [...new Set(ids)] };
}

/** Returns the selected services by id, or null if they are more than MAX_SELECTED. */
export async function readSelected(db: Db, selection: Selection): Promise<BulkService[] | null> {
  const ids = "ids" in selection ? JSON.stringify(selection.ids) : null;
  const rows = await db
    .select({
      id: services.id,
      version: services.version,
      name: services.name,
      category: services.category,
      rate: services.rate,
      providerRate: HIGHEST_COST,
      enabled: services.enabled,
      isBlocked: IS_BLOCKED,
    })
    .from(services)
    .leftJoin(serviceTimes, eq(serviceTimes.serviceId, services.id))
    .leftJoin(quarantine, WAITING_OFFER)
    .where(
      "filter" in selection
        ? matchesFilter(selection.filter)
        : inArray(services.id, sql`(select value from json_each(${ids}))`),
    )
    .orderBy(asc(services.id))
    .limit(MAX_SELECTED + 1);
  return rows.length > MAX_SELECTED ? null : rows;
}
