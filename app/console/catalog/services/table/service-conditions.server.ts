import { and, eq, isNull, type SQL, sql } from "drizzle-orm";
import { cutText } from "#app/cut-text.ts";
import { services, serviceTimes } from "#app/db/schema.server.ts";
import { parseId } from "#app/http/requests/id-param.ts";
import { parsePercent, WHOLE } from "#app/orders/rules/margin.ts";
import { SERVICE_STATES, type ServiceFilter } from "./service-filter-names.ts";

const MAX_SEARCH_CHARACTERS = 200;

/** Reads a filter from the parameters of a URL. What can't be read filters nothing. */
export function readServiceFilter(params: URLSearchParams): ServiceFilter {
  const text = (name: string) => cutText(params.get(name)?.trim() ?? "", MAX_SEARCH_CHARACTERS);
  const provider = text("provider");
  return {
    search: text("q"),
    network: text("network") || null,
    category: text("category") || null,
    provider: provider === "manual" ? "manual" : parseId(provider),
    state: SERVICE_STATES.find((known) => known === params.get("state")) ?? "all",
    marginBelow: parsePercent(text("margin")),
    belowCost: params.get("loss") === "1",
    idle: params.get("idle") === "1",
  };
}

/** The orders of a service in the last 30 days, for statements that join `service_times`. */
export const RECENT_ORDERS = sql<number>`coalesce(${serviceTimes.orders}, 0)`;

/** Returns the condition of a filter, for statements that join `service_times`. */
export function matchesFilter(filter: ServiceFilter): SQL | undefined {
  const { search, network, category, provider, state, marginBelow, belowCost, idle } = filter;
  return and(
    search === "" ? undefined : matchesSearch(search),
    network === null ? undefined : eq(services.network, network),
    category === null ? undefined : eq(services.category, category),
    provider === null
      ? undefined
      : provider === "manual"
        ? isNull(services.providerId)
        : eq(services.providerId, provider),
    state === "all" ? undefined : eq(services.enabled, state === "enabled"),
    // (rate - cost) / rate < margin, without a division. A service without a cost has no margin.
    marginBelow === null
      ? undefined
      : sql`${services.rate} * cast(${WHOLE - marginBelow} as integer) < ${services.providerRate} * ${sql.raw(String(WHOLE))}`,
    belowCost ? sql`${services.enabled} = 1 and ${services.rate} < ${services.providerRate}` : undefined,
    idle ? sql`${RECENT_ORDERS} = 0` : undefined,
  );
}

/** By a part of the name or category, an id of ours, or one of the provider's. */
function matchesSearch(search: string): SQL {
  const asId = /^\d{1,9}$/.test(search) ? Number(search) : -1;
  return sql`(${services.id} = ${asId} or ${services.providerServiceId} = ${search}
    or instr(lower(${services.name} || ' ' || ${services.category}), lower(${search})) > 0)`;
}
