import type { Db } from "#app/db/db.server.ts";
import { CSV_ROWS_PER_READ, streamCsv } from "#app/http/responses/stream-csv.ts";
import { decimal } from "#app/orders/rules/money-text.ts";
import { readSalesByCustomer, readSalesByDay, readSalesByProvider, readSalesByService } from "./read-sales.server.ts";
import type { SalesFigures } from "./sales-figures.ts";
import { dateOf, type Period } from "./sales-period.ts";

export const SALES_SUBJECTS = ["day", "service", "provider", "customer"] as const;
export type SalesSubject = (typeof SALES_SUBJECTS)[number];

/** Services or customers in one file, those with the most revenue. */
const MAX_SUBJECTS = 20_000;

type Cell = string | number;
type Figures = Partial<SalesFigures> & Pick<SalesFigures, "orders" | "revenue" | "cost" | "margin">;

const AMOUNTS = ["revenue", "refunded", "cost", "earned", "revenue_by_hand"] as const;

const COLUMNS: Record<string, (row: Figures) => Cell> = {
  orders: ({ orders }) => orders,
  revenue: ({ revenue }) => decimal(revenue, 2),
  refunded_orders: ({ refunds }) => refunds ?? "",
  refunded: ({ refunded }) => amount(refunded),
  cost: ({ cost }) => decimal(cost, 2),
  earned: ({ earned }) => amount(earned),
  margin_percent: ({ margin }) => (margin === null ? "" : margin / 100),
  orders_with_known_cost: ({ costed }) => costed ?? "",
  revenue_by_hand: ({ byHand }) => amount(byHand),
};

/** Streams the sales of a period as CSV, for admins: it names costs. Periods are as long as the functions read. */
export function exportSalesCsv(db: Db, by: SalesSubject, period: Period, currency: string): ReadableStream<Uint8Array> {
  const head = Object.keys(COLUMNS).map((name) =>
    (AMOUNTS as readonly string[]).includes(name) ? `${name}_${currency}` : name,
  );
  let all: Promise<Cell[][]> | undefined;
  return streamCsv([...SUBJECT_COLUMNS[by], ...head], async (after) => {
    all ??= readRows(db, by, period);
    const rows = (await all).slice(after, after + CSV_ROWS_PER_READ);
    return rows.map((cells, n) => ({ id: after + n + 1, cells }));
  });
}

const SUBJECT_COLUMNS: Record<SalesSubject, string[]> = {
  day: ["day"],
  service: ["service_id", "service", "category"],
  provider: ["provider_id", "provider"],
  customer: ["customer_id", "customer"],
};

async function readRows(db: Db, by: SalesSubject, period: Period): Promise<Cell[][]> {
  const cells = (subject: Cell[], row: Figures) => [...subject, ...Object.values(COLUMNS).map((cell) => cell(row))];
  switch (by) {
    case "day":
      return (await readSalesByDay(db, period)).map((row) => cells([dateOf(row.day)], row));
    case "service": {
      const rows = await readSalesByService(db, period, { limit: MAX_SUBJECTS });
      return rows.map((row) => cells([row.serviceId, row.name, row.category], row));
    }
    case "provider": {
      const rows = await readSalesByProvider(db, period);
      return rows.map((row) => cells([row.providerId, row.providerId === 0 ? "By hand" : row.name], row));
    }
    case "customer": {
      const rows = await readSalesByCustomer(db, period, { limit: MAX_SUBJECTS });
      return rows.map((row) => cells([row.userId, row.email ?? "Deleted account"], row));
    }
    default:
      return by satisfies never;
  }
}

function amount(micro: number | undefined): Cell {
  return micro === undefined ? "" : decimal(micro, 2);
}
