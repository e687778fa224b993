import type { Formats } from "#app/components/formats/number-formats.ts";
import type { Column } from "#app/components/table/data-table.tsx";
import { CutText, RowLink } from "#app/components/table/row-cells.tsx";
import { shortDurationText } from "#app/orders/delivery/delivery-time.ts";
import type { ReportRow } from "#app/orders/reports/read-report.server.ts";
import { refundedPart } from "#app/orders/reports/refunded-part.ts";
import { differenceText, pointsText, speedText } from "#app/orders/reports/report-comparison.ts";
import type { ReportSubject } from "#app/orders/reports/report-query.ts";
import { shareText } from "#app/orders/rules/margin.ts";
import { MICRO } from "#app/product.ts";

const HEADERS: Record<ReportSubject, string> = {
  day: "Day",
  service: "Service",
  provider: "Provider",
  customer: "Customer",
};

/** Days of reports are UTC. */
export function dayFormat(locale: string): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeZone: "UTC" });
}

/** The columns of the report: each figure with its difference below, in a number and a word. `hasTimes`: delivery is known. */
export function reportColumns(by: ReportSubject, hasTimes: boolean, formats: Formats): Column<ReportRow>[] {
  const { money, number, roundMoney } = formats;
  /** Differences of $100 and more are in whole dollars, so that a row stays narrow. */
  const brief = (micro: number) => (micro < 100 * MICRO ? money(micro) : roundMoney(Math.round(micro / MICRO) * MICRO));
  const day = dayFormat(formats.locale);
  const sum = (
    name: "orders" | "cost" | "earned",
    header: string,
    write: (value: number) => string,
    sort?: string,
    writeDifference = write,
  ): Column<ReportRow> => ({
    name,
    header,
    numeric: true,
    ...(sort && { sort }),
    cell: ({ now, before }) => (
      <Compared
        value={write(now[name])}
        difference={before && differenceText(now[name], before[name], writeDifference)}
      />
    ),
  });
  return [
    {
      name: "subject",
      header: HEADERS[by],
      ...(by === "day" && { sort: "day" }),
      cell: (row) => <Subject row={row} by={by} day={day} />,
    },
    {
      name: "revenue",
      header: "Revenue",
      numeric: true,
      sort: "revenue",
      cell: ({ now }) => <span className="tabular">{money(now.revenue)}</span>,
    },
    {
      name: "change",
      header: "Change",
      numeric: true,
      sort: "change",
      cell: ({ now, before }) => <Change now={now.revenue} before={before?.revenue ?? null} money={brief} />,
    },
    sum("orders", "Orders", number, "orders"),
    sum("cost", "Cost", money, undefined, brief),
    sum("earned", "Earned", money, "earned", brief),
    {
      name: "margin",
      header: "Margin",
      numeric: true,
      sort: "margin",
      cell: ({ now, before }) => (
        <Compared
          value={partText(now.margin)}
          difference={shortPoints(pointsText(now.margin, before?.margin ?? null))}
        />
      ),
    },
    {
      name: "refunded",
      header: "Refunded",
      numeric: true,
      cell: ({ now, before }) => (
        <Compared
          value={partText(refundedPart(now))}
          difference={shortPoints(pointsText(refundedPart(now), before && refundedPart(before)))}
        />
      ),
    },
    ...(hasTimes ? deliveryColumns : []),
  ];
}

const deliveryColumns: Column<ReportRow>[] = [
  {
    name: "delivery",
    header: "Half done in",
    numeric: true,
    cell: ({ delivery, deliveryBefore }) => (
      <span className="block md:py-1">
        <span className="tabular">{timeText(delivery?.p50Ms || null)}</span>
        {delivery?.p50Ms && <span className="block text-xs text-muted">9 of 10: {timeText(delivery.p90Ms)}</span>}
        <SmallDifference text={speedText(delivery?.p50Ms ?? null, deliveryBefore?.p50Ms ?? null)} />
      </span>
    ),
  },
  {
    name: "ended-early",
    header: "Cut short",
    numeric: true,
    cell: ({ delivery, deliveryBefore }) => (
      <span
        title={delivery ? `${partText(delivery.canceled)} canceled, ${partText(delivery.partial)} partial` : undefined}
      >
        <Compared
          value={partText(endedEarly(delivery))}
          difference={shortPoints(pointsText(endedEarly(delivery), endedEarly(deliveryBefore)))}
        />
      </span>
    ),
  },
];

export function timeText(ms: number | null): string {
  return ms === null ? "—" : shortDurationText(ms);
}

/** Returns the part of the ended orders that were canceled or delivered in part. */
export function endedEarly(delivery: ReportRow["delivery"]): number | null {
  if (!delivery || delivery.canceled === null || delivery.partial === null) return null;
  return delivery.canceled + delivery.partial;
}

/** Leaves the unit to the percent sign above it, so that a row stays narrow. */
function shortPoints(points: string | null): string | null {
  return points?.replace(/ points?/, "") ?? null;
}

/** A figure, and below it how it differs from the period that the report compares with. */
function Compared({ value, difference }: { value: string; difference: string | null }) {
  return (
    <span className="block md:py-1">
      <span className="tabular">{value}</span>
      <SmallDifference text={difference} />
    </span>
  );
}

function SmallDifference({ text }: { text: string | null }) {
  if (text === null || text === "the same") return null;
  return <span className="block text-xs text-muted">{shortDifference(text)}</span>;
}

/** Leaves the part in brackets to the column of changes, so that a row stays narrow. */
function shortDifference(difference: string): string {
  return difference.replace(/ \([^()]*\)$/, "").replace(", none before", "");
}

/** How the revenue changed: the part, and the amount below it. */
function Change({ now, before, money }: { now: number; before: number | null; money: (micro: number) => string }) {
  if (before === null) return <>Not known</>;
  const text = differenceText(now, before, money);
  const part = /\(([^()]*)\)$/.exec(text)?.[1];
  return <Compared value={part ?? (now === before ? "the same" : before === 0 ? "new" : "—")} difference={text} />;
}

function Subject({
  row: { key, name, detail },
  by,
  day,
}: {
  row: ReportRow;
  by: ReportSubject;
  day: Intl.DateTimeFormat;
}) {
  const to = linkOf(by, key, name);
  const unnamed = by === "customer" ? "Deleted account" : `${HEADERS[by]} ${key}`;
  const text = by === "day" ? day.format(Date.parse(key)) : name || unnamed;
  return (
    <span className={`block min-w-24 lg:max-w-44 xl:max-w-60 ${detail ? "md:py-1 md:[--row-height:20px]" : ""}`}>
      {to === null ? (
        <CutText className="max-w-60">{text}</CutText>
      ) : (
        <RowLink to={to} title={text}>
          {text}
        </RowLink>
      )}
      {detail && <span className="block truncate text-xs text-muted">{detail}</span>}
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
  return basisPoints === null ? "—" : shareText(basisPoints);
}
