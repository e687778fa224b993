import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { and, eq } from "drizzle-orm";
import { afterEach, expect, test, vi } from "vitest";
import { connect, connectSupport } from "#app/db/db.server.ts";
import { supportSessions } from "#app/db/schema/support-tables.server.ts";
import { auditLog, pushDeliveries, pushSubscriptions } from "#app/db/schema.server.ts";
import type { UpFrame } from "#app/support/protocol/frames.ts";
import { userSessionId } from "#app/support/protocol/session-id.ts";
import { readVersionedSettings, saveSettings } from "#app/support/team/support-settings.server.ts";
import { DEFAULT_SETTINGS } from "#app/support/team/team-settings.ts";
import { withoutTable } from "#tests/workerd/missing-table.ts";
import { signedIn } from "#tests/workerd/signed-in-account.ts";
import { newVisitor, openConnection, roomOf, takeAction, until } from "#tests/workerd/support-visitor.ts";
import { PushDispatcher } from "#workers/dispatchers/push-dispatcher.ts";
import { PUSH_AFTER_MS } from "./room-follow-ups.ts";
import { SupportDesk } from "./support-desk.ts";
import type { SupportRoom } from "./support-room.ts";

const db = connect(env.DB);
const supportDb = connectSupport(env.DB_SUPPORT);
const AGENT = { side: "admin", author: "agent-1", name: "Bo" } as const;
/** Frames that arrive after the end of the conversation. */
const LATE: UpFrame[] = [
  { type: "send", clientId: "late", body: "too late" },
  { type: "read", seq: 2 },
  { type: "typing" },
  { type: "page", path: "/late", title: "Late" },
];

afterEach(() => void vi.restoreAllMocks());

test("sends the away message after an outage of the main database and an eviction", async () => {
  const days = Array.from({ length: 7 }, () => null);
  const settings = { ...DEFAULT_SETTINGS, hoursOn: true, days, awayMessage: "Back tomorrow" };
  await saveSettings(db, settings, { userId: "admin-1", name: "Al" }, (await readVersionedSettings(db)).version);
  const { sessionId, cookie } = await newVisitor();
  await withoutTable(env.DB, "support_settings", async () => {
    const before = await openConnection(sessionId, cookie);
    before.sendMessage("a", "Anybody?");
    await until(async () => (await storedSeq(sessionId)) === 2);
    await evictDurableObject(roomOf(sessionId), { webSockets: "close" });
  });
  const after = await openConnection(sessionId, cookie, 2);
  await until(async () => (await storedSeq(sessionId)) === 3);
  expect((await roomOf(sessionId).read(2))?.messages).toMatchObject([{ message: "Back tomorrow" }]);
  after.close();
});

test("shows a conversation in the inbox while the audit log cannot be written, and writes the log later", async () => {
  const { sessionId, cookie } = await newVisitor();
  const agent = await signedIn("agent", "Bo");
  const hint = vi.spyOn(SupportDesk.prototype, "hint");
  await withoutTable(env.DB, "audit_log", async () => {
    await takeAction(sessionId, agent.cookie, { action: "tag", tag: "vip", isOn: true });
    expect(hint).toHaveBeenCalledWith(sessionId);
    const connection = await openConnection(sessionId, cookie);
    for (let at = 0; at < 60; at++) {
      await roomOf(sessionId).sendMessage(
        { side: "admin", author: `agent-${at}`, name: "Bo" },
        { clientId: "a", body: "more than one batch" },
      );
    }
    connection.close();
    await untilStored(sessionId, async () => (await storedSeq(sessionId)) === 61);
  });
  hint.mockRestore();
  // By itself: the room tries again.
  await until(async () => (await tagEntries(agent.userId)).length === 1);
});

test("queues a notification of unread replies once, also after an outage of the main database", async () => {
  vi.spyOn(console, "error").mockImplementation(() => {});
  vi.spyOn(PushDispatcher.prototype, "wake").mockResolvedValue(null);
  const { sessionId } = await newVisitor();
  const device = { kind: "web", service: "push.example", sealedTarget: "", serverKey: "" } as const;
  const at = { createdAt: 1, seenAt: Date.now() };
  await db.insert(pushSubscriptions).values({ id: "device", digest: "device", owner: sessionId, ...device, ...at });
  await roomOf(sessionId).sendMessage(AGENT, { clientId: "a", body: "Hello" });
  const machineNow = Date.now;
  vi.spyOn(Date, "now").mockImplementation(() => machineNow() + PUSH_AFTER_MS);
  const events = async () => (await db.select().from(pushDeliveries)).map(({ event }) => event);
  await withoutTable(env.DB, "push_deliveries", async () => void (await runDurableObjectAlarm(roomOf(sessionId))));
  expect(await events()).toEqual([]);
  for (let run = 0; run < 3; run++) {
    await runInDurableObject(roomOf(sessionId), (room: SupportRoom) => room.alarm());
    expect(await events()).toEqual([expect.stringMatching(/^reply:/)]);
  }
});

test("stores what changes while an earlier change is being stored", async () => {
  const { sessionId } = await newVisitor();
  // The hint comes after the write and before the room notes what was written.
  const hint = vi.spyOn(SupportDesk.prototype, "hint").mockImplementationOnce(async () => {
    await roomOf(sessionId).setStatus("closed");
  });
  await roomOf(sessionId).sendMessage({ side: "admin", author: "agent-1", name: "Bo" }, { clientId: "a", body: "one" });
  await until(async () => {
    const [row] = await supportDb.select().from(supportSessions).where(eq(supportSessions.sessionId, sessionId));
    return row?.status === "closed" && row.lastSeq === 2;
  });
  expect(hint).toHaveBeenCalledWith(sessionId);
});

/** The rows of an ended conversation stay until D1 has followed. Nothing may be added to them. */
const ENDS: [how: string, end: (room: SupportRoom, sessionId: string) => Promise<unknown>][] = [
  ["was handed over", async (room) => room.handOver(userSessionId(crypto.randomUUID()))],
  ["is being deleted", (room, sessionId) => room.deleteConversation(sessionId)],
];

for (const [how, end] of ENDS) {
  test(`stores and confirms no frame that arrives after the conversation ${how}`, async () => {
    vi.spyOn(console, "error").mockImplementation(() => {});
    const { sessionId, cookie } = await newVisitor();
    const connection = await openConnection(sessionId, cookie);
    connection.sendMessage("a", "in time");
    await connection.next("ack");
    await withoutTable(env.DB_SUPPORT, "support_sessions", () =>
      runInDurableObject(roomOf(sessionId), async (room: SupportRoom, state) => {
        const [socket] = state.getWebSockets();
        if (!socket) throw new Error("no socket");
        await end(room, sessionId);
        const rows = () => ["session", "messages", "triage"].map((table) => dump(state, table));
        const before = rows();
        const sent = vi.spyOn(socket, "send");
        for (const frame of LATE) await room.webSocketMessage(socket, JSON.stringify(frame));
        expect(room.sendMessage(AGENT, { clientId: "b", body: "late too" })).toEqual({ ok: false, reason: "gone" });
        expect(await room.applyAction({ id: "agent-1", name: "Bo" }, { action: "status", status: "closed" })).toBe(
          false,
        );
        expect(room.rate("good")).toBe(false);
        expect(room.open({ sessionId, userId: null, name: "Eve", email: null })).toBeNull();
        expect(room.session("new@address.example")).toBeNull();
        expect(room.read(0)).toBeNull();
        expect(rows()).toEqual(before);
        expect(sent).not.toHaveBeenCalled();
      }),
    );
  });
}

/** Holds each run that stores something in D1 while `work` goes on. */
async function whileStoring(work: () => Promise<void>): Promise<void> {
  let isHeld = true;
  // A call waits two seconds for D1.
  const { setTimeout } = globalThis;
  const timers = vi
    .spyOn(globalThis, "setTimeout")
    .mockImplementation(((run: () => void, ms?: number) =>
      setTimeout(run, ms === 2000 ? 50 : ms)) as typeof setTimeout);
  const hint = vi.spyOn(SupportDesk.prototype, "hint").mockImplementation(async () => {
    while (isHeld) await scheduler.wait(5);
  });
  try {
    await work();
  } finally {
    isHeld = false;
    hint.mockRestore();
    timers.mockRestore();
  }
}

test("lets no action wait for those before it while D1 stands still, and stores them all afterwards", async () => {
  const { sessionId } = await newVisitor();
  const by = { id: crypto.randomUUID(), name: "Bo" };
  await whileStoring(async () => {
    const tags = ["one", "two", "three", "four"];
    const done = tags.map((tag) => roomOf(sessionId).applyAction(by, { action: "tag", tag, isOn: true }));
    expect(await Promise.all(done)).toEqual(tags.map(() => true));
  });
  await untilStored(sessionId, async () => (await tagEntries(by.id)).length === 4);
});

test("ends a handover while D1 stands still, and deletes the old conversation afterwards", async () => {
  const { sessionId } = await newVisitor();
  await until(async () => (await storedSeq(sessionId)) !== undefined);
  const movedTo = userSessionId(crypto.randomUUID());
  await whileStoring(async () => {
    const handed = await runInDurableObject(roomOf(sessionId), (room: SupportRoom) => room.handOver(movedTo));
    expect(handed).not.toBeNull();
    await roomOf(sessionId).finishHandover(sessionId, movedTo);
    expect(await roomOf(sessionId).read(0)).toBeNull();
  });
  // The room takes a new conversation once the old one is deleted.
  const start = { sessionId, userId: null, name: "Eve", email: null };
  await untilStored(sessionId, async () => (await roomOf(sessionId).open(start)) !== null);
  expect((await roomOf(sessionId).summary())?.session.user_name).toBe("Eve");
});

/** Waits until that is so, without the room's usual delay between what it stores. */
function untilStored(sessionId: string, isSo: () => Promise<boolean>): Promise<unknown> {
  return until(async () => {
    await runDurableObjectAlarm(roomOf(sessionId));
    return isSo();
  });
}

async function storedSeq(sessionId: string): Promise<number | undefined> {
  const [row] = await supportDb.select().from(supportSessions).where(eq(supportSessions.sessionId, sessionId));
  return row?.lastSeq;
}

function tagEntries(agentId: string) {
  const isTag = eq(auditLog.action, "conversation.tags");
  return db
    .select()
    .from(auditLog)
    .where(and(isTag, eq(auditLog.actorId, agentId)));
}

function dump({ storage }: DurableObjectState, table: string): unknown[] {
  return [...storage.sql.exec(`SELECT * FROM ${table}`)];
}
