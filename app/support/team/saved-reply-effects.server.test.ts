import { runInDurableObject, SELF } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { asc, eq, sql } from "drizzle-orm";
import { expect, test } from "vitest";
import savedReplyStore, { REPLIES_MAX, saveReply } from "#app/console/stores/saved-reply-store.server.ts";
import { connect } from "#app/db/db.server.ts";
import { auditLog, savedReplies } from "#app/db/schema.server.ts";
import { type ListCursor, parseCursor } from "#app/http/lists/list-query.ts";
import type { AgentAction } from "#app/support/protocol/agent-actions.server.ts";
import { TAGS_MAX, UNTIL_ANSWER_MS } from "#app/support/protocol/console-frames.ts";
import { EFFECT_TAGS_MAX, NO_EFFECTS, REPLIES_LOADED, type ReplyEffects } from "#app/support/protocol/reply-effects.ts";
import { countedDatabase } from "#tests/workerd/counted-database.ts";
import { signedIn } from "#tests/workerd/signed-in-account.ts";
import { newVisitor, ORIGIN, openConnection, roomOf, takeAction } from "#tests/workerd/support-visitor.ts";
import { listReplies } from "./saved-replies.server.ts";

const db = connect(env.DB);
const BY = { userId: "u", name: "U" };

function reply(change: Partial<Extract<AgentAction, { action: "reply" }>> = {}): AgentAction {
  const none = { note: "", tags: [], agentId: null, closes: false, snoozeUntil: 0 };
  return { action: "reply", clientId: "r1", body: "It is on its way", ...none, ...change };
}

async function actionsOn(sessionId: string): Promise<string[]> {
  const rows = await db.select().from(auditLog).where(eq(auditLog.subjectId, sessionId)).orderBy(asc(auditLog.id));
  return rows.map(({ action }) => action);
}

async function rowOf(sessionId: string) {
  const query = "select status, tags, assignee_id, snoozed_until from support_sessions where session_id = ?1";
  const row = await env.DB_SUPPORT.prepare(query).bind(sessionId).first<Record<string, string>>();
  return { ...row, tags: JSON.parse(row?.tags ?? "[]") as string[] };
}

test("replies, assigns, tags, adds a note and closes in one step, once, also when it is sent again after a kill", async () => {
  const { sessionId, cookie } = await newVisitor();
  const bo = await signedIn("agent", "Bo");
  const al = await signedIn("agent", "Al");
  const visitor = await openConnection(sessionId, cookie);
  const action = reply({ note: "Refunded", tags: ["refund", "vip"], agentId: al.userId, closes: true });
  expect(await takeAction(sessionId, bo.cookie, action)).toBe(204);
  expect((await visitor.next("message")).message).toMatchObject({ sender_name: "Bo", message: "It is on its way" });
  expect(visitor.teamFrames).toEqual([]);
  const done = ["conversation.assign", "conversation.tags", "conversation.tags", "conversation.note"];
  expect(await actionsOn(sessionId)).toEqual([...done, "conversation.close"]);
  expect(await rowOf(sessionId)).toMatchObject({ status: "closed", tags: ["refund", "vip"], assignee_id: al.userId });

  // Somebody has gone on meanwhile, and the room was killed.
  await takeAction(sessionId, al.cookie, { action: "status", status: "open" });
  await takeAction(sessionId, al.cookie, { action: "tag", tag: "vip", isOn: false });
  const kill = runInDurableObject(roomOf(sessionId), (_, state) => state.abort("killed"));
  await expect(kill).rejects.toThrow("killed");
  expect(await takeAction(sessionId, bo.cookie, action)).toBe(204);
  expect(await rowOf(sessionId)).toMatchObject({ status: "open", tags: ["refund"] });
  const said = (await roomOf(sessionId).read(0))?.messages.filter(({ sender_type }) => sender_type === "admin");
  expect(said).toHaveLength(1);
});

test("does without a text what a saved reply without one does, once", async () => {
  const { sessionId } = await newVisitor();
  const bo = await signedIn("agent", "Bo");
  const action = reply({ body: "", tags: ["spam"], snoozeUntil: UNTIL_ANSWER_MS });
  await takeAction(sessionId, bo.cookie, action);
  expect(await rowOf(sessionId)).toMatchObject({ tags: ["spam"], snoozed_until: UNTIL_ANSWER_MS, assignee_id: null });
  await takeAction(sessionId, bo.cookie, { action: "snooze", until: 0 });
  await takeAction(sessionId, bo.cookie, action);
  expect(await rowOf(sessionId)).toMatchObject({ snoozed_until: 0 });
  expect((await roomOf(sessionId).read(0))?.messages).toHaveLength(1);
});

test("takes the tags of several saved replies that were put into one", async () => {
  const { sessionId } = await newVisitor();
  const bo = await signedIn("agent", "Bo");
  const tags = Array.from({ length: EFFECT_TAGS_MAX + 2 }, (_, at) => `t${at}`);
  expect(await takeAction(sessionId, bo.cookie, reply({ tags }))).toBe(204);
  expect((await rowOf(sessionId)).tags).toEqual([...tags].sort());
});

test("does nothing of it if there are too many tags, the assignee is no agent, or the caller isn't staff", async () => {
  const { sessionId } = await newVisitor();
  const bo = await signedIn("agent", "Bo");
  const customer = await signedIn("customer", "Eve");
  for (let at = 0; at < TAGS_MAX; at++) {
    await roomOf(sessionId).applyAction({ id: "a", name: "A" }, { action: "tag", tag: `t${at}`, isOn: true });
  }
  const before = [await rowOf(sessionId), await actionsOn(sessionId)];
  const full = reply({ tags: ["one more"], agentId: bo.userId, closes: true });
  expect(await takeAction(sessionId, bo.cookie, full)).toBe(404);
  expect(await takeAction(sessionId, bo.cookie, reply({ agentId: customer.userId, closes: true }))).toBe(422);
  expect(await takeAction(sessionId, customer.cookie, reply({ closes: true }))).toBe(404);
  expect(await takeAction(sessionId, bo.cookie, reply({ tags: ["#bad"] }))).toBe(422);
  expect([await rowOf(sessionId), await actionsOn(sessionId)]).toEqual(before);
  expect((await roomOf(sessionId).read(0))?.messages).toHaveLength(1);
  // Nothing was claimed: without the tag it works.
  expect(await takeAction(sessionId, bo.cookie, reply({ tags: ["t0"] }))).toBe(204);
});

test("saves what a reply does by its form, and records it in the audit log", async () => {
  const bo = await signedIn("agent", "Bo");
  const form = {
    intent: "save",
    shortcut: "done",
    body: "",
    tags: "refund , vip,refund",
    assignTo: "me",
    next: "close",
  };
  expect((await post(bo.cookie, form)).status).toBe(302);
  const saved = (await listReplies(db)).find(({ shortcut }) => shortcut === "done");
  const effects: ReplyEffects = { tags: ["refund", "vip"], assignTo: "me", note: "", next: "close" };
  expect(saved).toMatchObject({ body: "", effects });
  expect((await post(bo.cookie, { ...form, id: String(saved?.id), version: "1", next: "" })).status).toBe(302);
  const entries = await db.select().from(auditLog).where(eq(auditLog.actorId, bo.userId)).orderBy(asc(auditLog.id));
  expect(entries.map(({ detail }) => detail)).toEqual([
    { shortcut: [null, "done"], addsTags: [null, "refund, vip"], assignsTo: [null, "me"], next: [null, "close"] },
    { next: ["close", ""] },
  ]);
  for (const bad of [{ tags: "", assignTo: "", next: "" }, { tags: "#1" }, { next: "explode" }]) {
    expect((await post(bo.cookie, { ...form, ...bad })).status, JSON.stringify(bad)).toBe(400);
  }
});

test("refuses one saved reply more than a search reads", async () => {
  const before = await db.$count(savedReplies);
  const { database, counts } = countedDatabase(env.DB);
  await addReplies("n", REPLIES_MAX - before - 1);
  expect(await saveReply(db, BY, null, { shortcut: "last", body: "x", ...NO_EFFECTS })).toMatchObject({ ok: true });
  const one = { shortcut: "toomany", body: "x", ...NO_EFFECTS };
  expect(await saveReply(connect(database), BY, null, one)).toEqual({ ok: false, reason: "full" });
  expect(counts.queries).toBeLessThan(5);
  expect(await db.$count(savedReplies)).toBe(REPLIES_MAX);
});

test("lists every saved reply page by page, and finds one beyond what a console loads", async () => {
  await db.delete(savedReplies);
  await addReplies("n", REPLIES_LOADED + 20);
  const effects = { ...NO_EFFECTS, tags: ["vip"], note: "Ruft zurück" };
  await db.insert(savedReplies).values({ shortcut: "Übersicht", body: "Danke", effects, updatedBy: "u", updatedAt: 1 });
  expect(await listReplies(db)).toHaveLength(REPLIES_LOADED);
  const seen: string[] = [];
  const list = (search: string, descending: boolean, after: ListCursor | null, limit: number) =>
    savedReplyStore.list(db, { search, sort: { key: "shortcut", descending } }, after, limit);
  for (let after: ListCursor | null = null, isLast = false; !isLast; isLast = after === null) {
    const page = await list("", false, after, 50);
    seen.push(...page.rows.map(({ shortcut }) => shortcut));
    after = parseCursor(page.next);
  }
  const [last] = (await list("", true, null, 1)).rows;
  expect(last?.shortcut).toBe(seen.at(-1));
  expect(new Set(seen).size).toBe(REPLIES_LOADED + 21);
  expect(seen).toHaveLength(REPLIES_LOADED + 21);
  expect(seen).toContain("Übersicht");
  for (const search of ["Übers", "danke", "vip", "ruft"]) {
    const found = await list(search, false, null, 50);
    expect(
      found.rows.map(({ shortcut }) => shortcut),
      search,
    ).toEqual(["Übersicht"]);
  }
  const bo = await signedIn("agent", "Bo");
  const answer = await SELF.fetch(`${ORIGIN}/admin/find-replies?q=n31`, { headers: { Cookie: bo.cookie } });
  const { replies } = (await answer.json()) as { replies: { shortcut: string }[] };
  expect(replies.map(({ shortcut }) => shortcut)).toEqual(["n31", ...Array.from({ length: 7 }, (_, n) => `n31${n}`)]);
  const page = await SELF.fetch(`${ORIGIN}/admin/replies?q=n319`, { headers: { Cookie: bo.cookie } });
  const html = await page.text();
  expect(html).toContain("/n319");
  expect(html).not.toContain("n318");
  const stranger = await signedIn();
  const refused = await SELF.fetch(`${ORIGIN}/admin/find-replies?q=n31`, { headers: { Cookie: stranger.cookie } });
  expect(refused.status).toBe(404);
});

async function addReplies(prefix: string, count: number): Promise<void> {
  await db.run(sql`insert into saved_replies (shortcut, body, effects, updated_by, updated_at)
    select ${prefix} || key, 'x', ${JSON.stringify(NO_EFFECTS)}, 'u', 1
    from json_each(${JSON.stringify(Array(count).fill(0))})`);
}

function post(cookie: string, form: Record<string, string>): Promise<Response> {
  return SELF.fetch(`${ORIGIN}/admin/replies`, {
    method: "POST",
    headers: { Origin: ORIGIN, Host: "growline.example", Cookie: cookie },
    body: new URLSearchParams(form),
    redirect: "manual",
  });
}
