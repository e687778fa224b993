import { readSort, type Sort } from "#app/http/lists/list-query.ts";
import { oneOf } from "#app/http/requests/query-params.ts";
import { MAX_DAYS, MAX_DAYS_BY_SUBJECT, type Period, readPeriod } from "#app/orders/sales/sales-period.ts";
import { AGAINST, type Against, comparedPeriod } from "./report-comparison.ts";

/** What a report has a row for. */
export const REPORT_SUBJECTS = ["day", "service", "provider", "customer"] as const;
export type ReportSubject = (typeof REPORT_SUBJECTS)[number];

const FIGURE_SORTS = ["revenue", "orders", "earned", "margin", "change"] as const;
export type ReportSort = "day" | (typeof FIGURE_SORTS)[number];

/** A report as the URL asks for it. */
export type ReportQuery = {
  by: ReportSubject;
  period: Period;
  against: Against;
  /** The period to compare with. */
  compared: Period;
  sort: Sort<ReportSort>;
  sorts: readonly ReportSort[];
};

/** Reads `?by=service&from=2026-11-01&to=2026-11-30&against=year&sort=-earned`. A period that is too long begins later. */
export function readReportQuery(searchParams: URLSearchParams, now: number): ReportQuery {
  const by = oneOf(REPORT_SUBJECTS, searchParams.get("by"));
  const against = oneOf(AGAINST, searchParams.get("against"));
  const period = readPeriod(searchParams, now, by === "day" ? MAX_DAYS : MAX_DAYS_BY_SUBJECT);
  const sorts: readonly ReportSort[] = by === "day" ? ["day", ...FIGURE_SORTS] : FIGURE_SORTS;
  const sort = readSort(searchParams, sorts, by === "day" ? "-day" : "-revenue");
  return { by, period, against, compared: comparedPeriod(period, against), sort, sorts };
}
