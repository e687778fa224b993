import { composeEmail, type EmailTable } from "#app/email/compose-email.ts";
import { shareText } from "#app/orders/rules/margin.ts";
import { formatMoney } from "#app/orders/rules/money-text.ts";
import type { SalesFigures } from "#app/orders/sales/sales-figures.ts";
import { dateOf, type Period } from "#app/orders/sales/sales-period.ts";
import { PRODUCT_NAME } from "#app/product.ts";
import type { Report, ReportRow } from "./read-report.server.ts";
import { refundedPart } from "./refunded-part.ts";
import { differenceText, pointsText } from "./report-comparison.ts";

export type WeeklyFigures = { total: Report["total"]; services: ReportRow[]; providers: ReportRow[] };

/** Writes a week's figures as an email, with the sums of the page of reports. Names no customer. */
export function weeklyReportEmail(to: string, origin: string, week: Period, figures: WeeklyFigures) {
  const { total, services, providers } = figures;
  const [from, until] = [dateOf(week.from), dateOf(week.to)];
  const page = (by: string) => `${origin}/admin/reports?by=${by}&from=${from}&to=${until}`;
  return composeEmail(to, `${PRODUCT_NAME}: ${formatMoney(total.now.revenue)} in the week of ${from}`, [
    `What was sold from ${from} to ${until}, compared with the week before. Days are UTC.`,
    totalsTable(total),
    salesTable("Services with the most revenue", services),
    { link: page("service"), label: "All services" },
    salesTable("Providers", providers),
    { link: page("provider"), label: "All providers" },
    "You get this on Mondays because an admin entered your address in the settings of the console.",
  ]);
}

function totalsTable({ now, before }: Report["total"]): EmailTable {
  const count = (value: number) => value.toLocaleString("en-US");
  const sum = (name: string, of: "revenue" | "orders" | "cost" | "earned", write: (value: number) => string) => [
    name,
    write(now[of]),
    differenceText(now[of], before[of], write),
  ];
  const part = (name: string, of: (figures: SalesFigures) => number | null) => [
    name,
    partText(of(now)),
    pointsText(of(now), of(before)) ?? "nothing to compare with",
  ];
  return {
    title: "All orders",
    head: ["", "", ""],
    rows: [
      sum("Revenue", "revenue", formatMoney),
      sum("Orders", "orders", count),
      sum("Cost", "cost", formatMoney),
      sum("Earned", "earned", formatMoney),
      part("Margin", ({ margin }) => margin),
      part("Refunded", refundedPart),
    ],
  };
}

function salesTable(title: string, rows: ReportRow[]): EmailTable {
  return {
    title,
    head: ["", "Revenue", "Compared", "Earned", "Margin"],
    rows: rows.map(({ name, key, now, before }) => [
      name || key,
      formatMoney(now.revenue),
      before ? differenceText(now.revenue, before.revenue, formatMoney) : "not known",
      formatMoney(now.earned),
      partText(now.margin),
    ]),
  };
}

function partText(basisPoints: number | null): string {
  return basisPoints === null ? "–" : shareText(basisPoints);
}
