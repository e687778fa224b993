import { evictDurableObject, runDurableObjectAlarm, SELF } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { connect, connectSupport } from "#app/db/db.server.ts";
import { profiles } from "#app/db/schema.server.ts";
import { countInbox, readInbox } from "#app/support/inbox/inbox.server.ts";
import type { InboxPage, InboxRow } from "#app/support/inbox/inbox-view.ts";
import { UNTIL_ANSWER_MS } from "#app/support/protocol/console-frames.ts";
import { DESK_NAME } from "#app/support/protocol/desk-name.ts";
import { userSessionId } from "#app/support/protocol/session-id.ts";
import { MINUTE_MS } from "#app/time.ts";
import { countedDatabase } from "#tests/workerd/counted-database.ts";
import { fillInbox } from "#tests/workerd/inbox-fill.ts";
import { withoutTable } from "#tests/workerd/missing-table.ts";
import { type SignedInAccount, signedIn } from "#tests/workerd/signed-in-account.ts";
import { newVisitor, ORIGIN, roomOf, startChat, takeAction, until, upgrade } from "#tests/workerd/support-visitor.ts";
import { readVersionedSettings, saveSettings } from "./support-settings.server.ts";
import { DEFAULT_SETTINGS, type SupportSettings } from "./team-settings.ts";

const db = connect(env.DB);
const desk = env.SUPPORT_DESK.getByName(DESK_NAME);
const open: WebSocket[] = [];

const use = async (settings: Partial<SupportSettings>) =>
  saveSettings(
    db,
    { ...DEFAULT_SETTINGS, ...settings },
    { userId: "admin-1", name: "Al" },
    (await readVersionedSettings(db)).version,
  );

beforeEach(() => use({}));
afterEach(() => {
  for (const socket of open.splice(0)) socket.close(1000, "done");
  vi.restoreAllMocks();
});

test("gives an unanswered question a time to be answered by, until it is answered or closed", async () => {
  await use({ responseMinutes: 30 });
  const { sessionId } = await newVisitor();
  const bo = await signedIn("agent", "Bo");
  const askedAt = await ask(sessionId, "1");
  expect((await rowWhen(sessionId, ({ respondBy }) => respondBy > 0)).respondBy).toBe(askedAt + 30 * MINUTE_MS);
  // Neither another message nor a note changes it.
  await ask(sessionId, "2");
  await takeAction(sessionId, bo.cookie, { action: "note", clientId: "n", body: "Look" });
  await rowWhen(sessionId, ({ lastMessage }) => lastMessage === "Question 2");
  expect((await rowWhen(sessionId, () => true)).respondBy).toBe(askedAt + 30 * MINUTE_MS);
  await answer(sessionId, bo, "1");
  await rowWhen(sessionId, ({ respondBy }) => respondBy === 0);
  // The same case goes on: it had its first reply.
  await ask(sessionId, "3");
  expect((await rowWhen(sessionId, ({ lastMessage }) => lastMessage === "Question 3")).respondBy).toBe(0);

  await takeAction(sessionId, bo.cookie, { action: "status", status: "closed" });
  await takeAction(sessionId, bo.cookie, { action: "status", status: "open" });
  expect((await rowWhen(sessionId, () => true)).respondBy).toBe(0);
  await takeAction(sessionId, bo.cookie, { action: "status", status: "closed" });
  const again = await ask(sessionId, "4");
  expect((await rowWhen(sessionId, ({ respondBy }) => respondBy > 0)).respondBy).toBe(again + 30 * MINUTE_MS);
  await takeAction(sessionId, bo.cookie, { action: "status", status: "closed" });
  expect((await rowWhen(sessionId, () => true)).respondBy).toBe(0);
});

test("keeps the time through a log-in, and finds it after an outage of the main database", async () => {
  await use({ responseMinutes: 60 });
  const { sessionId, cookie } = await newVisitor();
  vi.spyOn(console, "error").mockImplementation(() => {});
  const askedAt = await withoutTable(env.DB, "support_settings", async () => {
    const at = await ask(sessionId, "1");
    expect((await rowWhen(sessionId, ({ lastMessage }) => lastMessage === "Question 1")).respondBy).toBe(0);
    await evictDurableObject(roomOf(sessionId));
    return at;
  });
  // Whatever wakes the room resumes what was left.
  await roomOf(sessionId).read(0);
  await rowWhen(sessionId, ({ respondBy }) => respondBy === askedAt + 60 * MINUTE_MS);
  const ada = await signedIn("customer", "Ada");
  expect((await startChat({ name: "Ada" }, `${cookie}; ${ada.cookie}`)).status).toBe(200);
  await rowWhen(userSessionId(ada.userId), ({ respondBy }) => respondBy === askedAt + 60 * MINUTE_MS);
});

test("puts overdue conversations on top of the lists, unless they are snoozed", async () => {
  await use({ responseMinutes: 10 });
  const bo = await signedIn("agent", "Bo");
  const [first, second, third] = [await newVisitor(), await newVisitor(), await newVisitor()];
  for (const { sessionId } of [first, second, third]) {
    await ask(sessionId, "1");
    await rowWhen(sessionId, ({ respondBy }) => respondBy > 0);
  }
  const order = async (view = "open") => {
    const { rows } = await inbox(bo, `view=${view}`);
    const names = new Map([first, second, third].map(({ sessionId }, at) => [sessionId, at + 1]));
    return rows.flatMap(({ sessionId }) => names.get(sessionId) ?? []);
  };
  expect(await order()).toEqual([3, 2, 1]);
  const now = Date.now();
  const makeDue = (sessionId: string, at: number) =>
    env.DB_SUPPORT.prepare("update support_sessions set respond_by = cast(?1 as integer) where session_id = ?2")
      .bind(at, sessionId)
      .run();
  await makeDue(first.sessionId, now - 1000);
  expect(await order()).toEqual([1, 3, 2]);
  await makeDue(second.sessionId, now - 2000);
  expect(await order()).toEqual([2, 1, 3]);
  expect(await order("unassigned")).toEqual([2, 1, 3]);
  // An open console reads the list again when the next one is due.
  const later = now + 5 * MINUTE_MS;
  await makeDue(third.sessionId, later);
  expect((await inbox(bo, "view=open")).changesAt).toBe(later);
  await env.DB_SUPPORT.prepare("update support_sessions set snoozed_until = ?1 where session_id = ?2")
    .bind(UNTIL_ANSWER_MS, second.sessionId)
    .run();
  expect(await order()).toEqual([1, 3]);
  expect(await order("snoozed")).toEqual([2]);
});

test("pages through overdue conversations and those after them, and reads no more rows than it shows", async () => {
  await env.DB_SUPPORT.prepare("delete from support_sessions").run();
  await fillInbox(env.DB_SUPPORT, { conversations: 3000, messagesEach: 1, agents: ["agent-1", "agent-2"] });
  await env.DB_SUPPORT.prepare(
    "update support_sessions set respond_by = id where status = 'open' and id % 3 = 0",
  ).run();
  const { results } = await env.DB_SUPPORT.prepare(
    `select session_id as id from support_sessions where status = 'open'
     order by respond_by = 0, iif(respond_by > 0, respond_by, -updated_at), -id`,
  ).all<{ id: string }>();
  const { database, counts } = countedDatabase(env.DB_SUPPORT);
  const supportDb = connectSupport(database);
  const seen: string[] = [];
  let after: string | null = null;
  do {
    const page: InboxPage = await readInbox(supportDb, { view: "open", agentId: "agent-1", after, limit: 40 });
    seen.push(...page.rows.map(({ sessionId }) => sessionId));
    after = page.next;
  } while (after !== null);
  expect(seen).toEqual(results.map(({ id }) => id));
  counts.rowsRead = 0;
  await countInbox(supportDb, "agent-1", Date.now());
  expect(counts.rowsRead).toBeLessThan(20);
});

test("assigns new conversations in turn to the agents who are there, also when many start at once", async () => {
  await use({ assignsInTurn: true });
  const agents = [await signedIn("agent", "Bo"), await signedIn("agent", "Cy"), await signedIn("admin", "Di")];
  for (const { cookie } of agents) await openConsole(cookie);
  // A second window is no second turn.
  await openConsole(agents[0]?.cookie ?? "");
  const visitors = await Promise.all(Array.from({ length: 9 }, () => newVisitor()));
  await Promise.all(visitors.map(({ sessionId }) => ask(sessionId, "1")));
  const turns = await Promise.all(visitors.map(({ sessionId }) => assigneeOf(sessionId)));
  expect(agents.map(({ userId }) => turns.filter((id) => id === userId).length)).toEqual([3, 3, 3]);

  // The order survives the desk.
  await evictDurableObject(desk);
  const before = await newAssignees(3);
  expect(new Set(before)).toEqual(new Set(agents.map(({ userId }) => userId)));
  // Who is away gets none, and is not first for long when back.
  const [bo, cy, di] = agents as [SignedInAccount, SignedInAccount, SignedInAccount];
  expect((await setAway(bo.cookie, true)).status).toBe(204);
  expect(new Set(await newAssignees(4))).toEqual(new Set([cy.userId, di.userId]));
  await setAway(bo.cookie, false);
  expect((await newAssignees(3)).filter((id) => id === bo.userId)).toHaveLength(1);
});

test("leaves a conversation unassigned when nobody is there, and with the agent who took it or had it before", async () => {
  await use({ assignsInTurn: true });
  await until(async () => (await desk.agents()) === 0);
  const bo = await signedIn("agent", "Bo");
  const { sessionId } = await newVisitor();
  await ask(sessionId, "1");
  await rowWhen(sessionId, ({ lastMessage }) => lastMessage === "Question 1");
  await openConsole(bo.cookie);
  await ask(sessionId, "2");
  expect((await rowWhen(sessionId, ({ lastMessage }) => lastMessage === "Question 2")).assigneeId).toBeNull();

  const cy = await signedIn("agent", "Cy");
  const own = await newVisitor();
  await takeAction(own.sessionId, bo.cookie, { action: "assign", agentId: cy.userId });
  await ask(own.sessionId, "1");
  const row = await rowWhen(own.sessionId, ({ lastMessage }) => lastMessage === "Question 1");
  expect(row.assigneeId).toBe(cy.userId);
  const customer = await signedIn("customer", "Eve");
  expect((await setAway(customer.cookie, true)).status).toBe(404);
});

test.for([true, false])(
  "gives a new question of somebody who left the team to another, in turn: %s",
  async (inTurn) => {
    await use({ assignsInTurn: inTurn });
    await until(async () => (await desk.agents()) === 0);
    const [bo, cy] = [await signedIn("agent", "Bo"), await signedIn("agent", "Cy")];
    const { sessionId } = await newVisitor();
    await ask(sessionId, "1");
    await answer(sessionId, bo, "1");
    await takeAction(sessionId, bo.cookie, { action: "status", status: "closed" });
    await db.update(profiles).set({ role: "customer" }).where(eq(profiles.userId, bo.userId));
    await openConsole(cy.cookie);
    await ask(sessionId, "2");
    await rowWhen(sessionId, ({ assigneeId }) => assigneeId === (inTurn ? cy.userId : null));
  },
);

test("assigns nothing by itself unless that is set", async () => {
  const bo = await signedIn("agent", "Bo");
  await openConsole(bo.cookie);
  const { sessionId } = await newVisitor();
  await ask(sessionId, "1");
  expect((await rowWhen(sessionId, ({ lastMessage }) => lastMessage === "Question 1")).assigneeId).toBeNull();
});

/** Sends a visitor's message and returns when the room stored it. */
async function ask(sessionId: string, no: string): Promise<number> {
  const from = { side: "user", author: sessionId, name: "Ada" } as const;
  const sent = await roomOf(sessionId).sendMessage(from, { clientId: no, body: `Question ${no}` });
  if (!sent.ok) throw new Error(sent.reason);
  return sent.ack.created_at;
}

async function answer(sessionId: string, { userId }: SignedInAccount, no: string): Promise<void> {
  const from = { side: "admin", author: userId, name: "Bo" } as const;
  await roomOf(sessionId).sendMessage(from, { clientId: no, body: "Answer" });
}

/** Waits until D1 has the conversation like that, which its room stores without its usual delay. */
async function rowWhen(sessionId: string, is: (row: InboxRow) => boolean): Promise<InboxRow> {
  await runDurableObjectAlarm(roomOf(sessionId));
  return until(async () => {
    const query = `select respond_by as respondBy, last_message as lastMessage, assignee_id as assigneeId
      from support_sessions where session_id = ?1`;
    const row = await env.DB_SUPPORT.prepare(query).bind(sessionId).first<InboxRow>();
    return row && is(row) ? row : null;
  });
}

async function assigneeOf(sessionId: string): Promise<string> {
  return (await rowWhen(sessionId, ({ assigneeId }) => assigneeId !== null)).assigneeId ?? "";
}

async function newAssignees(count: number): Promise<string[]> {
  const assignees: string[] = [];
  for (let at = 0; at < count; at++) {
    const { sessionId } = await newVisitor();
    await ask(sessionId, "1");
    assignees.push(await assigneeOf(sessionId));
  }
  return assignees;
}

async function openConsole(cookie: string): Promise<void> {
  const { webSocket } = await upgrade("/admin/inbox/socket", cookie);
  if (!webSocket) throw new Error("no socket");
  webSocket.accept();
  open.push(webSocket);
}

async function inbox({ cookie }: SignedInAccount, query: string): Promise<InboxPage> {
  return (await SELF.fetch(`${ORIGIN}/admin/inbox?${query}`, { headers: { Cookie: cookie } })).json();
}

function setAway(cookie: string, isAway: boolean): Promise<Response> {
  return SELF.fetch(`${ORIGIN}/admin/availability`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Origin: ORIGIN, Host: "growline.example", Cookie: cookie },
    body: JSON.stringify({ isAway }),
    redirect: "manual",
  });
}
