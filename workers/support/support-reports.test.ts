import { SELF } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { connectSupport } from "#app/db/db.server.ts";
import { readReport } from "#app/support/inbox/reports.server.ts";
import { MINUTE_MS } from "#app/time.ts";
import { signedIn } from "#tests/workerd/signed-in-account.ts";
import { closedConversation, ORIGIN, roomOf, takeAction } from "#tests/workerd/support-visitor.ts";

const supportDb = connectSupport(env.DB_SUPPORT);
const NOON = Date.parse("2026-03-30T12:00:00Z");
const at = (text: string) => Date.parse(text);

type Case = { started: number; answered?: number; closed?: number; agent?: string; rating?: "good" | "bad" };

test("reports every day with zeros and no medians when there are no cases", async () => {
  const report = await readReport(supportDb, 7, NOON, "UTC");
  expect(report.days.map(({ day }) => day)).toEqual([
    "2026-03-24",
    "2026-03-25",
    "2026-03-26",
    "2026-03-27",
    "2026-03-28",
    "2026-03-29",
    "2026-03-30",
  ]);
  const nothing = { cases: 0, firstResponseMs: null, resolutionMs: null, good: 0, bad: 0 };
  for (const day of report.days) expect(day).toEqual({ day: day.day, ...nothing });
  expect(report.all).toEqual(nothing);
  expect(report.agents).toEqual([]);
});

test("says in words what a report has no figures for, and draws no chart of it", async () => {
  const { cookie } = await signedIn("admin", "Al");
  const page = async () =>
    (await SELF.fetch(`${ORIGIN}/admin/reports/support?days=7`, { headers: { Cookie: cookie } })).text();
  const charts = (html: string) => html.match(/<figure/g)?.length ?? 0;
  const empty = await page();
  expect(empty).toContain("No conversations in the last 7 days");
  expect(charts(empty)).toBe(0);

  const [start, words] = [Date.now() - MINUTE_MS, ["No replies", "No conversations were closed", "No ratings"]];
  await store("asked", [{ started: start }]);
  const asked = await page();
  for (const text of words) expect(asked).toContain(`${text} in this period`);
  expect(charts(asked)).toBe(1);

  await store("rated", [{ started: start, answered: start + 1, closed: start + 2, agent: "Bo", rating: "bad" }]);
  const rated = await page();
  for (const text of words) expect(rated).not.toContain(text);
  expect(charts(rated)).toBe(5);
});

test("computes the medians, counts and ratings by day and by agent", async () => {
  const [monday, tuesday] = [at("2026-03-23T10:00:00Z"), at("2026-03-24T10:00:00Z")];
  await store("hand", [
    // An odd count: 1, 5, 30 minutes to the answer.
    { started: monday, answered: monday + MINUTE_MS, closed: monday + 10 * MINUTE_MS, agent: "Ada", rating: "good" },
    { started: monday + 1, answered: monday + 1 + 5 * MINUTE_MS, closed: monday + 1 + 40 * MINUTE_MS, agent: "Ada" },
    { started: monday + 2, answered: monday + 2 + 30 * MINUTE_MS, agent: "Bo", rating: "bad" },
    // An even count: 2, 4, 10 and 60 minutes, and one that nobody has answered.
    {
      started: tuesday,
      answered: tuesday + 10 * MINUTE_MS,
      closed: tuesday + 20 * MINUTE_MS,
      agent: "Bo",
      rating: "good",
    },
    { started: tuesday + 1, answered: tuesday + 1 + 60 * MINUTE_MS, agent: "Bo" },
    { started: tuesday + 2, answered: tuesday + 2 + 2 * MINUTE_MS, closed: tuesday + 2 + 30 * MINUTE_MS, agent: "Ada" },
    { started: tuesday + 3, answered: tuesday + 3 + 4 * MINUTE_MS, agent: "Bo", rating: "bad" },
    { started: tuesday + 4, closed: tuesday + 4 + 100 * MINUTE_MS },
    // A day too early.
    { started: at("2026-03-22T23:59:59.999Z"), answered: at("2026-03-23T23:00:00Z"), agent: "Ada", rating: "bad" },
  ]);
  const { days, agents, all } = await readReport(supportDb, 2, tuesday, "UTC");
  expect(days).toEqual([
    { day: "2026-03-23", cases: 3, firstResponseMs: 5 * MINUTE_MS, resolutionMs: 25 * MINUTE_MS, good: 1, bad: 1 },
    { day: "2026-03-24", cases: 5, firstResponseMs: 7 * MINUTE_MS, resolutionMs: 30 * MINUTE_MS, good: 1, bad: 1 },
  ]);
  expect(agents).toEqual([
    {
      agentId: "id-Bo",
      agentName: "Bo",
      cases: 4,
      firstResponseMs: 20 * MINUTE_MS,
      resolutionMs: 20 * MINUTE_MS,
      good: 1,
      bad: 2,
    },
    {
      agentId: "id-Ada",
      agentName: "Ada",
      cases: 3,
      firstResponseMs: 2 * MINUTE_MS,
      resolutionMs: 30 * MINUTE_MS,
      good: 1,
      bad: 0,
    },
  ]);
  // 1, 2, 4, 5, 10, 30, 60 to the answer; 10, 20, 30, 40, 100 until it was closed.
  expect(all).toEqual({ cases: 8, firstResponseMs: 5 * MINUTE_MS, resolutionMs: 30 * MINUTE_MS, good: 2, bad: 2 });
});

test("counts by the team's calendar days, including one of 23 hours", async () => {
  // In Berlin the clocks go forward on 29 March 2026, at 01:00 UTC.
  await store("zone", [
    { started: at("2026-03-28T22:59:59Z") },
    { started: at("2026-03-28T23:00:00Z") },
    { started: at("2026-03-29T21:59:59Z") },
    { started: at("2026-03-29T22:00:00Z") },
  ]);
  const cases = async (zone: string) =>
    (await readReport(supportDb, 3, NOON, zone)).days.map(({ day, cases: count }) => [day, count]);
  expect(await cases("Europe/Berlin")).toEqual([
    ["2026-03-28", 1],
    ["2026-03-29", 2],
    ["2026-03-30", 1],
  ]);
  expect(await cases("UTC")).toEqual([
    ["2026-03-28", 2],
    ["2026-03-29", 2],
    ["2026-03-30", 0],
  ]);
  // It is the 31st there already.
  expect((await readReport(supportDb, 1, NOON, "Pacific/Kiritimati")).days).toMatchObject([
    { day: "2026-03-31", cases: 0 },
  ]);
});

test("counts a reopened conversation as a second case with its own times", async () => {
  const before = (await readReport(supportDb, 1, Date.now(), "UTC")).all.cases;
  const { ada, bo, visitor } = await closedConversation();
  await roomOf(ada.sessionId).rate("good");
  visitor.sendMessage("c", "It is not here");
  await visitor.next("ack");
  await takeAction(ada.sessionId, bo.cookie, { action: "tag", tag: "stored", isOn: true });
  const { all, agents } = await readReport(supportDb, 1, Date.now(), "UTC");
  expect(all.cases).toBe(before + 2);
  expect(agents.find(({ agentId }) => agentId === bo.userId)).toMatchObject({ cases: 1, good: 1, bad: 0 });
});

async function store(sessionId: string, cases: Case[]): Promise<void> {
  const session = env.DB_SUPPORT.prepare(
    "insert into support_sessions (session_id, user_name, created_at, updated_at) values (?, 'Ada', 1, 1)",
  ).bind(sessionId);
  const rows = cases.map(({ started, answered, closed, agent, rating }, no) =>
    env.DB_SUPPORT.prepare(
      `insert into support_cases (session_id, no, started_at, first_reply_at, agent_id, agent_name, closed_at, rating)
       values (?, ?, ?, ?, ?, ?, ?, ?)`,
    ).bind(
      sessionId,
      no + 1,
      started,
      answered ?? null,
      agent ? `id-${agent}` : null,
      agent ?? null,
      closed ?? null,
      rating ?? null,
    ),
  );
  await env.DB_SUPPORT.batch([session, ...rows]);
}
