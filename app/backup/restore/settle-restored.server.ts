import { HISTORY_RESTORED } from "#app/db/steps/order-steps.server.ts";

export type Settled = { orders: number; refills: number; cancellations: number };

/**
 * Changes what must not go on as if no time had passed, before anything runs on the copy: what waited for a provider is held
 * for a person, because it may have been sent since, and the jobs begin anew, so that none is late. Returns how many rows
 * were held.
 */
export async function settleRestored(main: D1Database): Promise<Settled> {
  const hold = (table: string, condition = "true", alsoSet = "") =>
    main.prepare(
      `update ${table} set fulfillment = 'held', ${alsoSet}lease_until = 0
       where fulfillment in ('queued', 'submitting') and ${condition} returning 1`,
    );
  const [orders, refills, cancellations] = await main.batch([
    hold("orders", "is_test = 0", `held_for = 'restored', history = ${HISTORY_RESTORED}, `),
    hold("refills"),
    hold("cancellations"),
    main.prepare("delete from job_runs"),
  ]);
  return {
    orders: orders?.results.length ?? 0,
    refills: refills?.results.length ?? 0,
    cancellations: cancellations?.results.length ?? 0,
  };
}
