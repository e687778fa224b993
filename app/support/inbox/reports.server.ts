import { sql } from "drizzle-orm";
import type { SupportDb } from "#app/db/db.server.ts";
import { lastDays } from "#app/support/team/business-hours.ts";

// Counts a case on the day it started, and reads the cases of the requested days only.

/** Medians in ms; null if nothing was answered or closed. */
export type ReportDay = {
  day: string;
  cases: number;
  firstResponseMs: number | null;
  resolutionMs: number | null;
  good: number;
  bad: number;
};
export type ReportAgent = Omit<ReportDay, "day"> & { agentId: string; agentName: string };
export type Report = { days: ReportDay[]; agents: ReportAgent[]; all: Omit<ReportDay, "day"> };

type Row = {
  key: string;
  name: string | null;
  cases: number;
  good: number;
  bad: number;
  first_response: number | null;
  resolution: number | null;
};

/** Reports the last `count` days in that time zone, today included. Days without cases have zeros. */
export async function readReport(supportDb: SupportDb, count: number, now: number, timeZone: string): Promise<Report> {
  const days = lastDays(timeZone, count, now);
  const whole = [{ key: "all", from: days[0]?.from ?? now, to: days.at(-1)?.to ?? now }];
  const [byDay, byAgent, [all]] = await Promise.all([
    group(
      supportDb,
      days.map(({ day, from, to }) => ({ key: day, from, to })),
      "span",
    ),
    group(supportDb, whole, "agent"),
    group(supportDb, whole, "span"),
  ]);
  const known = new Map(byDay.map((row) => [row.key, row]));
  return {
    days: days.map(({ day }) => ({ day, ...figures(known.get(day)) })),
    agents: byAgent
      .filter(({ key }) => key !== "")
      .map((row) => ({ agentId: row.key, agentName: row.name ?? "", ...figures(row) }))
      .sort((one, other) => other.cases - one.cases),
    all: figures(all),
  };
}

/** Groups the cases that started in one of the spans (`from` <= start < `to`) by span or by the first agent to reply. */
function group(
  supportDb: SupportDb,
  spans: { key: string; from: number; to: number }[],
  by: "span" | "agent",
): Promise<Row[]> {
  const key = by === "span" ? "span.value ->> 'key'" : "coalesce(agent_id, '')";
  const median = (what: string) =>
    sql.raw(`
    (select "key", cast(avg(x) as integer) as x from (
      select "key", ${what} as x, row_number() over w as at, count(*) over (partition by "key") as n
      from found where ${what} is not null window w as (partition by "key" order by ${what})
    ) where at in ((n + 1) / 2, (n + 2) / 2) group by "key")`);
  return supportDb.all<Row>(sql`
    with found as materialized (
      select ${sql.raw(key)} as "key", agent_name, rating, first_reply_at - started_at as first_response,
        closed_at - started_at as resolution
      from json_each(${JSON.stringify(spans)}) as span cross join support_cases indexed by support_cases_by_start
      where started_at >= span.value ->> 'from' and started_at < span.value ->> 'to'
    )
    select g."key", g.name, g.cases, g.good, g.bad, f.x as first_response, r.x as resolution
    from (
      select "key", max(agent_name) as name, count(*) as cases,
        coalesce(sum(rating = 'good'), 0) as good, coalesce(sum(rating = 'bad'), 0) as bad
      from found group by "key"
    ) g
    left join ${median("first_response")} f on f."key" = g."key"
    left join ${median("resolution")} r on r."key" = g."key"
    order by g."key"`);
}

function figures(row: Row | undefined): Omit<ReportDay, "day"> {
  return {
    cases: row?.cases ?? 0,
    firstResponseMs: row?.first_response ?? null,
    resolutionMs: row?.resolution ?? null,
    good: row?.good ?? 0,
    bad: row?.bad ?? 0,
  };
}
