import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { connectSupport } from "#app/db/db.server.ts";
import { supportMessages, supportSessions } from "#app/db/schema/support-tables.server.ts";
import { fileKey } from "#app/support/room/room-files.server.ts";
import { DAY_MS } from "#app/time.ts";
import { countedDatabase } from "#tests/workerd/counted-database.ts";
import { fillInbox } from "#tests/workerd/inbox-fill.ts";
import { signedIn } from "#tests/workerd/signed-in-account.ts";
import { newVisitor, roomOf, takeAction, until } from "#tests/workerd/support-visitor.ts";
import { announcedDaysOf, deleteClosedConversations, keptDaysOf } from "./closed-conversations.server.ts";

const db = connectSupport(env.DB_SUPPORT);
const KEPT_DAYS = 200;

const later = (days: number) => Date.now() + days * DAY_MS;
const deleteOld = (now: number, kept: number | null = KEPT_DAYS) =>
  deleteClosedConversations(db, env.SUPPORT_ROOM, kept, now);
const exists = async (sessionId: string) => (await roomOf(sessionId).read(0)) !== null;

describe("deletes closed conversations", () => {
  test("with their files and their rows in D1, once they are old enough", async () => {
    const sessionId = await closedConversation();
    const { id } = await sendFile(sessionId);
    await close(sessionId);
    await deleteOld(later(KEPT_DAYS - 1));
    expect(await exists(sessionId)).toBe(true);
    await deleteOld(later(KEPT_DAYS + 1));
    expect(await exists(sessionId)).toBe(false);
    expect(await env.UPLOADS.head(fileKey(id))).toBeNull();
    for (const table of [supportSessions, supportMessages]) {
      expect(await db.$count(table, eq(table.sessionId, sessionId))).toBe(0);
    }
  });

  test("but not without a setting, nor open ones, nor blocked ones", async () => {
    const closed = await closedConversation();
    await deleteOld(later(9999), null);
    const { sessionId: open } = await newVisitor();
    const blocked = await closedConversation();
    await takeAction(blocked, (await signedIn("agent", "Bo")).cookie, { action: "block", blocked: true });
    await until(() => db.$count(supportSessions, eq(supportSessions.sessionId, blocked)));
    expect(await Promise.all([closed, open, blocked].map(exists))).toEqual([true, true, true]);
    await deleteOld(later(KEPT_DAYS + 1));
    expect(await Promise.all([closed, open, blocked].map(exists))).toEqual([false, true, true]);
  });

  test("but not one with a message that D1 doesn't have yet", async () => {
    const sessionId = await closedConversation();
    await say(sessionId, "Hello again");
    // As if D1 were away: it has the conversation as closed.
    await db.update(supportSessions).set({ status: "closed" }).where(eq(supportSessions.sessionId, sessionId));
    expect(await deleteOld(later(KEPT_DAYS + 1))).toBe(0);
    const history = await roomOf(sessionId).read(0);
    expect(history?.messages.at(-1)?.message).toBe("Hello again");
  });

  test("reading nothing of those that stay, however many there are", async () => {
    await deleteOld(later(KEPT_DAYS + 1));
    const reads: number[] = [];
    for (const from of [0, 3000]) {
      await fillInbox(env.DB_SUPPORT, {
        from,
        conversations: 3000,
        messagesEach: 1,
        agents: ["a"],
        baseMs: Date.now(),
      });
      const { database, counts } = countedDatabase(env.DB_SUPPORT);
      await deleteClosedConversations(connectSupport(database), env.SUPPORT_ROOM, KEPT_DAYS);
      reads.push(counts.rowsRead);
    }
    expect(reads).toEqual([reads[0], reads[0]]);
    expect(reads[0]).toBeLessThanOrEqual(5);
  });
});

test("takes a number of days from 180, keeps all without one, and refuses anything else", () => {
  expect([undefined, "", "180", "730"].map(keptDaysOf)).toEqual([null, null, 180, 730]);
  for (const wrong of ["0", "-1", "30", "1.5", "two years", "99999"]) {
    expect(() => keptDaysOf(wrong)).toThrow("CONVERSATIONS_KEPT_DAYS");
    expect(announcedDaysOf(wrong)).toBeNull();
  }
});

async function closedConversation(): Promise<string> {
  const { sessionId } = await newVisitor();
  await say(sessionId, "Where is my order?");
  await close(sessionId);
  return sessionId;
}

async function close(sessionId: string): Promise<void> {
  const { cookie } = await signedIn("agent", "Bo");
  await takeAction(sessionId, cookie, { action: "status", status: "closed" });
  const isClosed = eq(supportSessions.sessionId, sessionId);
  await until(async () => (await db.select().from(supportSessions).where(isClosed))[0]?.status === "closed");
}

function say(sessionId: string, body: string) {
  const from = { side: "user" as const, author: sessionId, name: "Ada" };
  return roomOf(sessionId).sendMessage(from, { clientId: crypto.randomUUID(), body });
}

async function sendFile(sessionId: string): Promise<{ id: string }> {
  const file = { id: crypto.randomUUID(), name: "a.png", type: "image/png", size: 1 };
  await env.UPLOADS.put(fileKey(file.id), "x");
  const from = { side: "user" as const, author: sessionId, name: "Ada" };
  await roomOf(sessionId).sendMessage(from, { clientId: crypto.randomUUID(), body: "", file });
  return file;
}
