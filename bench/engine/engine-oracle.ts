import type { DatabaseSync } from "node:sqlite";
import { DEFAULT_CONCURRENT_CALLS } from "#app/orders/rules/call-limits.ts";
import type { EngineProvider } from "./engine-providers.ts";

type Row = {
  id: number;
  link: string;
  key: string;
  fulfillment: string;
  provider: number;
  providerOrderId: string | null;
};

/** Counts of what must not happen, by rule, and of held orders by the reason that they have. */
export type Verdict = { broken: Record<string, number>; held: { arrived: number; failed: number; cutOff: number } };

/**
 * Compares the orders placed in a run with what the providers received. Knows nothing of how orders are sent.
 *
 * @param acknowledged ids by idempotency key, as the API returned them.
 */
export function judge(
  database: DatabaseSync,
  {
    providers,
    providerIds,
    seededUpTo,
    acknowledged,
    kills,
  }: {
    providers: EngineProvider[];
    providerIds: number[];
    seededUpTo: number;
    acknowledged: Map<string, number>;
    kills: number;
  },
): Verdict {
  const rows = database
    .prepare(
      `select id, link, idempotency_key as key, fulfillment, provider_id as provider, provider_order_id as providerOrderId
       from orders where id > ?`,
    )
    .all(seededUpTo) as Row[];
  const idOfKey = new Map(rows.map(({ key, id }) => [key, id]));
  const received = providers.map((provider) => provider.received());
  const links = received.flatMap((orders) => [...orders.values()].map(({ link }) => link));
  const known = new Map(rows.map((row) => [row.link, row]));
  const held = { arrived: 0, failed: 0, cutOff: 0 };
  for (const row of rows.filter(({ fulfillment }) => fulfillment === "held" || fulfillment === "submitting")) {
    const at = providerIds.indexOf(row.provider);
    if (providers[at]?.failedLinks.has(row.link)) held.failed++;
    else if (links.includes(row.link)) held.arrived++;
    else held.cutOff++;
  }
  const count = (isBroken: (row: Row) => boolean) => rows.filter(isBroken).length;
  const inFlight = kills * DEFAULT_CONCURRENT_CALLS * providers.length;
  return {
    held,
    broken: {
      "acknowledged orders missing": [...acknowledged].filter(([key, id]) => idOfKey.get(key) !== id).length,
      "orders stored twice": rows.length - idOfKey.size + Math.max(0, rows.length - acknowledged.size),
      "orders sent twice": links.length - new Set(links).size,
      "received orders without a row": links.filter((link) => !known.has(link)).length,
      "received orders that would be sent again": links.filter((link) => {
        const state = known.get(link)?.fulfillment;
        return state === "queued" || state === "rejected";
      }).length,
      "accepted orders with another order's id": count(
        ({ fulfillment, provider, providerOrderId, link }) =>
          fulfillment === "accepted" &&
          received[providerIds.indexOf(provider)]?.get(providerOrderId ?? "")?.link !== link,
      ),
      "held orders more than were in flight at the kills": Math.max(0, held.arrived + held.cutOff - inFlight),
    },
  };
}
