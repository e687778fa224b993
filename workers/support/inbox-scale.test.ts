import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { connectSupport } from "#app/db/db.server.ts";
import { countInbox, readInbox, readInboxRows } from "#app/support/inbox/inbox.server.ts";
import { INBOX_VIEWS, type InboxView } from "#app/support/inbox/inbox-view.ts";
import { search } from "#app/support/inbox/message-search.server.ts";
import { readReport } from "#app/support/inbox/reports.server.ts";
import { atScale } from "#tests/workerd/at-scale.ts";
import { countedDatabase } from "#tests/workerd/counted-database.ts";
import { fillInbox } from "#tests/workerd/inbox-fill.ts";

const ME = "agent-1";
const AGENTS = [ME, "agent-2", "agent-3"];
const PAGE = 50;
const MESSAGES_EACH = 10;
const SNOOZED = 60;
/** A time that never comes in these tests. */
const LATER = Date.UTC(9000, 0);

test("lists each view newest first, in pages that do not overlap", async () => {
  await fill(atScale(800, 2000));
  await env.DB_SUPPORT.prepare("update support_sessions set snoozed_until = ? where id % 3 = 0").bind(LATER).run();
  const supportDb = connectSupport(env.DB_SUPPORT);
  const fits: Record<InboxView, string> = {
    open: "status = 'open' and snoozed_until = 0",
    mine: `status = 'open' and snoozed_until = 0 and assignee_id = '${ME}'`,
    unassigned: "status = 'open' and snoozed_until = 0 and assignee_id is null",
    closed: "status = 'closed'",
    snoozed: "status = 'open' and snoozed_until > 0",
  };
  for (const view of INBOX_VIEWS) {
    const { results } = await env.DB_SUPPORT.prepare(
      `select session_id as id from support_sessions where ${fits[view]} order by updated_at desc, id desc`,
    ).all<{ id: string }>();
    const seen: string[] = [];
    let after: string | null = null;
    do {
      const page: Awaited<ReturnType<typeof readInbox>> = await readInbox(supportDb, {
        view,
        agentId: ME,
        after,
        limit: 70,
      });
      seen.push(...page.rows.map(({ sessionId }) => sessionId));
      after = page.next;
      expect(page.counts[view], view).toBe(results.length);
    } while (after !== null);
    expect(seen, view).toEqual(results.map(({ id }) => id));
  }
});

test("keeps the counters equal to the rows through every change", async () => {
  await fill(300);
  const changes = [
    "update support_sessions set status = 'closed' where id % 3 = 0",
    "update support_sessions set assignee_id = 'agent-9' where id % 5 = 0",
    "update support_sessions set assignee_id = null where id % 7 = 0",
    "update support_sessions set agent_read_seq = last_seq where id % 2 = 0",
    "update support_sessions set last_seq = last_seq + 1 where id % 4 = 0",
    "delete from support_sessions where id % 11 = 0",
    "update support_sessions set status = 'open'",
    `update support_sessions set snoozed_until = ${LATER} where id % 3 = 0`,
    "update support_sessions set snoozed_until = 1 where id % 6 = 0",
  ];
  const supportDb = connectSupport(env.DB_SUPPORT);
  for (const change of changes) {
    await env.DB_SUPPORT.prepare(change).run();
    const counted = await env.DB_SUPPORT.prepare(
      `select sum(awake) as open, sum(status = 'closed') as closed, sum(status = 'open' and not awake) as snoozed,
         sum(awake and assignee_id is null) as unassigned, sum(awake and assignee_id = ?1) as mine,
         sum(awake and (assignee_id is null or assignee_id = ?1) and last_seq > agent_read_seq) as unread
       from (select *, status = 'open' and snoozed_until <= 1 as awake from support_sessions)`,
    )
      .bind(ME)
      .first();
    expect((await countInbox(supportDb, ME, Date.now())).counts, change).toEqual(counted);
  }
});

test("searches by prefix, without accents and in any script, finds people, and drops deleted conversations", async () => {
  const supportDb = connectSupport(env.DB_SUPPORT);
  await say("s1", "Zoë Müller", "Mein Päckchen ist nicht angekommen");
  await say("s2", "Олег", "Где мой заказ? C++ и 100%");
  await say("s3", "Ada", 'She said "order" AND NOT (anything) NEAR/2 : *');
  const found = async (text: string) =>
    (await search(supportDb, text, null, 10)).hits.map(({ sessionId }) => sessionId);
  expect(await found("packch")).toEqual(["s1"]);
  expect(await found("PÄCKCHEN nicht")).toEqual(["s1"]);
  expect(await found("заказ")).toEqual(["s2"]);
  expect(await found("100%")).toEqual(["s2"]);
  expect(await found("nowhere")).toEqual([]);
  expect((await search(supportDb, "muller", null, 10)).people).toMatchObject([
    { sessionId: "s1", userName: "Zoë Müller" },
  ]);
  await env.DB_SUPPORT.prepare("update support_sessions set user_name = 'Zoe Schmidt' where session_id = 's1'").run();
  expect((await search(supportDb, "muller", null, 10)).people).toEqual([]);
  expect((await search(supportDb, "schmidt", null, 10)).people).toHaveLength(1);
  await env.DB_SUPPORT.prepare("delete from support_sessions where session_id = 's2'").run();
  expect(await found("заказ")).toEqual([]);
  const check = await env.DB_SUPPORT.prepare(
    "insert into support_search (support_search) values ('integrity-check')",
  ).run();
  expect(check.success).toBe(true);
});

test("treats everything typed into the search as words, never as operators", async () => {
  const supportDb = connectSupport(env.DB_SUPPORT);
  await say("h1", "Eve", 'He wrote "parcel" AND NOT (anything) NEAR/2 : *');
  const hostile = [
    '"',
    '""""',
    "*",
    "a*b",
    "order OR 1=1",
    "NOT",
    "AND AND",
    "NEAR(a b)",
    "message:order",
    "-order",
    "^order",
    "{x} : y",
    "'; drop table support_messages; --",
    "\0order",
    "\ud800",
    "😀",
    "o".repeat(5000),
    "a ".repeat(500),
    "%",
    "_",
    "\u0001\u0002",
  ];
  for (const text of hostile) {
    const { hits } = await search(supportDb, text, null, 5);
    expect(Array.isArray(hits), text.slice(0, 20)).toBe(true);
  }
  expect((await search(supportDb, 'wrote "parcel" NOT', null, 5)).hits).toHaveLength(1);
  expect((await search(supportDb, "parcel OR missing", null, 5)).hits).toEqual([]);
});

test("reads as many rows however many conversations and messages there are", async () => {
  const { database, counts } = countedDatabase(env.DB_SUPPORT);
  const supportDb = connectSupport(database);
  const rowsRead = () => {
    const sinceLastTime = counts.rowsRead;
    counts.rowsRead = 0;
    return sinceLastTime;
  };
  const readings: Record<string, number>[] = [];
  await env.DB_SUPPORT.prepare("update support_sessions set snoozed_until = 0").run();
  // Each night, a million messages at last.
  const sizes = atScale(0, 1) ? [12_000, 88_000] : [2000, 4000];
  for (const more of sizes) {
    await fill(more);
    // As many snoozed ones each time, because those are read to be counted.
    await env.DB_SUPPORT.prepare(
      `update support_sessions set snoozed_until = ? where session_id in (select session_id from support_sessions where status = 'open' order by id limit ${SNOOZED})`,
    )
      .bind(LATER)
      .run();
    const read: Record<string, number> = {};
    for (const view of INBOX_VIEWS) {
      const { rows, next } = await readInbox(supportDb, { view, agentId: ME, after: null, limit: PAGE });
      read[view] = rowsRead();
      expect(rows.length, view).toBe(PAGE);
      await readInbox(supportDb, { view, agentId: ME, after: next, limit: PAGE });
      read[`${view}, page 2`] = rowsRead();
    }
    for (const text of ["order", "where is order", "pleas", "CAFE", "number1999 please7"]) {
      expect((await search(supportDb, text, null, 30)).hits.length, text).toBeGreaterThan(0);
      read[`search ${text}`] = rowsRead();
    }
    await readInboxRows(supportDb, [idOf(5), idOf(17)]);
    read.hinted = rowsRead();
    await readReport(supportDb, 30, Date.now(), "UTC");
    read["a report of days without a case"] = rowsRead();
    readings.push(read);
  }
  const [small, large] = readings;
  expect(await env.DB_SUPPORT.prepare("select count(*) as n from support_messages").first("n")).toBeGreaterThanOrEqual(
    MESSAGES_EACH * sizes.reduce((sum, more) => sum + more),
  );
  expect(large).toEqual(small);
  // The list of all open conversations reads a page of each assignee's, and of the unassigned.
  // Counting takes off the snoozed ones: an entry of the index and a row for each.
  const most = (what: string) =>
    100 +
    2 * SNOOZED +
    (what.startsWith("open") ? (AGENTS.length + 1) * (PAGE + 1) : what.startsWith("snoozed") ? 2 * SNOOZED : 0);
  for (const [what, rows] of Object.entries(large ?? {})) expect(rows, what).toBeLessThanOrEqual(most(what));
});

let filled = 0;

async function fill(conversations: number): Promise<void> {
  await fillInbox(env.DB_SUPPORT, { from: filled, conversations, messagesEach: MESSAGES_EACH, agents: AGENTS });
  filled += conversations;
}

function idOf(at: number): string {
  return `anon_${at}_${at.toString(16).padStart(32, "0")}`;
}

async function say(sessionId: string, name: string, message: string): Promise<void> {
  await env.DB_SUPPORT.batch([
    env.DB_SUPPORT.prepare(
      "insert into support_sessions (session_id, user_name, created_at, updated_at) values (?, ?, 1, 1)",
    ).bind(sessionId, name),
    env.DB_SUPPORT.prepare(
      `insert into support_messages (session_id, seq, sender_type, sender_name, message, created_at)
       values (?, 1, 'user', ?, ?, 1)`,
    ).bind(sessionId, name, message),
  ]);
}
