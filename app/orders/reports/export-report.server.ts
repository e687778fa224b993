import type { Db } from "#app/db/db.server.ts";
import { type CsvColumns, streamListCsv } from "#app/http/responses/stream-csv.ts";
import { decimal } from "#app/orders/rules/money-text.ts";
import type { SalesFigures } from "#app/orders/sales/sales-figures.ts";
import { CURRENCY } from "#app/product.ts";
import type { DeliveryFigures } from "./delivery-report.server.ts";
import { MAX_REPORT_ROWS, type ReportRow, readReport } from "./read-report.server.ts";
import { type ReportSubject, readReportQuery } from "./report-query.ts";

type Cell = string | number;

/** Not kept by customer. */
const KNOWN_COST = "orders_with_known_cost";

const FIGURES: Record<string, (figures: SalesFigures) => Cell> = {
  orders: ({ orders }) => orders,
  [`revenue_${CURRENCY}`]: ({ revenue }) => decimal(revenue, 2),
  refunded_orders: ({ refunds }) => refunds,
  [`refunded_${CURRENCY}`]: ({ refunded }) => decimal(refunded, 2),
  [`cost_${CURRENCY}`]: ({ cost }) => decimal(cost, 2),
  [`earned_${CURRENCY}`]: ({ earned }) => decimal(earned, 2),
  margin_percent: ({ margin }) => (margin === null ? "" : margin / 100),
  [KNOWN_COST]: ({ costed }) => costed,
  [`revenue_by_hand_${CURRENCY}`]: ({ byHand }) => decimal(byHand, 2),
};

const DELIVERY: Record<string, (figures: DeliveryFigures) => Cell> = {
  half_delivered_in_seconds: ({ p50Ms }) => secondsOf(p50Ms),
  nine_of_ten_delivered_in_seconds: ({ p90Ms }) => secondsOf(p90Ms),
  partial_percent: ({ partial }) => (partial === null ? "" : partial / 100),
  canceled_percent: ({ canceled }) => (canceled === null ? "" : canceled / 100),
};

const SUBJECT_COLUMNS: Record<ReportSubject, CsvColumns<ReportRow>> = {
  day: { day: ({ name }) => name },
  service: { service_id: ({ key }) => key, service: ({ name }) => name, category: ({ detail }) => detail },
  provider: { provider_id: ({ key }) => key, provider: ({ name }) => name },
  customer: { customer_id: ({ key }) => key, customer: ({ name }) => name || "Deleted account" },
};

/** Streams the report that the URL asks for as CSV: each figure, then what it was in the period it is compared with. */
export async function exportReport(db: Db, searchParams: URLSearchParams, now = Date.now()) {
  const query = readReportQuery(searchParams, now);
  const { rows } = await readReport(db, query, now, MAX_REPORT_ROWS);
  const columns: CsvColumns<ReportRow> = { ...SUBJECT_COLUMNS[query.by] };
  for (const [name, cell] of Object.entries(FIGURES)) {
    if (name === KNOWN_COST && query.by === "customer") continue;
    columns[name] = ({ now }) => cell(now);
    columns[`${name}_before`] = ({ before }) => (before ? cell(before) : "");
  }
  for (const [name, cell] of Object.entries(DELIVERY)) {
    columns[name] = ({ delivery }) => (delivery ? cell(delivery) : "");
    columns[`${name}_before`] = ({ deliveryBefore }) => (deliveryBefore ? cell(deliveryBefore) : "");
  }
  let at = 0;
  return streamListCsv(columns, async (_, limit) => {
    const page = rows.slice(at, at + limit);
    at += page.length;
    return { rows: page, next: at < rows.length ? JSON.stringify([at, at]) : null };
  });
}

function secondsOf(ms: number | null): Cell {
  return ms === null ? "" : Math.round(ms / 1000);
}
