import { evictDurableObject, SELF } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { and, asc, eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { listStaff } from "#app/accounts/profile/team-members.server.ts";
import { connect, connectSupport } from "#app/db/db.server.ts";
import { supportCases, supportNotes, supportSessions } from "#app/db/schema/support-tables.server.ts";
import { auditLog, users } from "#app/db/schema.server.ts";
import { transcriptEmail } from "#app/support/email/transcript.server.ts";
import { DESK_NAME } from "#app/support/protocol/desk-name.ts";
import { userSessionId } from "#app/support/protocol/session-id.ts";
import { exportConversation } from "#app/support/support-personal-data.server.ts";
import { sessionCookie, signedIn } from "#tests/workerd/signed-in-account.ts";
import {
  closedConversation,
  newVisitor,
  ORIGIN,
  openConnection,
  roomOf,
  startChat,
  takeAction,
  until,
  upgrade,
} from "#tests/workerd/support-visitor.ts";

const db = connect(env.DB);
const supportDb = connectSupport(env.DB_SUPPORT);
const SECRET = "He is the owner's cousin";

test("lets only agents act on a conversation, and responds 404 to everyone else", async () => {
  const ada = await newVisitor();
  const customer = await signedIn("customer", "Cy");
  const agent = await signedIn("agent", "Bo");
  const close = { action: "status", status: "closed" } as const;
  expect(await takeAction(ada.sessionId, customer.cookie, close)).toBe(404);
  // Nobody is signed in: to the log-in page.
  expect(await takeAction(ada.sessionId, ada.cookie, close)).toBe(302);
  expect((await roomOf(ada.sessionId).read(0))?.session.status).toBe("open");
  expect(await takeAction(ada.sessionId, agent.cookie, close)).toBe(204);
  expect((await roomOf(ada.sessionId).read(0))?.session.status).toBe("closed");
  expect(await takeAction("anon_1_00000000000000000000000000000000", agent.cookie, close)).toBe(404);
  for (const path of ["/admin/inbox", "/admin?q=hello", `/admin/support/${ada.sessionId}`, "/admin/replies"]) {
    const answer = await SELF.fetch(ORIGIN + path, { headers: { Cookie: customer.cookie }, redirect: "manual" });
    expect(answer.status, path).toBe(404);
  }
  for (const path of ["/admin/reports", "/admin/settings", "/admin/customers"]) {
    const answer = await SELF.fetch(ORIGIN + path, { headers: { Cookie: agent.cookie }, redirect: "manual" });
    expect(answer.status, path).toBe(404);
  }
});

test("shows a note to the team, live and later, and never to the visitor", async () => {
  const { userId, cookie } = await signedIn("customer", "Cy");
  const sessionId = userSessionId(userId);
  await SELF.fetch(`${ORIGIN}/support/session`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Origin: ORIGIN, Cookie: cookie },
    body: JSON.stringify({ name: "Cy" }),
  });
  const agent = await signedIn("agent", "Bo");
  const visitor = await openConnection(sessionId, cookie);
  const desk = await openConnection(sessionId, agent.cookie);
  const note = { action: "note", clientId: "n1", body: SECRET } as const;
  expect(await takeAction(sessionId, agent.cookie, note)).toBe(204);
  const received = await until(() => desk.teamFrames.find((frame) => frame.type === "note"));
  expect(received).toMatchObject({ note: { body: SECRET, author_name: "Bo" } });
  // The same sending again is the same note.
  expect(await takeAction(sessionId, agent.cookie, note)).toBe(204);
  const again = await openConnection(sessionId, agent.cookie);
  const notes = await until(() => again.teamFrames.find((frame) => frame.type === "notes"));
  expect(notes).toMatchObject({ notes: [{ body: SECRET }] });
  expect(await supportDb.select().from(supportNotes).where(eq(supportNotes.sessionId, sessionId))).toHaveLength(1);

  // Something said after it, so that a leaked frame would have come by now.
  desk.sendMessage("a", "How can I help?");
  await visitor.next("message");
  expect(visitor.teamFrames).toEqual([]);
  expect(JSON.stringify(visitor.frames)).not.toContain(SECRET);
  const late = await openConnection(sessionId, cookie);
  await late.next("ready");
  await late.next("presence");
  expect(late.teamFrames).toEqual([]);
  const headers = { Cookie: cookie };
  for (const path of [
    `/support/sessions/${sessionId}/messages?since=0`,
    "/support/session",
    "/dashboard/account/export",
  ]) {
    const answer = await SELF.fetch(ORIGIN + path, { headers });
    expect(answer.status, path).toBe(200);
    expect(await answer.text(), path).not.toContain(SECRET);
  }
  const history = await roomOf(sessionId).read(0);
  if (!history) throw new Error("no history");
  expect(JSON.stringify(transcriptEmail({ email: "cy@example.com", timeZone: "UTC" }, history, ORIGIN))).not.toContain(
    SECRET,
  );
  expect(JSON.stringify(await exportConversation(supportDb, env.SUPPORT_ROOM, userId))).not.toContain(SECRET);
  // Deleted with the conversation.
  await roomOf(sessionId).deleteConversation(sessionId);
  expect(await supportDb.select().from(supportNotes).where(eq(supportNotes.sessionId, sessionId))).toEqual([]);
});

test("tells the team who is viewing, typing and where the visitor is, and the visitor only of typing", async () => {
  const ada = await newVisitor();
  const bo = await signedIn("agent", "Bo");
  const cleo = await signedIn("agent", "Cleo");
  const visitor = await openConnection(ada.sessionId, ada.cookie);
  const first = await openConnection(ada.sessionId, bo.cookie);
  const second = await openConnection(ada.sessionId, cleo.cookie);
  const names = (connection: typeof first) =>
    connection.teamFrames
      .findLast((frame) => frame.type === "agents")
      ?.agents.map(({ name }) => name)
      .sort();
  await until(() => names(first)?.length === 2 && names(second)?.length === 2);
  expect(names(first)).toEqual(["Bo", "Cleo"]);
  first.raw('{"type":"typing"}');
  const typing = await until(() => second.teamFrames.find((frame) => frame.type === "agent_typing"));
  expect(typing).toEqual({ type: "agent_typing", agent: { id: bo.userId, name: "Bo" } });
  expect(await visitor.next("typing")).toEqual({ type: "typing", side: "admin", name: "Bo" });

  visitor.raw('{"type":"page","path":"/dashboard","title":"Dashboard"}');
  const page = await until(() => second.teamFrames.find((frame) => frame.type === "page" && frame.page !== null));
  expect(page).toEqual({ type: "page", page: { path: "/dashboard", title: "Dashboard" } });
  // A query may carry secrets; such a frame is not one.
  visitor.raw('{"type":"page","path":"/reset-password?token=x","title":""}');
  expect(await visitor.next("error")).toMatchObject({ code: "bad_frame" });
  const third = await openConnection(ada.sessionId, bo.cookie);
  await until(() => third.teamFrames.some((frame) => frame.type === "page" && frame.page?.path === "/dashboard"));
  second.close();
  await until(() => names(first)?.join() === "Bo");
  visitor.close();
  await until(() => first.teamFrames.findLast((frame) => frame.type === "page")?.page === null);
  expect(visitor.teamFrames).toEqual([]);
});

test("keeps the last ten pages and the language of a visitor for the team, until the conversation is closed", async () => {
  const { userId, cookie } = await signedIn("customer", "Cy");
  const sessionId = userSessionId(userId);
  await startChat({ name: "Cy" }, cookie);
  const bo = await signedIn("agent", "Bo");
  const desk = await openConnection(sessionId, bo.cookie);
  const visitor = await openConnection(sessionId, cookie, 0, "", { "Accept-Language": "de-AT,de;q=0.9,en;q=0.8" });
  const known = () => desk.teamFrames.findLast((frame) => frame.type === "visitor")?.visitor;
  await until(() => known()?.language === "de-AT");
  const visit = (path: string, title: string) => visitor.raw(JSON.stringify({ type: "page", path, title }));
  for (let n = 1; n <= 12; n++) visit(`/page-${n}`, `Page ${n}`);
  // A reconnection reports the same page again.
  visit("/page-12", "Page 12");
  visit("//evil.example/9f86d081884c7d659a2feaa0c55ad015", "\u202eliveP\u0007");
  await until(() => known()?.pages[0]?.title === "liveP");
  const seen = ["/evil.example/…", ...[12, 11, 10, 9, 8, 7, 6, 5, 4].map((n) => `/page-${n}`)];
  expect(known()?.pages.map(({ path }) => path)).toEqual(seen);
  // A colleague who comes later sees them too.
  const late = await openConnection(sessionId, bo.cookie);
  await until(() => late.teamFrames.some((frame) => frame.type === "visitor" && frame.visitor.pages.length === 10));

  // An agent's own pages are nobody's business.
  desk.raw(JSON.stringify({ type: "page", path: "/admin/audit", title: "Audit" }));
  // Who is not of the team gets none of it, in no way.
  const eve = await signedIn("customer", "Eve");
  expect((await upgrade(`/support/sessions/${sessionId}/socket?since=0`, eve.cookie)).status).toBe(404);
  desk.sendMessage("a", "How can I help?");
  await visitor.next("message");
  expect(visitor.teamFrames).toEqual([]);
  for (const path of [`/support/sessions/${sessionId}/messages?since=0`, "/support/session"]) {
    const answer = await SELF.fetch(ORIGIN + path, { headers: { Cookie: cookie } });
    expect(await answer.text(), path).not.toContain("page-12");
  }
  expect(await exportConversation(supportDb, env.SUPPORT_ROOM, userId)).toMatchObject({
    browserLanguage: "de-AT",
    pagesSeen: seen.map((path) => ({ path })),
  });

  await takeAction(sessionId, bo.cookie, { action: "status", status: "closed" });
  await until(() => known()?.pages.length === 0);
  visit("/after", "After");
  visitor.raw('{"type":"typing"}');
  await desk.next("typing");
  expect((await roomOf(sessionId).visitor())?.pages).toEqual([]);
  // Open again, it starts anew. A block closes it, and a deletion forgets the rest.
  visitor.sendMessage("b", "One more thing");
  await desk.next("message");
  visit("/again", "Again");
  await until(() => known()?.pages[0]?.path === "/again");
  await takeAction(sessionId, bo.cookie, { action: "block", blocked: true });
  expect(await roomOf(sessionId).visitor()).toEqual({ language: "de-AT", pages: [] });
  await roomOf(sessionId).deleteConversation(sessionId);
  expect(await roomOf(sessionId).visitor()).toBeNull();
});

test("takes the pages seen before a log-in along into the account's conversation", async () => {
  const ada = await newVisitor("Ada");
  const before = await openConnection(ada.sessionId, ada.cookie);
  before.raw('{"type":"page","path":"/pricing","title":"Prices"}');
  await until(async () => (await roomOf(ada.sessionId).visitor())?.pages.length === 1);
  const { userId, cookie } = await signedIn("customer", "Ada");
  await SELF.fetch(`${ORIGIN}/support/session`, { headers: { Cookie: `${cookie}; ${ada.cookie}` } });
  expect((await roomOf(userSessionId(userId)).visitor())?.pages).toMatchObject([{ path: "/pricing", title: "Prices" }]);
  expect(await roomOf(ada.sessionId).visitor()).toBeNull();
});

test("broadcasts each action and stores it in D1 with one audit entry", async () => {
  const ada = await newVisitor();
  const bo = await signedIn("agent", "Bo");
  const cleo = await signedIn("agent", "Cleo");
  const customer = await signedIn("customer", "Cy");
  const desk = await openConnection(ada.sessionId, bo.cookie);
  expect(await takeAction(ada.sessionId, bo.cookie, { action: "assign", agentId: cleo.userId })).toBe(204);
  expect(await takeAction(ada.sessionId, bo.cookie, { action: "assign", agentId: cleo.userId })).toBe(204);
  expect(await takeAction(ada.sessionId, bo.cookie, { action: "assign", agentId: customer.userId })).toBe(422);
  const dan = await signedIn("agent", "Dan");
  await db.update(users).set({ suspendedAt: Date.now() }).where(eq(users.id, dan.userId));
  expect(await takeAction(ada.sessionId, bo.cookie, { action: "assign", agentId: dan.userId })).toBe(422);
  expect(await listStaff(db)).not.toContainEqual(expect.objectContaining({ id: dan.userId }));
  for (const tag of ["vip", "Refund", " VIP "]) expect(await tagged(ada.sessionId, cleo.cookie, tag)).toBe(204);
  for (const tag of ["<script>", "", " ", "x".repeat(31)])
    expect(await tagged(ada.sessionId, cleo.cookie, tag)).toBe(422);
  expect(await takeAction(ada.sessionId, bo.cookie, { action: "block", blocked: true })).toBe(204);
  const handled = await until(() =>
    desk.teamFrames.findLast((frame) => frame.type === "triage" && frame.triage.blocked),
  );
  expect(handled).toEqual({
    type: "triage",
    triage: { assignee: { id: cleo.userId, name: "Cleo" }, tags: ["Refund", "VIP"], blocked: true, snoozedUntil: 0 },
  });
  const [row] = await supportDb.select().from(supportSessions).where(eq(supportSessions.sessionId, ada.sessionId));
  expect(row).toMatchObject({
    assigneeId: cleo.userId,
    assigneeName: "Cleo",
    tags: ["Refund", "VIP"],
    blocked: true,
    status: "closed",
  });
  expect(await entriesOf(ada.sessionId)).toEqual([
    { actorName: "Bo", action: "conversation.assign", detail: { assignee: [null, "Cleo"] } },
    { actorName: "Cleo", action: "conversation.tags", detail: { tags: ["", "vip"] } },
    { actorName: "Cleo", action: "conversation.tags", detail: { tags: ["vip", "Refund, vip"] } },
    { actorName: "Cleo", action: "conversation.tags", detail: { tags: ["Refund, vip", "Refund, VIP"] } },
    { actorName: "Bo", action: "conversation.block", detail: {} },
    { actorName: "Bo", action: "conversation.close", detail: {} },
  ]);
});

test("keeps simultaneous tags of two agents, removes them one at a time, and stops at 40", async () => {
  const ada = await newVisitor();
  const [bo, cleo] = [await signedIn("agent", "Bo"), await signedIn("agent", "Cleo")];
  const numbers = Array.from({ length: 20 }, (_, at) => at);
  await Promise.all([
    ...numbers.map((at) => tagged(ada.sessionId, bo.cookie, `bo ${at}`)),
    ...numbers.map((at) => tagged(ada.sessionId, cleo.cookie, `cleo ${at}`)),
  ]);
  const wanted = ["bo", "cleo"].flatMap((who) => numbers.map((at) => `${who} ${at}`)).sort();
  expect(await tagsOf(ada.sessionId)).toEqual(wanted);
  await tagged(ada.sessionId, bo.cookie, "one too many");
  expect(await tagsOf(ada.sessionId)).toEqual(wanted);
  await Promise.all([
    tagged(ada.sessionId, bo.cookie, "BO 3", false),
    tagged(ada.sessionId, cleo.cookie, "bo 4", false),
  ]);
  expect(await tagsOf(ada.sessionId)).toEqual(wanted.filter((tag) => tag !== "bo 3" && tag !== "bo 4"));
});

test("refuses a blocked visitor by socket, over HTTP and with a file, until unblocked", async () => {
  const ada = await newVisitor();
  const bo = await signedIn("agent", "Bo");
  const visitor = await openConnection(ada.sessionId, ada.cookie);
  await takeAction(ada.sessionId, bo.cookie, { action: "block", blocked: true });
  expect((await visitor.next("session")).session).toMatchObject({ status: "closed", blocked: true });
  visitor.sendMessage("a", "let me in");
  expect(await visitor.next("error")).toEqual({
    type: "error",
    code: "blocked",
    message: "You can't send messages in this conversation.",
    clientId: "a",
  });
  const path = `${ORIGIN}/support/sessions/${ada.sessionId}`;
  const headers = { "Content-Type": "application/json", Origin: ORIGIN, Cookie: ada.cookie };
  const body = JSON.stringify({ clientId: "b", body: "let me in" });
  const posted = await SELF.fetch(`${path}/messages`, { method: "POST", headers, body });
  expect([posted.status, await posted.json()]).toEqual([403, { error: "blocked" }]);
  const png = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const sent = await SELF.fetch(`${path}/files?clientId=c&name=a.png`, { method: "POST", headers, body: png });
  expect(sent.status).toBe(403);
  // Starting it again does not open it either.
  await SELF.fetch(`${ORIGIN}/support/session`, { method: "POST", headers, body: JSON.stringify({ name: "Ada" }) });
  expect((await visitor.next("session")).session).toMatchObject({ status: "closed", blocked: true });
  const history = await roomOf(ada.sessionId).read(0);
  expect(history).toMatchObject({ lastSeq: 1, session: { status: "closed" } });
  await takeAction(ada.sessionId, bo.cookie, { action: "block", blocked: false });
  expect((await visitor.next("session")).session).not.toHaveProperty("blocked");
  visitor.sendMessage("a", "thank you");
  expect(await visitor.next("ack")).toMatchObject({ clientId: "a", seq: 2 });
  expect((await roomOf(ada.sessionId).read(0))?.session.status).toBe("open");
});

test("blocks an account on every device, and a browser as long as it has its cookie", async () => {
  const bo = await signedIn("agent", "Bo");
  const cy = await signedIn("customer", "Cy");
  const own = userSessionId(cy.userId);
  await startChat({ name: "Cy" }, cy.cookie);
  await takeAction(own, bo.cookie, { action: "block", blocked: true });
  // Another device: a session of its own, and the chat is started there again.
  const elsewhere = await sessionCookie(cy.userId);
  const { session } = await (await startChat({ name: "Cy" }, elsewhere)).json<{ session: { session_id: string } }>();
  expect(session).toMatchObject({ session_id: own, status: "closed" });
  const connection = await openConnection(own, elsewhere);
  connection.sendMessage("a", "let me in");
  expect(await connection.next("error")).toMatchObject({ code: "blocked" });
  const known = await SELF.fetch(`${ORIGIN}/support/session`, { headers: { Cookie: elsewhere } });
  expect(await known.json()).toMatchObject({ session: { blocked: true } });
  // It may still read.
  expect((await connection.next("ready")).messages).toHaveLength(1);

  const ada = await newVisitor();
  await takeAction(ada.sessionId, bo.cookie, { action: "block", blocked: true });
  const again = await startChat({ name: "Not Ada" }, ada.cookie);
  expect(await again.json()).toMatchObject({ session: { session_id: ada.sessionId, status: "closed" } });
  const back = await openConnection(ada.sessionId, ada.cookie);
  back.sendMessage("a", "let me in");
  expect(await back.next("error")).toMatchObject({ code: "blocked" });
  // The block follows the cookie, not the person: another browser is another visitor.
  const other = await newVisitor();
  const free = await openConnection(other.sessionId, other.cookie);
  free.sendMessage("a", "hello");
  expect(await free.next("ack")).toMatchObject({ seq: 2 });
});

test("assigns an unassigned conversation to the agent who replies, and records a case with its rating", async () => {
  const { ada, bo, visitor } = await closedConversation();
  expect(await roomOf(ada.sessionId).rate("bad")).toBe(true);
  visitor.sendMessage("c", "Still not there");
  await visitor.next("ack");
  await tagged(ada.sessionId, bo.cookie, "late");
  const cases = await supportDb
    .select()
    .from(supportCases)
    .where(eq(supportCases.sessionId, ada.sessionId))
    .orderBy(asc(supportCases.no));
  expect(cases).toMatchObject([
    { no: 1, agentId: bo.userId, agentName: "Bo", rating: "bad" },
    { no: 2, agentId: null, firstReplyAt: null, closedAt: null, rating: null },
  ]);
  const [first] = cases;
  expect(first?.firstReplyAt).toBeGreaterThanOrEqual(first?.startedAt ?? Number.NaN);
  expect(first?.closedAt).toBeGreaterThanOrEqual(first?.firstReplyAt ?? Number.NaN);
  const [row] = await supportDb.select().from(supportSessions).where(eq(supportSessions.sessionId, ada.sessionId));
  expect(row).toMatchObject({ assigneeId: bo.userId, status: "open", tags: ["late"] });
  expect((await entriesOf(ada.sessionId)).map(({ action }) => action)).toEqual([
    "conversation.assign",
    "conversation.close",
    "conversation.tags",
  ]);
});

test("moves notes, tags, assignee and block when the visitor signs in", async () => {
  const ada = await newVisitor();
  const bo = await signedIn("agent", "Bo");
  const visitor = await openConnection(ada.sessionId, ada.cookie);
  visitor.sendMessage("a", "Hello");
  await visitor.next("ack");
  await takeAction(ada.sessionId, bo.cookie, { action: "note", clientId: "n", body: SECRET });
  await takeAction(ada.sessionId, bo.cookie, { action: "assign", agentId: bo.userId });
  await tagged(ada.sessionId, bo.cookie, "vip");
  await takeAction(ada.sessionId, bo.cookie, { action: "block", blocked: true });
  const customer = await signedIn("customer", "Cy");
  const own = userSessionId(customer.userId);
  // Twice, as when the first was cut off.
  for (let time = 0; time < 2; time++) await roomOf(own).adopt(customer, ada.sessionId);
  await tagged(own, bo.cookie, "taken");
  const [row] = await supportDb.select().from(supportSessions).where(eq(supportSessions.sessionId, own));
  expect(row).toMatchObject({ assigneeName: "Bo", blocked: true, tags: ["taken", "vip"] });
  expect(await supportDb.select().from(supportNotes).where(eq(supportNotes.sessionId, own))).toMatchObject([
    { body: SECRET },
  ]);
  expect(await supportDb.select().from(supportCases).where(eq(supportCases.sessionId, own))).toHaveLength(1);
  const connection = await openConnection(own, customer.cookie);
  connection.sendMessage("z", "still here");
  expect(await connection.next("error")).toMatchObject({ code: "blocked" });
});

test("removes a deleted account's conversation from the audit log", async () => {
  const ada = await signedIn("customer", "Ada");
  const bo = await signedIn("agent", "Bo");
  const sessionId = userSessionId(ada.userId);
  await roomOf(sessionId).open({ sessionId, userId: ada.userId, name: "Ada", email: null });
  await tagged(sessionId, bo.cookie, "vip");
  expect(await entriesOf(sessionId)).toHaveLength(1);
  const { deleteAccount } = await import("#app/delete-account.server.ts");
  await deleteAccount(db, env, ada.userId);
  expect(await entriesOf(sessionId)).toEqual([]);
});

test("hints consoles of an action and of a deleted conversation", async () => {
  const ada = await newVisitor();
  const bo = await signedIn("agent", "Bo");
  const { webSocket } = await upgrade("/admin/inbox/socket", bo.cookie);
  let hints = 0;
  webSocket?.addEventListener("message", ({ data }) => {
    if (String(data).includes(ada.sessionId)) hints += 1;
  });
  webSocket?.accept();
  await tagged(ada.sessionId, bo.cookie, "vip");
  await until(() => hints > 0);
  const before = hints;
  await roomOf(ada.sessionId).deleteConversation(ada.sessionId);
  await until(() => hints > before);
});

test("hints a console that was open before the desk was evicted", async () => {
  const ada = await newVisitor();
  const bo = await signedIn("agent", "Bo");
  const { webSocket } = await upgrade("/admin/inbox/socket", bo.cookie);
  const hinted: string[] = [];
  webSocket?.addEventListener("message", ({ data }) => hinted.push(String(data)));
  webSocket?.accept();
  await tagged(ada.sessionId, bo.cookie, "before");
  await until(() => hinted.some((hint) => hint.includes(ada.sessionId)));
  await evictDurableObject(env.SUPPORT_DESK.getByName(DESK_NAME));
  hinted.length = 0;
  await tagged(ada.sessionId, bo.cookie, "after");
  await until(() => hinted.some((hint) => hint.includes(ada.sessionId)));
});

function tagged(sessionId: string, cookie: string, tag: string, isOn = true): Promise<number> {
  return takeAction(sessionId, cookie, { action: "tag", tag, isOn });
}

async function tagsOf(sessionId: string) {
  const [row] = await supportDb.select().from(supportSessions).where(eq(supportSessions.sessionId, sessionId));
  return row?.tags;
}

async function entriesOf(sessionId: string) {
  return db
    .select({ actorName: auditLog.actorName, action: auditLog.action, detail: auditLog.detail })
    .from(auditLog)
    .where(and(eq(auditLog.subjectType, "conversation"), eq(auditLog.subjectId, sessionId)))
    .orderBy(asc(auditLog.id));
}
