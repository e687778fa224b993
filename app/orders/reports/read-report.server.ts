import { type SQL, sql } from "drizzle-orm";
import type { Db } from "#app/db/db.server.ts";
import type { Sort } from "#app/http/lists/list-query.ts";
import { readSalesByDay, readSalesTotal } from "#app/orders/sales/read-sales.server.ts";
import { figuresOf, type SalesFigures, type SalesSums } from "#app/orders/sales/sales-figures.ts";
import { dateOf, type Period, salesDayOf } from "#app/orders/sales/sales-period.ts";
import { SPENDING_DAYS_KEPT } from "#app/orders/wallet/spending.server.ts";
import { type DeliveryFigures, MAX_TIMED_DAYS, readDelivery } from "./delivery-report.server.ts";
import { comparedDay } from "./report-comparison.ts";
import type { ReportQuery, ReportSort, ReportSubject } from "./report-query.ts";

/** A row of a report: a day, a service, a provider or a customer. */
export type ReportRow = {
  key: string;
  /** A date, a name or an email. Empty for what has none, such as a deleted account. */
  name: string;
  /** The category of a service. */
  detail: string;
  now: SalesFigures;
  /** Null if it is not known, as for days whose rows are deleted. */
  before: SalesFigures | null;
  /** Unknown if null. */
  delivery: DeliveryFigures | null;
  deliveryBefore: DeliveryFigures | null;
};

export type Report = {
  rows: ReportRow[];
  /** There are others after the rows. */
  isCut: boolean;
  /** Of all rows, also of those that are not shown, and of deleted accounts. */
  total: { now: SalesFigures; before: SalesFigures };
};

/** Rows of a page, of services, providers or customers: each is looked up for its delivery. */
const ROWS_SHOWN = 50;
/** Rows of an export at most. */
export const MAX_REPORT_ROWS = 20_000;

/**
 * Reads a report, for admins: it names costs. Reads a row per day by day, and a row per day and subject with a sale otherwise,
 * of both periods. Periods are bounded, so nothing costs more as the years pass.
 */
export async function readReport(db: Db, query: ReportQuery, now: number, limit = ROWS_SHOWN): Promise<Report> {
  const { by, period, compared } = query;
  const [rows, total, totalBefore] = await Promise.all([
    by === "day" ? readDays(db, query, now) : readSubjects(db, { ...query, by }, now, limit + 1),
    readSalesTotal(db, period),
    readSalesTotal(db, compared),
  ]);
  const isCut = by !== "day" && rows.length > limit;
  return { rows: isCut ? rows.slice(0, limit) : rows, isCut, total: { now: total, before: totalBefore } };
}

async function readDays(db: Db, { period, compared, against, sort }: ReportQuery, now: number): Promise<ReportRow[]> {
  const [days, before, delivery, deliveryBefore] = await Promise.all([
    readSalesByDay(db, period),
    readSalesByDay(db, compared),
    readDelivery(db, "day", period, now),
    readDelivery(db, "day", compared, now),
  ]);
  const figuresBefore = new Map(before.map((one) => [one.day, one]));
  const rows = days.map(({ day, ...figures }) => {
    const other = comparedDay(day, period, against);
    return {
      key: dateOf(day),
      name: dateOf(day),
      detail: "",
      now: figures,
      before: (other !== null && figuresBefore.get(other)) || null,
      delivery: delivery?.get(day) ?? null,
      deliveryBefore: (other !== null && deliveryBefore?.get(other)) || null,
    };
  });
  return sortDays(rows, sort);
}

/** Sorts days, of which all are there. Days that are equal otherwise stay in the order of time. */
function sortDays(rows: ReportRow[], { key, descending }: Sort<ReportSort>): ReportRow[] {
  const value = ({ now, before }: ReportRow) => {
    if (key === "day") return null;
    // A day without a margin is last, whatever the direction.
    if (key === "margin") return now.margin ?? (descending ? -Infinity : Infinity);
    return key === "change" ? now.revenue - (before?.revenue ?? 0) : now[key];
  };
  const way = descending ? -1 : 1;
  return rows.toSorted((one, other) => {
    const [a, b] = [value(one), value(other)];
    return way * (a === null || b === null ? (one.key < other.key ? -1 : 1) : a - b);
  });
}

type Subject = Exclude<ReportSubject, "day">;

const SERVICE_SUMS = sql`orders, charged, refunds, refunded, cost, costed, iif(provider_id = 0, charged - refunded, 0) as by_hand`;
const SUBJECTS: Record<Subject, { key: SQL; sums: SQL; table: SQL; name: SQL; detail: SQL }> = {
  service: {
    key: sql`service_id`,
    sums: SERVICE_SUMS,
    table: sql`sales_days`,
    name: sql`(select name from services where id = subject)`,
    detail: sql`(select category from services where id = subject)`,
  },
  provider: {
    key: sql`provider_id`,
    sums: SERVICE_SUMS,
    table: sql`sales_days`,
    name: sql`(select name from providers where id = subject)`,
    detail: sql`null`,
  },
  customer: {
    key: sql`user_id`,
    sums: sql`orders, spent + refunded as charged, refunds, refunded, cost, 0 as costed, by_hand`,
    table: sql`spending_days`,
    name: sql`(select email from profiles where user_id = subject)`,
    detail: sql`null`,
  },
};

const SUMS = ["orders", "charged", "refunds", "refunded", "cost", "costed", "by_hand"] as const;
type Sums = Record<(typeof SUMS)[number], number>;
type SubjectRow = { subject: number | string; name: string | null; detail: string | null } & Sums &
  Record<`${keyof Sums}_before`, number>;

const revenue = sql.raw("(charged - refunded)");
const resold = sql.raw("(charged - refunded - by_hand)");
const SORTS: Record<Exclude<ReportSort, "day">, SQL> = {
  revenue,
  orders: sql.raw("orders"),
  earned: sql`${resold} - cost`,
  // Without such revenue there is no margin. It is last, whatever the direction.
  margin: sql`iif(${resold} > 0, cast((${resold} - cost) * 10000 / ${resold} as integer), null)`,
  change: sql`${revenue} - (charged_before - refunded_before)`,
};

async function readSubjects(
  db: Db,
  { by, period, compared, sort }: ReportQuery & { by: Subject },
  now: number,
  limit: number,
): Promise<ReportRow[]> {
  const { key, sums, table, name, detail } = SUBJECTS[by];
  const moves = (
    { from, to }: Period,
    was: 0 | 1,
  ) => sql`select ${key} as subject, ${sql.raw(String(was))} as was, ${sums}
    from ${table} where day between cast(${from} as integer) and cast(${to} as integer)`;
  const both = SUMS.flatMap((one) => [
    sql.raw(`sum(iif(was, 0, ${one})) as ${one}`),
    sql.raw(`sum(iif(was, ${one}, 0)) as ${one}_before`),
  ]);
  const isAny = SUMS.flatMap((one) => [sql.raw(`${one} <> 0`), sql.raw(`${one}_before <> 0`)]);
  const order = sql`${SORTS[sort.key === "day" ? "revenue" : sort.key]} ${sql.raw(sort.descending ? "desc" : "asc")} nulls last, subject`;
  // A provider's is that of all its services, whatever was sold. The others are looked up for those that are shown.
  const ofAll = by === "provider" ? readBothDeliveries(db, { by, period, compared }, now, []) : null;
  const reading = db.all<SubjectRow>(sql`
    with sums as (
      select subject, ${sql.join(both, sql`, `)} from (${moves(period, 0)} union all ${moves(compared, 1)})
      group by subject
    ), shown as (select * from sums where ${sql.join(isAny, sql` or `)} order by ${order} limit cast(${limit} as integer))
    select *, ${name} as name, ${detail} as detail from shown order by ${order}`);
  const [found, deliveries] = await Promise.all([reading, ofAll]);
  const isKept = by !== "customer" || compared.from > salesDayOf(now) - SPENDING_DAYS_KEPT;
  const [delivery, deliveryBefore] = deliveries ?? (await readBothDeliveries(db, { by, period, compared }, now, found));
  return found.map((row) => ({
    key: String(row.subject),
    name: row.subject === 0 ? "By hand" : (row.name ?? ""),
    detail: row.detail ?? "",
    now: figuresOf(sumsOf(row, "")),
    before: isKept ? figuresOf(sumsOf(row, "_before")) : null,
    delivery: delivery?.get(row.subject) ?? null,
    deliveryBefore: deliveryBefore?.get(row.subject) ?? null,
  }));
}

async function readBothDeliveries(
  db: Db,
  { by, period, compared }: { by: Subject; period: Period; compared: Period },
  now: number,
  found: SubjectRow[],
) {
  const ids = found.map(({ subject }) => subject);
  const read = (of: Period) => readDelivery(db, by, of, now, ids);
  // A provider's is half of the report's reads. What it was is read for as few days as a day's.
  const hasBefore = by !== "provider" || period.to - period.from < MAX_TIMED_DAYS.day;
  return Promise.all([read(period), hasBefore ? read(compared) : null]);
}

function sumsOf(row: SubjectRow, suffix: "" | "_before"): SalesSums {
  const { by_hand, ...sums } = Object.fromEntries(SUMS.map((name) => [name, row[`${name}${suffix}`]])) as Sums;
  return { ...sums, byHand: by_hand };
}
