import { MINUTE } from "../scripts/simulated-durations.ts";
import type { PlacedOrder } from "../world/customers/order-customer.ts";
import type { World } from "../world/open-world.ts";
import { readReport } from "./order-oracle.ts";
import { FINAL, type OrderRow } from "./violation.ts";

/** Simulated ms since 1970 between which something happened. */
export type Between = { from: number; to: number };

/** The product acts on an answer within the step of the clock in which it came. */
const SLACK = 2 * MINUTE;

/**
 * Returns when an order that has ended did so, as the world knows it: its provider said so, refused it, or its customer
 * canceled it before it was sent. Null if nobody here knows, as for an order that staff closed.
 */
export function endOf(world: World, row: OrderRow, placed: PlacedOrder | undefined): Between | null {
  const provider = world.providers.find(({ id }) => id === row.provider_id);
  if (!provider) return null;
  const ends = provider.reports
    .filter((report) => report.id === row.provider_order_id && FINAL.includes(readReport(report).status))
    .map(({ at }) => at);
  if (ends.length === 0 && row.provider_order_id === null) {
    for (const { link, at, outcome } of provider.adds)
      if (link === row.link && outcome.kind === "refused") ends.push(at);
  }
  if (ends.length === 0 && placed?.cancelAcceptedAt != null) ends.push(placed.cancelAcceptedAt);
  if (ends.length === 0) return null;
  return { from: world.startedAt + Math.min(...ends) - SLACK, to: world.startedAt + Math.max(...ends) + SLACK };
}
