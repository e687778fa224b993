import type { Db } from "#app/db/db.server.ts";
import { type CustomerFigures, readSalesOfCustomer } from "#app/orders/sales/read-sales.server.ts";
import { MAX_DAYS, salesDayOf } from "#app/orders/sales/sales-period.ts";

/** What a customer's orders of the last `days` days brought and cost, today included. */
export type CustomerPeriod = CustomerFigures & { days: number };

/** The last of them is all that is kept. */
const PERIODS = [30, 90, MAX_DAYS];

/** Returns a customer's sales of each period. Reads at most a row for each day of each. */
export function readCustomerPeriods(db: Db, userId: string, now: number): Promise<CustomerPeriod[]> {
  const to = salesDayOf(now);
  return Promise.all(
    PERIODS.map(async (days) => ({ days, ...(await readSalesOfCustomer(db, userId, { from: to - days + 1, to })) })),
  );
}
