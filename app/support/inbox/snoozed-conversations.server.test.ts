import { runDurableObjectAlarm, SELF } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { connectSupport } from "#app/db/db.server.ts";
import { readInbox } from "#app/support/inbox/inbox.server.ts";
import { INBOX_VIEWS, type InboxPage, type InboxView } from "#app/support/inbox/inbox-view.ts";
import { UNTIL_ANSWER_MS } from "#app/support/protocol/console-frames.ts";
import { userSessionId } from "#app/support/protocol/session-id.ts";
import { HOUR_MS } from "#app/time.ts";
import { signedIn } from "#tests/workerd/signed-in-account.ts";
import { newVisitor, ORIGIN, roomOf, startChat, takeAction, until } from "#tests/workerd/support-visitor.ts";

async function inboxOf(cookie: string, view: InboxView): Promise<InboxPage> {
  const response = await SELF.fetch(`${ORIGIN}/admin/inbox?view=${view}`, { headers: { Cookie: cookie } });
  return response.json();
}

async function viewsOf(sessionId: string, cookie: string): Promise<InboxView[]> {
  const pages = await Promise.all(INBOX_VIEWS.map((view) => inboxOf(cookie, view)));
  return INBOX_VIEWS.filter((_, at) => pages[at]?.rows.some((row) => row.sessionId === sessionId));
}

/** Has the room store in D1 what changed, without its usual delay. */
async function stored(sessionId: string): Promise<void> {
  await runDurableObjectAlarm(roomOf(sessionId));
}

test("hides a snoozed conversation until the visitor writes", async () => {
  const { sessionId } = await newVisitor();
  const bo = await signedIn("agent", "Bo");
  await stored(sessionId);
  expect(await viewsOf(sessionId, bo.cookie)).toContain("unassigned");
  const before = (await inboxOf(bo.cookie, "open")).counts;
  expect(await takeAction(sessionId, bo.cookie, { action: "snooze", until: UNTIL_ANSWER_MS })).toBe(204);
  expect(await viewsOf(sessionId, bo.cookie)).toEqual(["snoozed"]);
  const { counts, changesAt } = await inboxOf(bo.cookie, "snoozed");
  expect([counts.open, counts.unassigned, counts.snoozed]).toEqual([before.open - 1, before.unassigned - 1, 1]);
  expect(changesAt).toBeNull();
  await roomOf(sessionId).sendMessage(
    { side: "user", author: sessionId, name: "Ada" },
    { clientId: "1", body: "Hello" },
  );
  await stored(sessionId);
  expect(await viewsOf(sessionId, bo.cookie)).toContain("open");
  expect((await inboxOf(bo.cookie, "open")).counts.snoozed).toBe(0);
});

test("shows a snoozed conversation again when its visitor asked before logging in", async () => {
  const bo = await signedIn("agent", "Bo");
  const ada = await signedIn("customer", "Ada");
  const own = userSessionId(ada.userId);
  await startChat({ name: "Ada" }, ada.cookie);
  expect(await takeAction(own, bo.cookie, { action: "snooze", until: UNTIL_ANSWER_MS })).toBe(204);
  expect(await viewsOf(own, bo.cookie)).toEqual(["snoozed"]);
  const { sessionId, cookie } = await newVisitor();
  await roomOf(sessionId).sendMessage(
    { side: "user", author: sessionId, name: "Ada" },
    { clientId: "1", body: "Hello" },
  );
  expect((await startChat({ name: "Ada" }, `${cookie}; ${ada.cookie}`)).status).toBe(200);
  await stored(own);
  expect(await viewsOf(own, bo.cookie)).toContain("open");
});

test("shows it again by itself once its time has come, and by hand before", async () => {
  const { sessionId } = await newVisitor();
  const bo = await signedIn("agent", "Bo");
  const wakesAt = Date.now() + HOUR_MS;
  await takeAction(sessionId, bo.cookie, { action: "snooze", until: wakesAt });
  expect(await viewsOf(sessionId, bo.cookie)).toEqual(["snoozed"]);
  expect((await inboxOf(bo.cookie, "open")).changesAt).toBe(wakesAt);
  // Its time has come: the room writes nothing, the list compares times.
  await env.DB_SUPPORT.prepare("update support_sessions set snoozed_until = ?1 where session_id = ?2")
    .bind(Date.now() - 1, sessionId)
    .run();
  expect(await viewsOf(sessionId, bo.cookie)).toEqual(["open", "unassigned"]);
  const page = await readInbox(connectSupport(env.DB_SUPPORT), { view: "open", agentId: "", after: null, limit: 50 });
  expect([page.counts.snoozed, page.changesAt]).toEqual([0, null]);

  await takeAction(sessionId, bo.cookie, { action: "snooze", until: wakesAt + 1 });
  await takeAction(sessionId, bo.cookie, { action: "snooze", until: 0 });
  expect(await viewsOf(sessionId, bo.cookie)).toEqual(["open", "unassigned"]);
});

test("puts a conversation that wakes by itself on top, marked until an agent replies", async () => {
  const bo = await signedIn("agent", "Bo");
  const [first, second] = [await newVisitor("Ada"), await newVisitor("Bea")];
  const top = async () => (await inboxOf(bo.cookie, "open")).rows[0];
  for (const { sessionId } of [first, second]) await stored(sessionId);
  expect((await top())?.sessionId).toBe(second.sessionId);
  await takeAction(first.sessionId, bo.cookie, { action: "snooze", until: Date.now() + 300 });
  const woken = await until(async () => {
    const row = await top();
    return row?.sessionId === first.sessionId ? row : null;
  });
  expect(woken.snoozedUntil).toBeGreaterThan(0);
  expect(woken.updatedAt).toBeGreaterThanOrEqual(woken.snoozedUntil);
  // Later alarms move it no further.
  await runDurableObjectAlarm(roomOf(first.sessionId));
  expect(await top()).toEqual(woken);
  await roomOf(first.sessionId).sendMessage(
    { side: "admin", author: bo.userId, name: "Bo" },
    { clientId: "1", body: "We looked" },
  );
  await stored(first.sessionId);
  expect((await top())?.snoozedUntil).toBe(0);
});

test("wakes a conversation that is closed, snoozes no closed one, and refuses a time out of range", async () => {
  const { sessionId } = await newVisitor();
  const bo = await signedIn("agent", "Bo");
  await takeAction(sessionId, bo.cookie, { action: "snooze", until: UNTIL_ANSWER_MS });
  await takeAction(sessionId, bo.cookie, { action: "status", status: "closed" });
  await takeAction(sessionId, bo.cookie, { action: "snooze", until: UNTIL_ANSWER_MS });
  expect(await viewsOf(sessionId, bo.cookie)).toEqual(["closed"]);
  await takeAction(sessionId, bo.cookie, { action: "status", status: "open" });
  expect(await viewsOf(sessionId, bo.cookie)).toEqual(["open", "unassigned"]);
  for (const bad of [-1, 1.5, UNTIL_ANSWER_MS + 1]) {
    expect(await takeAction(sessionId, bo.cookie, { action: "snooze", until: bad }), String(bad)).toBe(422);
  }
});
