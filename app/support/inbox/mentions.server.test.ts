import { SELF } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { eq, sql } from "drizzle-orm";
import { expect, test, vi } from "vitest";
import { connect, connectSupport } from "#app/db/db.server.ts";
import { supportMentions } from "#app/db/schema/support-tables.server.ts";
import { emails, profiles } from "#app/db/schema.server.ts";
import { queueMention } from "#app/email/queue-email.server.ts";
import { emailMentions, MENTION_UNREAD_MS } from "#app/support/email/mention-mailer.server.ts";
import type { InboxPage, ListedMention } from "#app/support/inbox/inbox-view.ts";
import { userSessionId } from "#app/support/protocol/session-id.ts";
import { countedDatabase } from "#tests/workerd/counted-database.ts";
import { withoutDispatcher } from "#tests/workerd/email-api.ts";
import { type SignedInAccount, signedIn } from "#tests/workerd/signed-in-account.ts";
import {
  newVisitor,
  ORIGIN,
  openConnection,
  roomOf,
  startChat,
  takeAction,
  until,
} from "#tests/workerd/support-visitor.ts";
import { countInbox } from "./inbox.server.ts";
import { MENTIONS_COUNTED } from "./inbox-view.ts";
import { listMentions } from "./mentions.server.ts";

const db = connect(env.DB);
const supportDb = connectSupport(env.DB_SUPPORT);
const LINKS = "https://growline.example";

test("notifies the teammates whom a note names, nobody else, until they open the conversation", async () => {
  const [bo, al, eve] = await people();
  const { sessionId, cookie } = await newVisitor("Ada");
  const visitor = await openConnection(sessionId, cookie);
  const desk = await openConnection(sessionId, al.cookie);
  const mentions = [al.userId, bo.userId, eve.userId, "nobody"];
  const note = { action: "note", clientId: "n1", body: "@Al look, @Bo", mentions } as const;
  for (let time = 0; time < 2; time++) expect(await takeAction(sessionId, bo.cookie, note)).toBe(204);
  const stored = desk.teamFrames.flatMap((frame) => (frame.type === "note" ? frame.note.mentions : []));
  expect(stored.map(({ id }) => id).sort()).toEqual([al.userId, bo.userId].sort());
  expect(visitor.teamFrames).toEqual([]);

  const unread = await unreadOf(al);
  expect(unread).toMatchObject([{ sessionId, noteNo: 1, userName: "Ada", authorName: "Bo" }]);
  expect(await unreadOf(bo)).toEqual([]);
  expect((await read(al)).at(0)).toMatchObject({ excerpt: "@Al look, @Bo", unread: true });
  expect(await read(bo)).toEqual([]);

  // Another agent's opening changes nothing, and no customer reads or marks anything.
  expect((await markRead(bo.cookie, sessionId)).status).toBe(204);
  expect((await markRead(eve.cookie, sessionId)).status).toBe(404);
  expect((await markRead("", sessionId)).status).not.toBe(204);
  expect((await get(eve.cookie)).status).toBe(404);
  expect(await unreadOf(al)).toHaveLength(1);
  expect((await markRead(al.cookie, sessionId)).status).toBe(204);
  expect(await unreadOf(al)).toEqual([]);
  expect((await read(al)).at(0)).toMatchObject({ unread: false });
  await roomOf(sessionId).deleteConversation(sessionId);
  expect(await read(al)).toEqual([]);
});

test("emails a mention that stays unread for five minutes, once", async () => {
  const [bo, al] = await people();
  const cy = await signedIn("agent", "Cy");
  const { sessionId } = await newVisitor("Ada <b>");
  const mentions = [al.userId, cy.userId];
  await takeAction(sessionId, bo.cookie, { action: "note", clientId: "n1", body: "@Al & @Cy look", mentions });
  const [row] = await supportDb.select().from(supportMentions).where(eq(supportMentions.agentId, al.userId));
  const at = row?.createdAt ?? 0;
  await markRead(cy.cookie, sessionId);
  await run(at + MENTION_UNREAD_MS);
  expect(await mailed([al, cy])).toEqual([]);
  await run(at + MENTION_UNREAD_MS + 1);
  await run(at + MENTION_UNREAD_MS + 2);
  expect(await mailed([al, cy])).toEqual([al.email]);
  // The email was queued, but its mark was lost.
  await supportDb.update(supportMentions).set({ emailedAt: null });
  await run(at + 2 * MENTION_UNREAD_MS);
  expect(await mailed([al, cy])).toEqual([al.email]);
  // Emailed is not read.
  expect(await unreadOf(al)).toHaveLength(1);
});

test("keeps a mention read or unread when its visitor logs in", async () => {
  const [bo, al, ada] = await people();
  const cy = await signedIn("agent", "Cy");
  const { sessionId, cookie } = await newVisitor("Ada");
  const mentions = [al.userId, cy.userId];
  await takeAction(sessionId, bo.cookie, { action: "note", clientId: "n1", body: "@Al & @Cy look", mentions });
  await markRead(al.cookie, sessionId);
  expect((await startChat({ name: "Ada" }, `${cookie}; ${ada.cookie}`)).status).toBe(200);
  const own = userSessionId(ada.userId);
  await until(async () => (await unreadOf(cy)).some((mention) => mention.sessionId === own));
  expect(await unreadOf(al)).toEqual([]);
  expect(await read(al)).toMatchObject([{ sessionId: own, unread: false }]);
  await run(Date.now() + MENTION_UNREAD_MS + 1000);
  expect(await mailed([al, cy])).toEqual([cy.email]);
});

test("emails nobody who has left the team, and tries again after a failure", async () => {
  const [bo, al] = await people();
  const { sessionId } = await newVisitor();
  await takeAction(sessionId, bo.cookie, { action: "note", clientId: "1", body: "@Al", mentions: [al.userId] });
  const late = Date.now() + MENTION_UNREAD_MS + 1000;
  const sent: string[] = [];
  let fails = true;
  const errors = vi.spyOn(console, "error").mockImplementation(() => {});
  const queue: Parameters<typeof emailMentions>[1] = async ({ text }) => {
    if (fails) throw new Error("D1 is away");
    sent.push(text);
  };
  await emailMentions(supportDb, queue, { now: late, origin: LINKS });
  expect(errors).toHaveBeenCalledTimes(1);
  errors.mockRestore();
  fails = false;
  await emailMentions(supportDb, queue, { now: late, origin: LINKS });
  await emailMentions(supportDb, queue, { now: late, origin: LINKS });
  expect(sent.filter((text) => text.includes(sessionId))).toEqual([
    expect.stringContaining(`Bo mentioned you in a team note on the conversation with Ada:\n\n@Al\n\n`),
  ]);
  expect(sent.at(-1)).toContain(`${LINKS}/admin/support/${sessionId}`);

  await takeAction(sessionId, bo.cookie, { action: "note", clientId: "2", body: "@Al", mentions: [al.userId] });
  await db.update(profiles).set({ role: "customer" }).where(eq(profiles.userId, al.userId));
  await run(late);
  expect(await mailed([al])).toEqual([]);
});

test("escapes names and the note in the email of a mention", async () => {
  const [bo, al] = await people();
  const { sessionId } = await newVisitor('<a href="https://other.example">Log in</a>');
  const note = { clientId: "1", body: "@Al <i>look</i>", mentions: [al.userId] };
  await takeAction(sessionId, bo.cookie, { action: "note", ...note });
  const sent: string[] = [];
  const now = Date.now() + MENTION_UNREAD_MS + 1000;
  await emailMentions(supportDb, async ({ html }) => void sent.push(html), { now, origin: LINKS });
  const html = sent.find((one) => one.includes(sessionId));
  expect(html).toContain("with &lt;a href=&quot;https://other.example&quot;&gt;Log in&lt;/a&gt;:");
  expect(html).toContain("@Al &lt;i&gt;look&lt;/i&gt;");
});

test("reads no more rows for an agent with many mentions than are counted or listed", async () => {
  const { sessionId } = await newVisitor();
  const agentId = crypto.randomUUID();
  // Once an action has been taken, the conversation is in D1.
  await roomOf(sessionId).applyAction({ id: "a", name: "A" }, { action: "tag", tag: "vip", isOn: true });
  const rows = JSON.stringify(Array.from({ length: 500 }, (_, at) => at + 1));
  await supportDb.run(sql`insert into support_notes (session_id, no, author_id, author_name, body, created_at)
    select ${sessionId}, value, 'a', 'A', 'x', value from json_each(${rows})`);
  await supportDb.run(sql`insert into support_mentions (session_id, note_no, agent_id, created_at)
    select ${sessionId}, value, ${agentId}, value from json_each(${rows})`);
  const { database, counts } = countedDatabase(env.DB_SUPPORT);
  const counted = connectSupport(database);
  const { mentions } = await countInbox(counted, agentId, Date.now());
  expect(mentions.map(({ noteNo }) => noteNo)).toEqual(
    Array.from({ length: MENTIONS_COUNTED + 1 }, (_, at) => 500 - at),
  );
  await listMentions(counted, agentId);
  expect(counts.rowsRead).toBeLessThan(4 * (MENTIONS_COUNTED + 1 + 30) + 50);
});

async function people(): Promise<[SignedInAccount, SignedInAccount, SignedInAccount]> {
  return [await signedIn("agent", "Bo"), await signedIn("agent", "Al"), await signedIn("customer", "Eve")];
}

function run(now: number): Promise<void> {
  return emailMentions(supportDb, (email, of) => queueMention(db, withoutDispatcher(env), email, of), {
    now,
    origin: LINKS,
  });
}

async function mailed(to: SignedInAccount[]): Promise<string[]> {
  const rows = await db.select({ recipient: emails.recipient }).from(emails).where(eq(emails.kind, "mention"));
  return rows.map(({ recipient }) => recipient).filter((recipient) => to.some(({ email }) => email === recipient));
}

async function unreadOf({ cookie }: SignedInAccount) {
  const response = await SELF.fetch(`${ORIGIN}/admin/inbox?ids=`, { headers: { Cookie: cookie } });
  return (await response.json<InboxPage>()).mentions;
}

async function read({ cookie }: SignedInAccount): Promise<ListedMention[]> {
  return (await get(cookie)).json();
}

function get(cookie: string): Promise<Response> {
  return SELF.fetch(`${ORIGIN}/admin/mentions`, { headers: { Cookie: cookie }, redirect: "manual" });
}

function markRead(cookie: string, sessionId: string): Promise<Response> {
  return SELF.fetch(`${ORIGIN}/admin/mentions`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Origin: ORIGIN, Host: "growline.example", Cookie: cookie },
    body: JSON.stringify({ sessionId }),
    redirect: "manual",
  });
}
