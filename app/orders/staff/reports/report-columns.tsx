import type { Formats } from "#app/components/formats/number-formats.ts";
import type { Column } from "#app/components/table/data-table.tsx";
import { CutText, RowLink } from "#app/components/table/row-cells.tsx";
import type { ReportRow } from "#app/orders/reports/read-report.server.ts";
import { refundedPart } from "#app/orders/reports/refunded-part.ts";
import { differenceText, pointsText, speedText } from "#app/orders/reports/report-comparison.ts";
import type { ReportSubject } from "#app/orders/reports/report-query.ts";
import { percentText } from "#app/orders/rules/margin.ts";
import { durationText } from "#app/orders/terms/delivery-time.ts";

const HEADERS: Record<ReportSubject, string> = {
  day: "Day",
  service: "Service",
  provider: "Provider",
  customer: "Customer",
};

/** The columns of the report: each figure with its difference below, in a number and a word. `hasTimes`: delivery is known. */
export function reportColumns(by: ReportSubject, hasTimes: boolean, formats: Formats): Column<ReportRow>[] {
  const { money, number } = formats;
  const isTimed = by !== "customer" && hasTimes;
  const sum = (
    name: "orders" | "revenue" | "cost" | "earned",
    header: string,
    write: (value: number) => string,
    sort?: string,
  ): Column<ReportRow> => ({
    name,
    header,
    numeric: true,
    ...(sort && { sort }),
    cell: ({ now, before }) => (
      <Compared value={write(now[name])} difference={before && differenceText(now[name], before[name], write)} />
    ),
  });
  return [
    {
      name: "subject",
      header: HEADERS[by],
      ...(by === "day" && { sort: "day" }),
      cell: (row) => <Subject row={row} by={by} />,
    },
    sum("revenue", "Revenue", money, "revenue"),
    {
      name: "change",
      header: "Change in revenue",
      numeric: true,
      sort: "change",
      cell: ({ now, before }) => changeText(now.revenue, before?.revenue ?? null, money),
    },
    sum("orders", "Orders", number, "orders"),
    sum("cost", "Cost", money),
    sum("earned", "Earned", money, "earned"),
    {
      name: "margin",
      header: "Margin",
      numeric: true,
      sort: "margin",
      cell: ({ now, before }) => (
        <Compared value={partText(now.margin)} difference={pointsText(now.margin, before?.margin ?? null)} />
      ),
    },
    {
      name: "refunded",
      header: "Refunded",
      numeric: true,
      cell: ({ now, before }) => (
        <Compared
          value={partText(refundedPart(now))}
          difference={pointsText(refundedPart(now), before && refundedPart(before))}
        />
      ),
    },
    ...(isTimed ? deliveryColumns : []),
  ];
}

const deliveryColumns: Column<ReportRow>[] = [
  ...(
    [
      ["p50Ms", "Half done in"],
      ["p90Ms", "9 of 10 done in"],
    ] as const
  ).map(
    ([name, header]): Column<ReportRow> => ({
      name,
      header,
      numeric: true,
      cell: ({ delivery, deliveryBefore }) => {
        const time = delivery?.[name] ?? null;
        return (
          <Compared
            value={time === null ? "–" : durationText(time)}
            difference={speedText(time, deliveryBefore?.[name] ?? null)}
          />
        );
      },
    }),
  ),
  ...(["canceled", "partial"] as const).map(
    (name): Column<ReportRow> => ({
      name,
      header: name === "canceled" ? "Canceled" : "Partial",
      numeric: true,
      cell: ({ delivery, deliveryBefore }) => (
        <Compared
          value={partText(delivery?.[name] ?? null)}
          difference={pointsText(delivery?.[name] ?? null, deliveryBefore?.[name] ?? null)}
        />
      ),
    }),
  ),
];

/** A figure, and below it how it differs from the period that the report compares with. */
function Compared({ value, difference }: { value: string; difference: string | null }) {
  return (
    <>
      <span className="tabular">{value}</span>
      {difference !== null && difference !== "the same" && (
        <span className="block text-xs text-muted">{shortDifference(difference)}</span>
      )}
    </>
  );
}

/** Leaves the part in brackets to the column of changes, so that a row stays narrow. */
function shortDifference(difference: string): string {
  return difference.replace(/ \(.*\)$/, "").replace(", none before", "");
}

function changeText(now: number, before: number | null, money: (micro: number) => string): string {
  return before === null ? "Not known" : differenceText(now, before, money);
}

function Subject({ row: { key, name, detail }, by }: { row: ReportRow; by: ReportSubject }) {
  const to = linkOf(by, key, name);
  const text = name || (by === "customer" ? "Deleted account" : `${HEADERS[by]} ${key}`);
  return (
    <span className="block min-w-32">
      {to === null ? <CutText>{text}</CutText> : <RowLink to={to}>{text}</RowLink>}
      {detail && <span className="block text-xs text-muted">{detail}</span>}
    </span>
  );
}

/** The page of a row's subject. A day's is the orders placed on it. */
function linkOf(by: ReportSubject, key: string, name: string): string | null {
  if (by === "day") return `/admin/orders?from=${key}&to=${key}`;
  if (by === "customer") return name === "" ? null : `/admin/customers/${key}`;
  if (by === "provider") return key === "0" ? null : `/admin/providers/${key}`;
  return `/admin/services/${key}`;
}

export function partText(basisPoints: number | null): string {
  return basisPoints === null ? "–" : percentText(basisPoints);
}
