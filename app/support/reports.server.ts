import { sql } from "drizzle-orm";
import type { Db } from "#app/db/db.server.ts";

/** What the team's work came to, by the day in UTC that a question was asked. Reads the cases of those days only. */

const DAY_MS = 24 * 60 * 60 * 1000;

/** Medians in ms; null where nothing was answered or closed. */
export type ReportDay = {
  day: string;
  cases: number;
  firstAnswerMs: number | null;
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
  first_answer: number | null;
  resolution: number | null;
};

/** The last `days` days, today being the last of them. Days without a question are there too. */
export async function readReport(db: Db, days: number, now: number): Promise<Report> {
  const today = Math.floor(now / DAY_MS);
  const from = (today - days + 1) * DAY_MS;
  const [byDay, byAgent, [all]] = await Promise.all([
    group(db, from, "date(started_at / 1000, 'unixepoch')"),
    group(db, from, "coalesce(agent_id, '')"),
    group(db, from, "'all'"),
  ]);
  const known = new Map(byDay.map((row) => [row.key, row]));
  return {
    days: Array.from({ length: days }, (_, at) => {
      const day = new Date(from + at * DAY_MS).toISOString().slice(0, 10);
      return { day, ...figures(known.get(day)) };
    }),
    agents: byAgent
      .filter(({ key }) => key !== "")
      .map((row) => ({ agentId: row.key, agentName: row.name ?? "", ...figures(row) }))
      .sort((one, other) => other.cases - one.cases),
    all: figures(all),
  };
}

/** `key`: SQL of our own, never of a caller's. */
function group(db: Db, from: number, key: string): Promise<Row[]> {
  const median = (what: string) =>
    sql.raw(`
    (select "key", avg(x) as x from (
      select "key", ${what} as x, row_number() over w as at, count(*) over (partition by "key") as n
      from found where ${what} is not null window w as (partition by "key" order by ${what})
    ) where at in ((n + 1) / 2, (n + 2) / 2) group by "key")`);
  return db.all<Row>(sql`
    with found as materialized (
      select ${sql.raw(key)} as "key", agent_name, rating, answered_at - started_at as first_answer,
        closed_at - started_at as resolution
      from support_cases indexed by support_cases_by_start where started_at >= ${from}
    )
    select g."key", g.name, g.cases, g.good, g.bad, f.x as first_answer, r.x as resolution
    from (
      select "key", max(agent_name) as name, count(*) as cases,
        coalesce(sum(rating = 'good'), 0) as good, coalesce(sum(rating = 'bad'), 0) as bad
      from found group by "key"
    ) g
    left join ${median("first_answer")} f on f."key" = g."key"
    left join ${median("resolution")} r on r."key" = g."key"
    order by g."key"`);
}

function figures(row: Row | undefined): Omit<ReportDay, "day"> {
  return {
    cases: row?.cases ?? 0,
    firstAnswerMs: row?.first_answer ?? null,
    resolutionMs: row?.resolution ?? null,
    good: row?.good ?? 0,
    bad: row?.bad ?? 0,
  };
}
