import { env } from "cloudflare:workers";
import { asc, eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { connectSupport } from "#app/db/db.server.ts";
import { supportCases, supportMessages, supportNotes, supportSessions } from "#app/db/schema/support-tables.server.ts";
import { auditLog } from "#app/db/schema.server.ts";
import type { SupportMessage } from "#app/support/protocol/frames.ts";
import { db } from "#tests/workerd/customer.ts";
import type { TriageToStore } from "./conversation-triage.server.ts";
import type { RoomSession } from "./session-row.server.ts";
import { deleteConversation, storeAuditEntries, storeConversation } from "./stored-conversations.server.ts";

const supportDb = connectSupport(env.DB_SUPPORT);
const TRIAGE: TriageToStore = {
  triage: { assignee: null, tags: [], blocked: false, snoozedUntil: 0 },
  emailedSeq: 0,
  respondBy: 0,
  notes: [],
  cases: [],
};

test("stores a conversation, and then what changed of it", async () => {
  const session = newSession();
  await storeConversation(supportDb, session, [message(1, "system"), message(2, "user")], TRIAGE);
  const first = {
    id: expect.any(Number),
    sessionId: session.session_id,
    userId: "u1",
    userName: "Ada",
    userEmail: "ada@mail.example",
    status: "open",
    lastSeq: 2,
    agentReadSeq: 1,
    lastMessage: "Message 2",
    createdAt: 100,
    updatedAt: 1002,
    assigneeId: null,
    assigneeName: null,
    blocked: false,
    tags: [],
    userReadSeq: 2,
    replySeq: 0,
    replyAt: 0,
    emailedSeq: 0,
    snoozedUntil: 0,
    respondBy: 0,
  };
  expect(await rowOf(session)).toEqual(first);
  expect(await messagesOf(session)).toEqual([
    { seq: 1, senderType: "system", senderName: "Name 1", message: "Message 1", createdAt: 1001 },
    { seq: 2, senderType: "user", senderName: "Name 2", message: "Message 2", createdAt: 1002 },
  ]);

  const triage = { assignee: { id: "agent-1", name: "Bo" }, tags: ["vip"], blocked: true, snoozedUntil: 7 };
  const renamed = { user_name: "Eva", user_email: null, status: "closed", user_id: "another" } as const;
  const changed = { ...session, ...renamed, user_read_seq: 5, agent_read_seq: 3, updated_at: 2000, stored_seq: 2 };
  await storeConversation(supportDb, changed, [], { ...TRIAGE, triage, emailedSeq: 4 });
  expect(await rowOf(session)).toEqual({
    ...first,
    userName: "Eva",
    userEmail: null,
    status: "closed",
    agentReadSeq: 3,
    updatedAt: 2000,
    assigneeId: "agent-1",
    assigneeName: "Bo",
    snoozedUntil: 7,
    blocked: true,
    tags: ["vip"],
    userReadSeq: 5,
    emailedSeq: 4,
  });
});

test("does not let a late write set back the end, the team's mark or the time of the last change", async () => {
  const session = newSession();
  await storeConversation(supportDb, session, [message(1, "user"), message(2, "admin"), message(3, "user")], TRIAGE);
  const read = { ...session, stored_seq: 3, updated_at: 5000, agent_read_seq: 3 };
  await storeConversation(supportDb, read, [], TRIAGE);
  const before = await rowOf(session);
  expect(before).toMatchObject({ lastSeq: 3, agentReadSeq: 3, updatedAt: 5000, replySeq: 2, replyAt: 1002 });
  await storeConversation(supportDb, { ...session, stored_seq: 1, updated_at: 4000, agent_read_seq: 2 }, [], TRIAGE);
  expect(await rowOf(session)).toEqual(before);
  expect(await messagesOf(session)).toHaveLength(3);
});

test("counts the team's last reply as read to there, and as what an email is due for", async () => {
  const session = newSession();
  const said = [message(1, "user"), message(2, "admin"), message(3, "admin"), message(4, "user")];
  await storeConversation(supportDb, session, said, TRIAGE);
  const replied = { lastSeq: 4, agentReadSeq: 3, replySeq: 3, replyAt: 1003, updatedAt: 1004 };
  expect(await rowOf(session)).toMatchObject(replied);
  await storeConversation(supportDb, { ...session, stored_seq: 4 }, [message(5, "user")], TRIAGE);
  expect(await rowOf(session)).toMatchObject({ ...replied, lastSeq: 5, updatedAt: 1005, lastMessage: "Message 5" });
});

test("shows the first 140 characters of the last message, and half of none", async () => {
  const session = newSession();
  const text = `${"x".repeat(139)}😀 and more`;
  await storeConversation(supportDb, session, [{ ...message(1, "user"), message: text }], TRIAGE);
  expect((await rowOf(session))?.lastMessage).toBe("x".repeat(139));
  expect((await messagesOf(session))[0]?.message).toBe(text);
});

test("stores messages once, also when they come again", async () => {
  const session = newSession();
  const said = [message(1, "user"), message(2, "user")];
  for (let n = 0; n < 2; n++) await storeConversation(supportDb, session, said, TRIAGE);
  await storeConversation(
    supportDb,
    session,
    [{ ...message(2, "user"), message: "another" }, message(3, "user")],
    TRIAGE,
  );
  expect((await messagesOf(session)).map((one) => one.message)).toEqual(["Message 1", "Message 2", "Message 3"]);
});

test("stores notes once, and updates cases", async () => {
  const [session, other] = [newSession(), newSession()];
  const note = { no: 1, author_id: "agent-1", author_name: "Bo", mentions: [], body: "One", created_at: 5 };
  const open = { no: 1, started_at: 6, first_reply_at: null, agent_id: null, agent_name: null };
  const unrated = { closed_at: null, rating: null, rated_at: null };
  const first = { ...TRIAGE, notes: [note], cases: [{ ...open, ...unrated }] };
  for (const one of [session, other]) await storeConversation(supportDb, one, [], first);
  const replied = { first_reply_at: 7, agent_id: "agent-1", agent_name: "Bo" };
  const done = { ...open, ...replied, closed_at: 8, rating: "good", rated_at: 9 } as const;
  const notes = [
    { ...note, body: "changed" },
    { ...note, no: 2, body: "Two" },
  ];
  await storeConversation(supportDb, session, [], { ...TRIAGE, notes, cases: [done, { ...open, ...unrated, no: 2 }] });

  const author = { authorId: "agent-1", authorName: "Bo", createdAt: 5 };
  expect(await triageOf(session)).toMatchObject({
    notes: [
      { no: 1, body: "One", ...author },
      { no: 2, body: "Two", ...author },
    ],
    cases: [
      {
        no: 1,
        startedAt: 6,
        firstReplyAt: 7,
        agentId: "agent-1",
        agentName: "Bo",
        closedAt: 8,
        rating: "good",
        ratedAt: 9,
      },
      { no: 2, startedAt: 6, firstReplyAt: null, closedAt: null, rating: null },
    ],
  });
  expect(await triageOf(other)).toMatchObject({ notes: [{ no: 1 }], cases: [{ no: 1, closedAt: null }] });

  await deleteConversation(supportDb, session.session_id);
  expect([await rowOf(session), await triageOf(session)]).toEqual([undefined, { notes: [], cases: [] }]);
  expect(await rowOf(other)).toBeDefined();
});

test("writes each audit entry once", async () => {
  const sessionId = crypto.randomUUID();
  const actor = { id: "agent-1", name: "Bo" };
  const action = "conversation.note" as const;
  const entry = (n: number) => ({ key: `${sessionId}:${n}`, actor, action, detail: { note: n } });
  await storeAuditEntries(db, sessionId, []);
  await storeAuditEntries(db, sessionId, [entry(1), entry(2)]);
  await storeAuditEntries(db, sessionId, [entry(2), entry(3)]);
  const rows = await db.select().from(auditLog).where(eq(auditLog.subjectId, sessionId)).orderBy(asc(auditLog.id));
  const common = { actorId: "agent-1", actorName: "Bo", action: "conversation.note", subjectType: "conversation" };
  expect(rows).toMatchObject([1, 2, 3].map((n) => ({ ...common, detail: { note: n } })));
});

function newSession(): RoomSession {
  return {
    session_id: crypto.randomUUID(),
    epoch: "epoch",
    user_id: "u1",
    user_name: "Ada",
    user_email: "ada@mail.example",
    status: "open",
    user_read_seq: 2,
    agent_read_seq: 1,
    created_at: 100,
    updated_at: 200,
    version: 1,
    stored_version: 0,
    stored_seq: 0,
  };
}

function message(seq: number, sender_type: SupportMessage["sender_type"]): SupportMessage {
  const text = { sender_name: `Name ${seq}`, message: `Message ${seq}` };
  return { seq, client_id: `c${seq}`, sender_type, ...text, created_at: 1000 + seq };
}

async function rowOf({ session_id }: RoomSession) {
  const [row] = await supportDb.select().from(supportSessions).where(eq(supportSessions.sessionId, session_id));
  return row;
}

function messagesOf({ session_id }: RoomSession) {
  const { seq, senderType, senderName, message: text, createdAt } = supportMessages;
  return supportDb
    .select({ seq, senderType, senderName, message: text, createdAt })
    .from(supportMessages)
    .where(eq(supportMessages.sessionId, session_id))
    .orderBy(asc(supportMessages.id));
}

async function triageOf({ session_id }: RoomSession) {
  const [notes, cases] = await supportDb.batch([
    supportDb.select().from(supportNotes).where(eq(supportNotes.sessionId, session_id)).orderBy(asc(supportNotes.no)),
    supportDb.select().from(supportCases).where(eq(supportCases.sessionId, session_id)).orderBy(asc(supportCases.no)),
  ]);
  return { notes, cases };
}
