import type { Db } from "#app/db/db.server.ts";
import { type DeliveryFigures, deliveryOf } from "#app/orders/reports/delivery-report.server.ts";
import { readDaysOfCustomer } from "#app/orders/sales/read-sales.server.ts";
import { figuresOfAll, type SalesFigures } from "#app/orders/sales/sales-figures.ts";
import { MAX_DAYS, salesDayOf } from "#app/orders/sales/sales-period.ts";

/** Revenue, cost and endings of a customer's orders of the last `days` days, today included. */
export type CustomerPeriod = Omit<SalesFigures, "costed"> & { days: number; delivery: DeliveryFigures };

/** The last of them is all that is kept. */
const PERIODS = [30, 90, MAX_DAYS];

/** Returns a customer's sales of each period. Reads at most a row for each day of the longest. */
export async function readCustomerPeriods(db: Db, userId: string, now: number): Promise<CustomerPeriod[]> {
  const to = salesDayOf(now);
  const rows = await readDaysOfCustomer(db, userId, { from: to - MAX_DAYS + 1, to });
  return PERIODS.map((days) => {
    const own = rows.filter(({ day }) => day > to - days);
    const { costed, ...figures } = figuresOfAll(own);
    return { days, ...figures, delivery: deliveryOf(own, now) };
  });
}
